// SPDX-License-Identifier: Apache-2.0
#include "tutti/transform/simplify.hpp"

#include <gtest/gtest.h>

#include "tests/support/tracing.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/moves/enter.hpp"
#include "tutti/ops/moves/leave.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {
namespace {

const Type row(DType::f32, {3});
const Axis& axis_a() { return example_mesh().axes()[0]; }
const Axis& axis_b() { return example_mesh().axes()[1]; }

Program traced(const Types& types, const std::function<Arrays(const Arrays&)>& function) {
  return trace(types, function).program;
}

TEST(without_dead_code, drops_what_no_output_depends_on_and_keeps_inputs) {
  Program program = traced({row, row}, [](const Arrays& x) {
    Array dead = exp(x[1]);
    (void)(dead * x[0]);
    return Arrays{x[0] + 1};
  });
  EXPECT_EQ(text_of(without_dead_code(program)), "program(%0: f32[3], %1: f32[3]) {\n"
                                                 "  %4: f32[] = constant{value=1}\n"
                                                 "  %5: f32[3] = broadcast_in_dim{to=[3], dims=[]} %4\n"
                                                 "  %6: f32[3] = add %0, %5\n"
                                                 "  return %6\n"
                                                 "}\n");
}

TEST(without_common_subexpressions, keeps_the_first_and_its_place) {
  int line = 0;
  Program program = traced({row, row}, [&](const Arrays& x) {
    line = __LINE__ + 1;
    Array first = x[0] * x[1];
    Array again = x[0] * x[1];
    return Arrays{first + again, x[1] * x[0]};
  });
  Program merged = without_common_subexpressions(program);
  EXPECT_EQ(merged.equations[0].where.line, line);
  EXPECT_EQ(text_of(merged), "program(%0: f32[3], %1: f32[3]) {\n"
                             "  %2: f32[3] = mul %0, %1\n"
                             "  %4: f32[3] = add %2, %2\n"
                             "  %5: f32[3] = mul %1, %0\n"
                             "  return %4, %5\n"
                             "}\n");
}

TEST(without_common_subexpressions, compares_parameters) {
  Program program = traced({row}, [](const Arrays& x) {
    return Arrays{broadcast_to(x[0], {2, 3}), broadcast_to(x[0], {4, 3}), broadcast_to(x[0], {2, 3})};
  });
  EXPECT_EQ(without_common_subexpressions(program).equations.size(), 2U);
}

TEST(with_early_casts, casts_the_small_value) {
  Program program = traced({row}, [](const Arrays& x) {
    return Arrays{cast_to(broadcast_to(x[0], {2, 3}), {axis_a()}, varying)};
  });
  EXPECT_EQ(text_of(with_early_casts(program)),
            "program(%0: f32[3]) {\n"
            "  %2: f32[3]{V:a} = cast{axes='a', from=I, to=V} %0\n"
            "  %3: f32[2,3]{V:a} = broadcast_in_dim{to=[2,3], dims=[1]} %2\n"
            "  return %3\n"
            "}\n");
}

const Sharding rows_over_a{example_mesh(), {{axis_a()}}, {}, {axis_b()}};

TEST(with_borders_as_moves, splits_and_casts_going_in_and_gathers_going_out) {
  Program program = traced({Type(DType::f32, {6})}, [](const Arrays& x) {
    return Arrays{leave(enter(x[0], rows_over_a), rows_over_a)};
  });
  auto none_stays = [](const Equation&) { return false; };
  EXPECT_EQ(text_of(with_borders_as_moves(program, none_stays)),
            "program(%0: f32[6]) {\n"
            "  %1: f32[3]{V:a} = own_block{axes='a', dim=0, stacking=tiled} %0\n"
            "  %2: f32[3]{V:a, R:b} = cast{axes='b', from=I, to=R} %1\n"
            "  %3: f32[3]{V:a} = cast{axes='b', from=R, to=I} %2\n"
            "  %4: f32[6] = all_gather{axes='a', dim=0, stacking=tiled, to=I} %3\n"
            "  return %4\n"
            "}\n");
}

TEST(with_borders_as_moves, leaves_those_that_stay) {
  Program program =
      traced({Type(DType::f32, {6})}, [](const Arrays& x) { return Arrays{enter(x[0], rows_over_a)}; });
  EXPECT_EQ(with_borders_as_moves(program, [](const Equation&) { return true; }), program);
}

}  // namespace
}  // namespace tutti
