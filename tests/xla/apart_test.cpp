// SPDX-License-Identifier: Apache-2.0
// Collectives in branches and loops that only some devices run. XLA must not wait for the other devices. A
// process that hangs lives for 40 s or more, so each way runs in a child process with a time limit.
// Measured on plugin A with 20 calls: all kinds are right in all five ways.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "tests/support/command.hpp"
#include "tests/support/full_sets.hpp"
#include "tests/support/print.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scripted_op.hpp"
#include "tests/xla/on_xla.hpp"
#include "tests/xla/real_plugin.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using xla::RealXla;

const Mesh cube({{"a", 2}, {"b", 2}, {"c", 2}});
const Axis a = cube.axes()[0], b = cube.axes()[1], c = cube.axes()[2];
const Axes bc{b, c};
const Groups crossed{{0, 3}, {2, 1}}, uneven{{3}, {0, 2, 1}};
const Pairs ring{{0, 1}, {1, 2}, {2, 3}, {3, 0}}, some{{0, 1}, {2, 2}};
const AxisNames both{"b", "c"};

/// A function from f64[8], different on all devices, to f64[8], with collectives over b and c.
struct Kind {
  const char* name;
  std::function<Array(const Array&)> function;
};
Array folded_bits(const Array& x, const Groups& groups) {
  const Array bits = convert(x * 64.0, DType::i64);
  return convert(all_reduce(bits, bc, ReduceKind::logical_or, groups), DType::f64) / 128.0;
}

Array ragged(const Array& x) {
  const auto four = [](std::vector<std::int32_t> numbers) { return constant(Tensor(Shape{4}, numbers)); };
  const Array sizes = four({2, 1, 0, 2});
  return ragged_all_to_all(x, x * 0.5, {four({0, 3, 1, 6}), sizes, packed_offsets(sizes, both)}, both);
}

Array exchanged(const Array& x, const Shape& whole, const Sharding& from, const Sharding& to) {
  const Shape block = local_type(Type(DType::f64, whole), from).shape();
  return reshape(exchange(reshape(x, block), whole, from, to), {8});
}

Array four_times(const Array& x) { return concatenate({x, x * 0.5, x + 1.0, x}); }

Array sent(const Array& x) {
  const auto token = psend(x, both, ring);
  return precv(token, x, both, ring);
}

/// A user's op that permutes devices itself.
struct RawPermute : Scripted {
  static constexpr std::string_view name = "raw_permute";
  Types infer(const Types& operands) const { return operands; }
  Lowered lower(Emitter& emitter, const Lowered& operands) const {
    return {emitter.emit("stablehlo.collective_permute", operands, emitter.result_types()[0],
                         emitter.permutation(bc, ring))};
  }
  Kernel kernel(const Layout& layout) const { return Permute{bc, ring}.kernel(layout); }
  Axes communicates() const { return bc; }
  Traffic traffic(const Types&) const { return {}; }
  BatchedArrays batch(const Axis&, const BatchedArrays& operands, const Types&) const {
    return {{apply_one(*this, {operands[0].array}), operands[0].batched}};
  }
  bool operator==(const RawPermute&) const = default;
};

Array permuted_by_a_user(const Array& x) { return apply_one(RawPermute{}, {x}); }

std::vector<Kind> kinds() {
  return {
      {"all_reduce", [](const Array& x) { return psum(x, both) * 0.25; }},
      {"all_reduce_of_terms", [](const Array& x) { return psum(pcast(x, both, unreduced), both) * 0.25; }},
      {"all_reduce_max", [](const Array& x) { return pmax(x, "c") - pmin(x, "b"); }},
      {"all_reduce_in_groups", [](const Array& x) { return psum(x, both, {.groups = uneven}) * 0.25; }},
      {"all_reduce_of_bits", [](const Array& x) { return folded_bits(x, {}); }},
      {"all_reduce_of_bits_in_groups", [](const Array& x) { return folded_bits(x, uneven); }},
      {"all_gather", [](const Array& x) { return reduce_max(all_gather(x, both), 0); }},
      {"all_gather_in_groups",
       [](const Array& x) { return reduce_max(all_gather(x, both, {.groups = crossed}), 0); }},
      {"reduce_scatter",
       [](const Array& x) { return four_times(psum_scatter(x, both, {.tiled = true})) * 0.25; }},
      {"reduce_scatter_in_groups",
       [](const Array& x) {
         const Array own = psum_scatter(x, both, {.tiled = true, .groups = crossed});
         return concatenate({own, own * 0.5}) * 0.5;
       }},
      {"all_to_all", [](const Array& x) { return all_to_all(x, both, {.tiled = true}); }},
      {"all_to_all_between_dims",
       [](const Array& x) {
         return reshape(all_to_all(reshape(x, {4, 2}), both, {.split = 0, .concat = 1}), {8});
       }},
      {"all_to_all_in_groups",
       [](const Array& x) { return all_to_all(x, both, {.tiled = true, .groups = crossed}); }},
      {"permute", [](const Array& x) { return ppermute(x, both, ring); }},
      {"permute_some", [](const Array& x) { return ppermute(x, both, some); }},
      {"send_and_receive", sent},
      {"broadcast", [](const Array& x) { return pbroadcast(x, both, {.source = 2}); }},
      {"ragged_all_to_all", ragged},
      {"exchange_by_permute",
       [](const Array& x) { return exchanged(x, {32}, {cube, {{b, c}}, {}, {}}, {cube, {{c, b}}, {}, {}}); }},
      {"exchange_by_all_to_all",
       [](const Array& x) {
         return exchanged(x, {8, 4}, {cube, {{b}, {c}}, {}, {}}, {cube, {{}, {b, c}}, {}, {}});
       }},
      {"exchange_by_all_gather",
       [](const Array& x) {
         const Sharding from{cube, {{b, c}}, {}, {}}, to{cube, {{c}}, {}, {}};
         return slice_in_dim(exchange(x, {32}, from, to), 4, 12);
       }},
      {"started_all_reduce", [](const Array& x) { return psum_start(x, both).done() * 0.25; }},
      {"started_all_gather", [](const Array& x) { return reduce_max(all_gather_start(x, both).done(), 0); }},
      {"pargmax", [](const Array& x) { return convert(pargmax(x, both), DType::f64) * 0.125; }},
  };
}

/// Control flow that depends on the position along a. Devices along b and c take the same path.
struct Way {
  const char* name;
  std::function<Array(const Array&, const std::function<Array(const Array&)>&)> function;
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

std::vector<Way> ways() {
  using F = std::function<Array(const Array&)>;
  const auto keep = [](const Array& x) { return x * 0.5; };
  return {
      {"cond", [=](const Array& x, const F& f) { return cond(axis_index("a") > 0, f, keep, x); }},
      {"switch",
       [](const Array& x, const F& f) {
         const auto twice = [&](const Array& y) { return f(f(y) * 0.5 + y); };
         return switch_(axis_index("a"), std::tuple{f, twice}, x);
       }},
      {"while",
       [](const Array& x, const F& f) {
         const auto trip = [&](const Array&, const Array& y) { return f(y) * 0.5 + x; };
         return fori_loop(0, axis_index("a") * 9 + 1, trip, x);
       }},
      {"cond_in_a_loop",
       [=](const Array& x, const F& f) {
         const auto trip = [&](const Array& i, const Array& y) {
           return cond(rem(i + axis_index("a"), 2) > 0, f, keep, y) + x;
         };
         return fori_loop(0, 6, trip, x);
       }},
      {"loop_in_a_cond",
       [=](const Array& x, const F& f) {
         const auto trip = [&](const Array&, const Array& y) { return f(y) * 0.5 + x; };
         const auto loop = [&](const Array& y) { return fori_loop(0, 5, trip, y); };
         return cond(axis_index("a") > 0, loop, keep, x);
       }},
  };
}

/// CI tries two ways: branches with different collectives, and loops with different numbers of trips.
std::vector<Way> tried_ways() {
  std::vector<Way> tried = ways();
  const auto is_left_out = [](const Way& way) {
    const std::string name = way.name;
    return name != "switch" && name != "while";
  };
  if (!tries_full_sets()) std::erase_if(tried, is_left_out);
  return tried;
}

Program program_of(const Kind& kind, const Way& way) {
  return trace({Type(DType::f64, {8}).with(cube.axes(), varying)},
               [&](const Arrays& x) {
                 const auto bound = Builder::current().bind(cube.axes());
                 const auto f = [&](const Array& y) { return cast_to(kind.function(y), y.type().states()); };
                 const Array result = way.function(x[0], f);
                 return Arrays{result, psum(result, {"a", "b", "c"})};
               })
      .program;
}

void expect_same(const Kind& kind, const Way& way) {
  const Program program = program_of(kind, way);
  std::vector<Tensors> inputs{{}};
  for (int device = 0; device < cube.devices(); ++device) {
    std::vector<double> x(8);
    for (std::size_t i = 0; i < 8; ++i) x[i] = 1 + static_cast<double>((device * 5 + 3 * i) % 16) / 64;
    inputs[0].emplace_back(Shape{8}, x);
  }
  const std::vector<Tensors> ours = run_on_machine(program, cube, inputs);
  const xla::OnXla theirs(RealXla::client(), program, cube);
  for (int call = 0; call < 5; ++call) EXPECT_EQ(theirs.run(inputs)[0], ours[0]) << kind.name << call;
}

constexpr const char* is_child = "TUTTI_TEST_IS_CHILD";

class xla_apart : public RealXla, public testing::WithParamInterface<Way> {
 protected:
  void expect_of_this_process() const {
    for (const Kind& kind : kinds()) {
      fmt::print("begins: {}\n", kind.name);
      std::fflush(stdout);
      expect_same(kind, GetParam());
    }
  }
  /// Runs this test in another process.
  static Finished child() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    const std::string program = std::filesystem::read_symlink("/proc/self/exe");
    return run_command(fmt::format("{}=1 timeout -s KILL 60 {} --gtest_filter={}.{}", is_child, program,
                                   test->test_suite_name(), test->name()));
  }
};

TEST_P(xla_apart, collectives_of_all_kinds_are_right) {
  if (std::getenv(is_child)) {
    expect_of_this_process();
    return;
  }
  const Finished finished = child();
  EXPECT_EQ(finished.status, 0) << finished.out << finished.err;
  EXPECT_NE(finished.out.find("[  PASSED  ] 1 test."), finished.out.npos) << finished.out;
}

// Measured on plugin A: this op hung in cond, switch, while and loop_in_a_cond; each was killed after 50 s.
// It ended in cond_in_a_loop, where all devices permute equally often. Our own Permute is lowered to an
// all_gather there.
TEST_P(xla_apart, permutations_by_a_users_op_are_refused) {
  const auto lower = [&](const Kind& kind) {
    return refusal([&] { lower_replicas(program_of(kind, GetParam()), cube); });
  };
  const std::string refused = lower({"raw_permute", permuted_by_a_user});
  EXPECT_TRUE(refused.starts_with("R004 tests/xla/apart_test.cpp:")) << refused;
  EXPECT_NE(refused.find("raw_permute: stablehlo.collective_permute stands in a branch or loop that some "
                         "devices may not run"),
            refused.npos)
      << refused;
  EXPECT_EQ(lower({"permute", [](const Array& x) { return ppermute(x, both, ring); }}), "accepted");
}

INSTANTIATE_TEST_SUITE_P(all, xla_apart, testing::ValuesIn(tried_ways()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace tutti
