// SPDX-License-Identifier: Apache-2.0
// Groups: collectives over them go from varying to varying, and so do their derivatives.
#include <gtest/gtest.h>

#include "tests/support/print.hpp"
#include "tests/support/tracing.hpp"
#include "tests/support/values.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/reduce_scatter.hpp"
#include "tutti/transform/batch.hpp"

namespace tutti {
namespace {

const Axis a = example_mesh().axes()[0], b = example_mesh().axes()[1];
const Axes ab{a, b};
const Groups crossed{{0, 2}, {3, 1}};
Type over_ab(Shape shape) { return Type(DType::f32, std::move(shape)).with(ab, varying); }

std::string first_op(const Type& x, const std::function<Array(const Array&)>& function) {
  Program program = trace({x}, [&](const Arrays& in) { return Arrays{function(in[0])}; }).program;
  return to_string(program.equations.back().op);
}
std::string transposed(const Op& op, const Type& x) {
  return first_op(op->infer({x})[0],
                  [&](const Array& cotangent) { return *op->transpose({{{}, x}}, {cotangent})[0]; });
}

TEST(groups, of_an_all_reduce_leave_the_result_varying) {
  EXPECT_EQ((AllReduce{ReduceKind::max, ab, {{0, 2, 1}, {3}}}.infer({over_ab({3})})[0]), over_ab({3}));
}

TEST(groups, of_an_all_gather_leave_the_result_varying) {
  EXPECT_EQ((AllGather{ab, Dim{0}, Stacking::tiled, varying, crossed}.infer({over_ab({3})})[0]),
            over_ab({6}));
}

TEST(groups, of_a_reduce_scatter_take_varying_values) {
  EXPECT_EQ((ReduceScatter{ab, Dim{0}, Stacking::tiled, crossed}.infer({over_ab({6})})[0]), over_ab({3}));
}

TEST(groups, keep_the_order_of_the_axes_of_an_all_reduce) {
  EXPECT_EQ(first_op(over_ab({3}), [](const Array& x) { return psum(x, Axes{b, a}, {.groups = crossed}); }),
            "all_reduce{kind=sum, axes=('b', 'a'), groups=[[0, 2], [3, 1]]}");
  EXPECT_EQ(first_op(over_ab({3}), [](const Array& x) { return psum(x, Axes{b, a}); }),
            "all_reduce{kind=sum, axes=('a', 'b')}");
}

TEST(groups, transpose_to_the_same_groups) {
  EXPECT_EQ(transposed(AllReduce{ReduceKind::sum, ab, crossed}, over_ab({3})),
            "all_reduce{kind=sum, axes=('a', 'b'), groups=[[0, 2], [3, 1]]}");
  EXPECT_EQ(transposed(AllGather{ab, Dim{0}, Stacking::tiled, varying, crossed}, over_ab({3})),
            "reduce_scatter{axes=('a', 'b'), dim=0, stacking=tiled, groups=[[0, 2], [3, 1]]}");
  EXPECT_EQ(transposed(ReduceScatter{ab, Dim{0}, Stacking::tiled, crossed}, over_ab({6})),
            "all_gather{axes=('a', 'b'), dim=0, stacking=tiled, to=V, groups=[[0, 2], [3, 1]]}");
}

TEST(groups, fold_in_mesh_order_whatever_theirs) {
  kernel::Shuffle shuffle =
      std::get<kernel::Shuffle>(kernel_of(AllReduce{ReduceKind::sum, ab, crossed}, {over_ab({3})}));
  // Positions 3 and 1, devices 6 and 2 at c = 0.
  EXPECT_EQ(shuffle.pieces[6].devices, (std::vector<int>{2, 6}));
}

// The lanes batched along `axis`, after a sum in groups.
PerDevice summed_in_lanes(const Mesh& mesh, const Axis& axis, const Groups& groups, const PerDevice& values) {
  Builder builder;
  Array x = builder.input(Type(DType::f64, {1}).with(axis, varying));
  Program program = builder.finish(builder.add(AllReduce{ReduceKind::sum, {axis}, groups}, {x}));
  return evaluate(batch(program, axis), mesh, {lanes_along(axis, values, mesh)})[0];
}

// The sum of 1, 2^60 and -2^60 keeps the 1 in some orders only.
TEST(groups, fold_in_mesh_order_in_the_lanes_of_a_batch_too) {
  const Mesh line({{"i", 4}});
  auto number = [](double x) { return Tensor(Shape{1}, std::vector<double>{x}); };
  const PerDevice values{number(1), number(0x1p60), number(5), number(-0x1p60)};
  auto summed = [&](const Groups& groups) { return summed_in_lanes(line, line.axes()[0], groups, values); };
  const PerDevice in_order = summed({{0, 1, 3}, {2}});
  for (const Groups& groups : {Groups{{1, 0, 3}, {2}}, Groups{{3, 0, 1}, {2}}, Groups{{2}, {1, 3, 0}}})
    EXPECT_EQ(summed(groups), in_order) << to_string(groups);
}

TEST(groups, of_one_size_divide_a_mean_by_a_number) {
  EXPECT_EQ(program_text({over_ab({3})},
                         [](const Arrays& x) { return pmean(x[0], ab, {.groups = crossed}); }),
            "program(%0: f32[3]{V:a, V:b}) {\n"
            "  %1: f32[3]{V:a, V:b} = all_reduce{kind=sum, axes=('a', 'b'), groups=[[0, 2], [3, 1]]} %0\n"
            "  %2: f32[] = constant{value=2}\n"
            "  %3: f32[3] = broadcast_in_dim{to=[3], dims=[]} %2\n"
            "  %4: f32[3]{V:a, V:b} = cast{axes=('a', 'b'), from=I, to=V} %3\n"
            "  %5: f32[3]{V:a, V:b} = div %1, %4\n"
            "  return %5\n}\n");
}

}  // namespace
}  // namespace tutti
