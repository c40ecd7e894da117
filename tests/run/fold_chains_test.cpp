// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "tests/run/harness.hpp"
#include "tutti/control/boundary.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/reduce_scatter.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/run/code/region.hpp"
#include "tutti/run/fuse/steps.hpp"
#include "tutti/run/plan/schedule.hpp"

namespace tutti {
namespace {

/// A function of x, which differs on every device, and of s, its sum over the axis a.
struct Case {
  std::string name;
  std::function<Arrays(const Array& x, const Array& s)> body;
  std::size_t joined;  // fold chains in its regions
  std::int64_t devices = 4;
  DType dtype = DType::f32;
  std::size_t varying = 2;   // the number of results that vary; the others are equal everywhere
  std::int64_t columns = 0;  // of x, which then has rows
};
void PrintTo(const Case& c, std::ostream* os) { *os << c.name; }

Arrays link(const Array& x, const Array& s) { return {x * 0.5 + s * 0.25}; }

/// A row of x that all others take keeps rows apart.
Arrays link_and_row(const Array& x, const Array& s) { return {x * 0.5 + s, x * index_in_dim(x, 0)}; }

// Only sums that nothing but the one chain reads are joined with it.
const Case cases[] = {
    {"link", link, 1},
    {"link_of_f64", link, 1, 4, DType::f64},
    {"link_of_bf16", link, 0, 4, DType::bf16},
    {"link_of_two", link, 1, 2},
    {"link_of_three", link, 0, 3},
    {"link_of_eight", link, 1, 8},
    {"chain_and_sum", [](const Array& x, const Array& s) { return Arrays{x - s, s}; }, 0, 4, DType::f32, 1},
    {"sum_of_two_chains", [](const Array& x, const Array& s) { return Arrays{x - s, x * s}; }, 0},
    {"value_of_two_chains",
     [](const Array& x, const Array& s) {
       Array v = s * 0.5;
       return Arrays{x - v, x * v};
     },
     0},
    {"of_one_on_the_left", [](const Array& x, const Array& s) { return Arrays{x - (1.0 - s)}; }, 1},
    {"of_one_over_sum", [](const Array& x, const Array& s) { return Arrays{x - 2.0 / s}; }, 1},
    {"of_one_divided", [](const Array& x, const Array& s) { return Arrays{(2.0 / (s + 0.5) - 3.0) * x}; }, 1},
    {"of_the_larger", [](const Array& x, const Array& s) { return Arrays{maximum(s, 3.0) - x}; }, 1},
    {"of_the_smaller_on_the_left", [](const Array& x, const Array& s) { return Arrays{x - minimum(3.0, s)}; },
     1},
    {"of_the_square", [](const Array& x, const Array& s) { return Arrays{x - s * s}; }, 1},
    {"of_three_links", [](const Array& x, const Array& s) { return Arrays{(x - s) * x + 0.5 * s}; }, 0},
    {"sum_twice_in_a_chain", [](const Array& x, const Array& s) { return Arrays{(x - s) * s + x}; }, 1},
    {"larger_of_both", [](const Array& x, const Array& s) { return Arrays{maximum(x, s)}; }, 1},
    {"gate", [](const Array& x, const Array& s) { return Arrays{select(s > 2.0, x, 0.0)}; }, 0},
    {"function_of_sum", [](const Array& x, const Array& s) { return Arrays{x - exp(s)}; }, 0},
    {"function_between", [](const Array& x, const Array& s) { return Arrays{exp(x) - s}; }, 0},
    {"square_of_each",
     [](const Array& x, const Array& s) {
       Array y = x - 0.5;
       return Arrays{y * y + s};
     },
     1},
    {"sum_of_a_tile",
     [](const Array& x, const Array&) { return Arrays{x + psum(exp(x * 0.0) * x, "a") * 0.5}; }, 1},
    {"one_element_per_device",
     [](const Array& x, const Array& s) { return Arrays{x * index_in_dim(x, 0) + s}; }, 0},
    {"more_links_than_a_chain_has",
     [](const Array& x, const Array& s) {
       Array y = s * index_in_dim(x, 0);
       for (int k = 0; k < 4; ++k) y = y * 0.5 + 1.0;
       return Arrays{x - y};
     },
     0},
    {"sum_that_differs_among_devices",
     [](const Array& x, const Array&) {
       Array t = psum(slice_in_dim(x, 0, x.shape()[0] / 4), "a");
       return Arrays{psum_scatter(x, "a", {.tiled = true}) * 0.5 + t};
     },
     0},
    {"rows_that_fit_whole_vectors", link_and_row, 1, 4, DType::f32, 2, 128},
    {"rows_that_do_not", link_and_row, 0, 4, DType::f32, 2, 100},
    {"link_of_row", [](const Array& x, const Array& s) { return Arrays{x * index_in_dim(x, 0) + s}; }, 0, 4,
     DType::f32, 2, 512},
    {"shards_of_one_array",  // they follow each other: nothing lies between that may be written over
     [](const Array& x, const Array& s) { return Arrays{all_gather(x * 0.5 + s, "a", {.tiled = true})}; }, 1},
    {"links_over_operands",
     [](const Array& x, const Array& s) {
       Array y = x * 0.5 + s * 0.25;
       Array z = y * 0.5 + psum(y, "a") * 0.25;
       return Arrays{z * 0.5 + psum(z, "a") * 0.25};
     },
     3},
    {"sum_and_result_over_operand",
     [](const Array& x, const Array& s) {
       Array y = x * 0.5 + s * 0.25;
       Array t = psum(y, "a");
       Array z = y - t;
       return Arrays{z * 0.5 + psum(z, "a"), t};
     },
     2, 4, DType::f32, 1},
    {"function_and_result_over_operand",
     [](const Array& x, const Array& s) {
       Array y = x * 0.5 + s * 0.25;
       Array t = psum(y, "a") * 0.5;
       Array z = y - t;
       return Arrays{z * 0.5 + psum(z, "a"), t};
     },
     3, 4, DType::f32, 1},
};

class fold_chains : public testing::TestWithParam<Case> {
 protected:
  Mesh mesh() const { return Mesh({{"a", GetParam().devices}}); }
  /// A program whose x has about `elements` elements on each device.
  Program program(std::int64_t elements) const {
    const std::int64_t columns = GetParam().columns;
    Shape shape{GetParam().devices * elements};
    if (columns > 0) shape = {GetParam().devices * (elements / columns), columns};
    auto body = [&](const Arrays& x) { return GetParam().body(x[0], psum(x[0], "a")); };
    const std::vector<std::vector<Axes>> out(GetParam().varying, {mesh().axes()});
    return test_program(mesh(), {{GetParam().dtype, shape, {mesh().axes()}}}, body, out);
  }
};

/// Adjacent ranges of bytes are one.
using Bytes = std::map<std::uintptr_t, std::uintptr_t>;  // begin -> end
/// The bytes that a step reads and writes outside of its scratch.
std::array<Bytes, 2> touched(const WorkerStep& step, RegionCode code) {
  constexpr std::uintptr_t apart = std::uintptr_t{1} << 40;
  for (BaseId base : code.bases.ids())
    code.bases[base] = reinterpret_cast<std::byte*>((static_cast<std::uintptr_t>(base) + 1) * apart);
  StepContext context{.scratch = nullptr, .frame = {}, .crew = {}};
  std::vector<Touched> all;
  code.touch(step, context, [&](const Touched& t) {
    if (t.begin >= apart) all.push_back(t);
  });
  std::ranges::sort(all, {}, &Touched::begin);
  std::array<Bytes, 2> found;
  for (const Touched& t : all) {
    Bytes& bytes = found[t.written];
    if (bytes.empty() || bytes.rbegin()->second < t.begin) bytes[t.begin] = t.end;
    else bytes.rbegin()->second = std::max(bytes.rbegin()->second, t.end);
  }
  return found;
}

TEST_P(fold_chains, are_made_of_sums_that_one_chain_reads) {
  Program p = program(64 * 1024 + 36);
  Graph graph = make_graph(localised(p, mesh()).program, mesh());
  auto joined = [&](Stores stores) {
    Steps steps = make_steps(graph, Fusion::on);
    StepCosts costs = costs_of(graph, steps, stores, test_caches);
    Placement placement = place(graph, steps, costs, 1, PlanChoice::cheapest);
    Schedule schedule = make_schedule(graph, steps, costs, placement, plan_arena(graph, steps, placement));
    std::size_t found = 0;
    for (const std::vector<std::vector<WorkerStep>>& phase : schedule.lists)
      for (const WorkerStep& step : phase[0]) {
        const auto* region = dynamic_cast<const CodeOf<RegionCode>*>(step.code);
        if (!region) continue;
        const RegionCode& code = region->data;
        RegionCode apart = code;
        apart.whole = code.code;
        EXPECT_EQ(touched(step, code), touched(step, apart));
        found += code.fold_chains.size();
      }
    return found;
  };
  EXPECT_EQ(joined(Stores::streamed), GetParam().joined);
  EXPECT_EQ(joined(Stores::by_size), 0u);  // in the caches they are no faster
}

// Too many tiles for a list of calls; the last is not whole. Shards of the first length can stream.
TEST_P(fold_chains, compute_what_the_kernels_do) {
  for (std::int64_t rest : {16, 36}) expect_all_plans_compute(program(11 * 1024 + rest), mesh());
}

INSTANTIATE_TEST_SUITE_P(, fold_chains, testing::ValuesIn(cases), [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace tutti
