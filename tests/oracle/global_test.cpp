// SPDX-License-Identifier: Apache-2.0
// Programs of whole values, as users export them: XLA takes the shardings and the parts that they say.
#include <gtest/gtest.h>

#include "tests/support/oracle.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/moves/enter.hpp"
#include "tutti/ops/moves/leave.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/stablehlo/write/write.hpp"

namespace tutti {
namespace {

class global : public OracleTest {};

const Mesh grid({{"x", 2}, {"y", 2}});
const Axes x{grid.axes()[0]}, y{grid.axes()[1]}, turned{y[0], x[0]};
const Type row(DType::i32, {4});
const Sharding over_x{grid, {x}, {}, {}}, over_y_x{grid, {turned}, {}, {}}, whole{grid, {{}}, {}, {}};

Tensor ints(const std::vector<std::int32_t>& values) {
  return {Shape{static_cast<std::int64_t>(values.size())}, values};
}

/// The first result of the function of one whole row, [device]; `parts` are the argument's, in order of
/// device.
Tensors run(const Tensors& parts, const std::function<Array(const Array&)>& function,
            const Mesh& mesh = grid) {
  TracedProgram traced =
      trace({row}, [&](const Arrays& arguments) -> Arrays { return {function(arguments[0])}; });
  std::string text = write(lower_global(traced.program, mesh));
  Verdict verdict = Oracle::shared().run(text, mesh.devices(), {parts});
  EXPECT_EQ(verdict.errors, std::vector<std::string>{}) << text;
  EXPECT_EQ(verdict.failure, "") << text;
  return verdict.results.empty() ? Tensors{} : verdict.results[0];
}

TEST_F(global, splits_parameters_and_joins_results_by_their_shardings) {
  Tensors halves{ints({0, 1}), ints({0, 1}), ints({2, 3}), ints({2, 3})};
  Tensors doubled = run(halves, [](const Array& value) {
    Array part = enter(value, over_x);
    return leave(part + part, over_x);
  });
  EXPECT_EQ(doubled, (Tensors{ints({0, 2}), ints({0, 2}), ints({4, 6}), ints({4, 6})}));
}

TEST_F(global, moves_from_one_sharding_to_another) {
  Tensors halves{ints({0, 1}), ints({0, 1}), ints({2, 3}), ints({2, 3})};
  Tensors quarters = run(halves, [](const Array& value) {
    return leave(enter(leave(enter(value, over_x), over_x), over_y_x), over_y_x);
  });
  EXPECT_EQ(quarters, (Tensors{ints({0}), ints({2}), ints({1}), ints({3})}));
}

TEST_F(global, hands_in_and_out_partial_terms) {
  Sharding terms{grid, {{}}, x, {}};
  Tensors parts{ints({1, 2, 3, 4}), ints({1, 2, 3, 4}), ints({10, 20, 30, 40}), ints({10, 20, 30, 40})};
  Tensors doubled = run(parts, [&](const Array& value) {
    Array part = enter(value, terms);
    return leave(part + part, terms);
  });
  EXPECT_EQ(doubled, (Tensors{ints({2, 4, 6, 8}), ints({2, 4, 6, 8}), ints({20, 40, 60, 80}),
                              ints({20, 40, 60, 80})}));
  Tensors summed =
      run(parts, [&](const Array& value) { return leave(all_reduce(enter(value, terms), x), whole); });
  EXPECT_EQ(summed, Tensors(4, ints({11, 22, 33, 44})));
}

TEST_F(global, computes_on_wholes_outside_a_shard_map) {
  Tensors copies(4, ints({1, 2, 3, 4}));
  Tensors results = run(copies, [](const Array& value) {
    Array doubled = value + value;
    return leave(enter(doubled, over_x), over_x) + value;
  });
  EXPECT_EQ(results, Tensors(4, ints({3, 6, 9, 12})));
}

TEST_F(global, runs_on_meshes_with_axes_of_size_1_or_none) {
  Tensors halves{ints({1, 2}), ints({3, 4})}, joined(1, ints({1, 2, 3, 4}));
  for (const Mesh& mesh : {Mesh({{"p", 1}, {"q", 2}}), Mesh({{"p", 1}, {"q", 1}}), Mesh()}) {
    Sharding over_all{mesh, {mesh.axes()}, {}, {}}, none{mesh, {{}}, {}, {}};
    const Tensors& parts = mesh.devices() == 2 ? halves : joined;
    Tensors kept =
        run(parts, [&](const Array& value) { return leave(enter(value, over_all), over_all); }, mesh);
    EXPECT_EQ(kept, parts) << to_string(mesh);
    Tensors wholes = run(
        parts,
        [&](const Array& value) { return leave(enter(leave(enter(value, over_all), over_all), none), none); },
        mesh);
    EXPECT_EQ(wholes, Tensors(parts.size(), joined[0])) << to_string(mesh);
  }
}

}  // namespace
}  // namespace tutti
