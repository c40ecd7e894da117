// SPDX-License-Identifier: Apache-2.0
// Law: one cast per value and state, so that a parameter costs one all_reduce in a gradient however often it
// is used.
#include "tests/laws/law.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/recorded.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/transform/vjp.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Axis& axis_a() { return example_mesh().axes()[0]; }
const Axis& axis_b() { return example_mesh().axes()[1]; }

using Function = Array (*)(const Array& x, const Array& w);

// The gradient by w, equal on all devices, of a sum over a of what varies with x.
int all_reduces_in_gradient(Function function, Type x, Type w) {
  Program program = trace({x, w}, [&](const Arrays& in) {
                      return Arrays{psum(reduce_sum(function(in[0], in[1])), Axes{axis_a()})};
                    }).program;
  return count(vjp(program, {false, true}), "all_reduce");
}

const Type batch_x = Type(DType::f64, {6, 4}).with(axis_a(), varying);
const Type weights(DType::f64, {4});
constexpr int of_the_loss = 1;

TEST(casts, of_a_parameter_that_is_used_once_cost_one_all_reduce) {
  EXPECT_EQ(all_reduces_in_gradient([](const Array& x, const Array& w) { return x * w; }, batch_x, weights),
            of_the_loss + 1);
}
TEST(casts, of_a_parameter_that_is_used_three_times_cost_one_all_reduce) {
  Function function = [](const Array& x, const Array& w) { return (exp(x * w) + w) * w; };
  EXPECT_EQ(all_reduces_in_gradient(function, batch_x, weights), of_the_loss + 1);
}
TEST(casts, of_a_parameter_that_is_repeated_first_cost_one_all_reduce_of_the_small_value) {
  Type x = batch_x;
  Program program = trace({x, weights}, [](const Arrays& in) {
                      return Arrays{psum(reduce_sum(in[0] * in[1] + exp(in[1])), Axes{axis_a()})};
                    }).program;
  Program gradient = vjp(program, {false, true});
  for (const Equation& equation : gradient.equations)
    if (equation.op->name() == "all_reduce") {
      EXPECT_LE(gradient.type(equation.operands[0]).elements(), 4);
    }
}
TEST(casts, of_a_reduced_parameter_cost_none) {
  Function function = [](const Array& x, const Array& w) { return x * w + w; };
  EXPECT_EQ(all_reduces_in_gradient(function, batch_x, weights.with(axis_a(), reduced)), of_the_loss);
}
TEST(casts, to_two_states_cost_one_each) {
  Program program = trace({batch_x, weights.with(axis_a(), unreduced), weights}, [](const Arrays& in) {
                      Array terms = psum(in[1] * in[2], Axes{axis_a()});  // w is R, the other operand a sum
                      return Arrays{psum(reduce_sum(in[0] * in[2]), Axes{axis_a()}) + reduce_sum(terms)};
                    }).program;
  EXPECT_EQ(count(vjp(program, {false, false, true}), "all_reduce"), 2 + 2);
}
TEST(casts, over_two_axes_at_once_are_one) {
  Type x = batch_x.with(axis_b(), varying);
  Program program = trace({x, weights}, [](const Arrays& in) {
                      return Arrays{psum(reduce_sum(in[0] * in[1] * in[1]), Axes{axis_a(), axis_b()})};
                    }).program;
  EXPECT_EQ(count(vjp(program, {false, true}), "all_reduce"), of_the_loss + 1);
}
TEST(casts, are_needed_in_a_program_that_was_traced_with_a_gradient_inside) {
  const NamedProgram& step = composed_programs()[0];
  ASSERT_EQ(step.name, "digits_step");
  // w1, b1, w2 and b2 over a; the logits over b; the loss over a.
  EXPECT_EQ(count(step.program, "all_reduce"), 4 + 1 + 1) << to_string(step.program);
}

// The planted defect: a cast at every use. Of other values each, or they would be found to be the same.
TEST(casts, made_at_every_use_are_counted) {
  Function function = [](const Array& x, const Array& w) {
    auto cast = [&](int use) { return pcast(w * use, Axes{axis_a()}, varying); };
    return (exp(x * cast(1)) + cast(2)) * cast(3);
  };
  EXPECT_EQ(all_reduces_in_gradient(function, batch_x, weights), of_the_loss + 3);
}

}  // namespace
}  // namespace tutti
