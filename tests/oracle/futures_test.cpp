// SPDX-License-Identifier: Apache-2.0
// Collectives in two halves: the real parser accepts every form, XLA computes what we do, and so does JAX.
#include <cmath>

#include "tests/support/oracle.hpp"
#include "tests/support/values.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/stablehlo/write/write.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const LowerOptions plain, async{.async = true}, messages{.send_recv = true}, ragged{.ragged_call = true};

class futures : public OracleTest {};

/// The op of an example, started and finished.
Program in_halves(const Example& start) {
  auto body = [&](const Arrays& x) -> Arrays {
    Arrays given = tutti::apply(start.op, x);
    given.insert(given.end(), x.begin() + 1, x.end());
    return tutti::apply(Done{start.op.as<Start>()->op}, given);
  };
  return trace(types_of(start.operands), body).program;
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

/// The results of XLA; the test fails if it refuses the text.
std::vector<Tensors> computed_by_xla(const std::string& text, const std::vector<Tensors>& inputs) {
  Verdict verdict = Oracle::shared().run(text, static_cast<int>(inputs.at(0).size()), inputs);
  EXPECT_EQ(verdict.errors, std::vector<std::string>{}) << text;
  EXPECT_EQ(verdict.failure, "") << text;
  return verdict.results;
}

/// XLA's CPU refuses these halves: "expected to contain only the root and parameter instructions".
bool is_refused_in_halves(const Example& start) {
  const auto* exchange = start.op.as<Start>()->op.as<AllToAll>();
  return exchange && !(exchange->split == exchange->concat);
}

// Every example lowers to one collective, which async_start takes.
TEST_F(futures, of_every_op_are_accepted_and_computed_by_xla_in_every_form) {
  Random random(3);
  for (const Example& start : Start::examples()) {
    const Program program = in_halves(start);
    const std::vector<Tensors> inputs = random_values(random, start.operands, Numbers::quarters);
    const std::vector<Tensors> ours = run_on_machine(program, example_mesh(), inputs);
    for (const LowerOptions& options : {plain, async}) {
      const std::string text = write(lower_per_device(program, example_mesh(), options));
      EXPECT_EQ(holds(text, "async_start"), options.async) << text;
      if (options.async && is_refused_in_halves(start))
        EXPECT_EQ(Oracle::shared().check(text).errors, std::vector<std::string>{}) << text;
      else EXPECT_EQ(computed_by_xla(text, inputs), ours) << text;
    }
  }
}

TEST_F(futures, of_an_exchange_between_two_dims_are_refused_by_xlas_cpu) {
  Random random(3);
  int tried = 0;
  for (const Example& start : Start::examples()) {
    if (!is_refused_in_halves(start)) continue;
    ++tried;
    const std::string text = write(lower_per_device(in_halves(start), example_mesh(), async));
    const std::string failure =
        Oracle::shared()
            .run(text, example_mesh().devices(), random_values(random, start.operands, Numbers::quarters))
            .failure;
    EXPECT_TRUE(holds(failure, "expected to contain only the root and parameter instructions")) << failure;
  }
  EXPECT_GT(tried, 0);
}

const Pairs to_the_next{{0, 1}}, exchanged{{0, 1}, {1, 0}};

/// A function of f64[3] that differs along a and b of the example mesh.
Program on_devices(const std::function<Array(const Array&)>& body) {
  const Axes& axes = example_mesh().axes();
  return trace({Type(DType::f64, {3}).with(axes, varying)},
               [&](const Arrays& x) {
                 auto bound = Builder::current().bind(axes);
                 return Arrays{body(x[0])};
               })
      .program;
}
std::vector<Tensors> numbers() {
  std::vector<Tensors> inputs{{}};
  for (int device = 0; device < example_mesh().devices(); ++device)
    inputs[0].push_back(Tensor({3}, {1.0 + device, 2.0 - device, 0.5 * device}));
  return inputs;
}
void expect_same(const std::function<Array(const Array&)>& body, bool in_two = true) {
  const Program program = on_devices(body);
  const std::string text = write(lower_per_device(program, example_mesh(), async));
  EXPECT_EQ(holds(text, "async_start"), in_two) << text;
  EXPECT_EQ(computed_by_xla(text, numbers()), run_on_machine(program, example_mesh(), numbers()));
}

TEST_F(futures, beside_other_work) {
  expect_same([](const Array& x) {
    auto sum = psum_start(x, "a");
    auto other = ppermute_start(x * 2.0, "b", exchanged);
    Array work = x * x;
    return other.done() - work * pcast(sum.done(), "a", varying);
  });
}

TEST_F(futures, in_the_body_of_a_loop) {
  expect_same([](const Array& x) {
    auto trip = [](const Array&, const Array& c) {
      auto other = ppermute_start(c, "a", to_the_next);
      Array work = c * 0.5;
      return other.done() + work;
    };
    return fori_loop(0, 3, trip, x);
  });
}

TEST_F(futures, in_branches_that_devices_choose) {
  expect_same([](const Array& x) {
    auto sums = [](const Array& y) {
      auto sum = psum_start(y, "b");
      auto other = ppermute_start(y, "b", exchanged);
      return other.done() * pcast(sum.done(), "b", varying);
    };
    auto keeps = [](const Array& y) { return y * 2.0; };
    return cond(axis_index("a") > 0, sums, keeps, x);
  });
}

TEST_F(futures, of_gradients) {
  expect_same([](const Array& x) {
    auto loss = [](const Array& y) {
      auto rows = all_gather_start(y * y, "a", {.tiled = true});
      return reduce_sum(rows.done() * 3.0);
    };
    return grad(loss)(x);
  });
}

TEST_F(futures, that_pass_a_barrier) {
  auto body = [](const Array& x) {
    auto [sum, y] = optimization_barrier(std::pair{psum_start(x, "a"), x * 2.0});
    return pcast(sum.done(), "a", varying) * y;
  };
  expect_same(body, false);
}

TEST_F(futures, in_programs_of_whole_values) {
  const Mesh line({{"x", 2}});
  auto body = [](const Array& local) {
    auto sum = psum_start(local, "x");
    return local * 2.0 + sum.done();
  };
  const Type whole(DType::f64, {4});
  const Program program = trace({whole}, [&](const Arrays& x) -> Arrays {
                            return {shard_map(body, {.mesh = line, .in = {P("x")}, .out = {P("x")}})(x[0])};
                          }).program;
  const std::string text = write(lower_global(program, line, async));
  EXPECT_TRUE(holds(text, "async_start"));
  const Tensors halves{Tensor({2}, {1.0, 2.0}), Tensor({2}, {10.0, 30.0})};
  EXPECT_EQ(computed_by_xla(text, {halves}),
            (std::vector<Tensors>{{Tensor({2}, {13.0, 36.0}), Tensor({2}, {31.0, 92.0})}}));
}

// XLA's CPU has no send: it says so after it has read the text.
TEST_F(futures, that_are_messages_are_accepted) {
  auto body = [](const Array& x) {
    auto token = psend(x, "a", to_the_next), other = psend(x * 2.0, {"a", "b"}, {{0, 1}, {1, 2}, {2, 3}});
    Array work = x * x;
    return precv(other, x, {"a", "b"}, {{0, 1}, {1, 2}, {2, 3}}) + precv(token, x, "a", to_the_next) + work;
  };
  const std::string text = write(lower_per_device(on_devices(body), example_mesh(), messages));
  const Verdict verdict = Oracle::shared().run(text, example_mesh().devices(), numbers());
  EXPECT_EQ(verdict.errors, std::vector<std::string>{}) << text;
  EXPECT_TRUE(verdict.failure.starts_with("UNIMPLEMENTED: HLO opcode `send`")) << verdict.failure;
}

TEST_F(futures, that_would_be_messages_along_a_cycle_are_computed_by_xla) {
  auto body = [](const Array& x) { return precv(psend(x, "a", exchanged), x, "a", exchanged); };
  const Program program = on_devices(body);
  const std::string text = write(lower_per_device(program, example_mesh(), messages));
  EXPECT_EQ(computed_by_xla(text, numbers()), run_on_machine(program, example_mesh(), numbers()));
}

// Nor has it a ragged exchange.
TEST_F(futures, of_ragged_exchanges_are_accepted_as_xlas_custom_call) {
  auto body = [](const Array& x) {
    Array one = ones({2}, DType::i32);
    RaggedSlices slices{arange(2, DType::i32), one, one * axis_index("a")};
    auto of_lane = [&](const Array& lane) { return ragged_all_to_all(lane, x, slices, "a"); };
    return reduce_sum(vmap(of_lane)(stack({x, x * 2.0}))) + ragged_all_to_all_start(x, x, slices, "a").done();
  };
  const std::string text = write(lower_per_device(on_devices(body), example_mesh(), ragged));
  const Verdict verdict = Oracle::shared().run(text, example_mesh().devices(), numbers());
  EXPECT_EQ(verdict.errors, std::vector<std::string>{}) << text;
  EXPECT_TRUE(verdict.failure.starts_with("UNIMPLEMENTED: HLO opcode `ragged-all-to-all`"))
      << verdict.failure;
}

// ---- JAX

Arrays collectives_in_halves(const Arrays& arguments) {
  auto over_x = [&](const std::function<Array(const Array&)>& body, const P& result) {
    return shard_map(body,
                     {.mesh = Mesh({{"x", 4}, {"y", 2}}), .in = {P("x")}, .out = {result}})(arguments[0]);
  };
  auto twice = [](const Array& rows) { return concatenate({rows, -rows}, 0); };
  auto beside_work = [](const Array& rows) {
    auto total = psum_start(rows * rows, "x");
    Array work = exp(-rows);
    return total.done() * work;
  };
  const P by_x("x");
  return {
      over_x([](const Array& rows) { return psum_start(rows, "x").done(); }, P()),
      over_x(beside_work, by_x),
      over_x([](const Array& rows) { return all_gather_start(rows, "x").done(); }, by_x),
      over_x([](const Array& rows) { return all_gather_start(rows, "x", {.dim = 1, .tiled = true}).done(); },
             by_x),
      over_x([&](const Array& rows) { return psum_scatter_start(twice(rows), "x", {.tiled = true}).done(); },
             by_x),
      over_x(
          [&](const Array& rows) {
            return all_to_all_start(twice(rows), "x", {.split = 0, .concat = 0, .tiled = true}).done();
          },
          by_x),
      over_x([](const Array& rows) { return ppermute_start(rows, "x", {{0, 1}, {1, 3}}).done(); }, by_x)};
}

// f64: exp is within 3 ulps on both sides, each sum has 4 terms; numbers stay below 100: 10 * 100 * 2^-53 <
// 2e-13.
TEST_F(futures, are_what_jax_computes_in_halves) {
  Tensor x({8, 4}, DType::f64);
  for (std::int64_t i = 0; i < x.elements(); ++i) put_element(x, i, std::sin(static_cast<double>(i)));
  const Verdict jax = Oracle::shared().run_jax("collectives_in_halves", {x});
  ASSERT_EQ(jax.failure, "");
  Machine machine = open_local(Mesh({{"x", 4}, {"y", 2}}));
  const Arrays ours = machine.compile(collectives_in_halves, Arrays{x})(Arrays{x});
  ASSERT_EQ(ours.size(), jax.results.size());
  for (std::size_t k = 0; k < ours.size(); ++k) {
    const Tensor mine = ours[k].tensor(), theirs = jax.results[k][0];
    ASSERT_EQ(mine.shape(), theirs.shape()) << k;
    for (std::int64_t i = 0; i < mine.elements(); ++i)
      EXPECT_NEAR(mine.at(i), theirs.at(i), 2e-13) << "result " << k << ", element " << i;
  }
}

}  // namespace
}  // namespace tutti
