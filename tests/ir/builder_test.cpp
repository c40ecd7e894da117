// SPDX-License-Identifier: Apache-2.0
#include "tutti/ir/builder.hpp"

#include <gtest/gtest.h>

#include "tests/support/tracing.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Type f32(DType::f32, {4});
const Mesh mesh({{"data", 4}, {"model", 2}});
const Axis data = mesh.axes()[0];

TEST(builder, is_the_current_one_of_its_thread_while_it_lives) {
  EXPECT_EQ(Builder::current_or_null(), nullptr);
  {
    Builder outer;
    EXPECT_EQ(&Builder::current(), &outer);
    {
      Builder inner;
      EXPECT_EQ(&Builder::current(), &inner);
    }
    EXPECT_EQ(&Builder::current(), &outer);
  }
  EXPECT_EQ(Builder::current_or_null(), nullptr);
}

TEST(builder, is_strict) {
  Builder builder;
  Array x = builder.input(f32.with(data, varying)), y = builder.input(f32);
  EXPECT_EQ(refusal_of([&] { builder.add(Binary{BinaryFn::add}, {x, y}); }),
            "T004: add: the right operand is equal on all devices along 'data' (f32[4]), the other operands "
            "need it "
            "different on each device; cast it first");
}

TEST(builder, after_a_refusal_has_recorded_nothing) {
  Builder builder;
  Array x = builder.input(f32);
  EXPECT_ANY_THROW(builder.add(Binary{BinaryFn::logical_and}, {x, x}));
  EXPECT_EQ(to_string(builder.finish({x})), "program(%0: f32[4]) {\n  return %0\n}\n");
}

TEST(builder, captures_a_value_of_an_enclosing_trace_once) {
  Builder outer;
  Array x = outer.input(f32);
  Builder inner;
  Array y = inner.input(f32);
  Array sum = y + x + x;
  EXPECT_EQ(inner.captured().size(), 1U);
  EXPECT_EQ(*inner.captured()[0].traced(), *x.traced());
  Program program = inner.finish({sum});
  EXPECT_EQ(program.inputs.size(), 2U);
  EXPECT_EQ(program.equations[0].operands, (std::vector<Var>{0, 1}));
}

TEST(builder, captures_through_every_trace_between) {
  Builder outer;
  Array x = outer.input(f32);
  Builder middle;
  {
    Builder inner;
    Array y = -x;
    EXPECT_EQ(inner.finish({y}).inputs.size(), 1U);
    EXPECT_EQ(middle.captured().size(), 1U);
    EXPECT_NE(*inner.captured()[0].traced(), *x.traced());  // it is the middle's
  }
  EXPECT_EQ(*middle.captured()[0].traced(), *x.traced());
  EXPECT_TRUE(outer.captured().empty());
}

TEST(builder, makes_data_a_hidden_input_of_the_outermost_trace_once) {
  Array values = Tensor({4}, std::vector<float>{1, 2, 3, 4});
  Builder outer;
  Array x = outer.input(f32);
  Array sum = x + values;
  {
    Builder inner;
    inner.finish({-values});
  }
  EXPECT_EQ(outer.captured().size(), 1U);
  EXPECT_EQ(outer.captured()[0].data(), values.data());
  EXPECT_EQ(to_string(outer.finish({sum})).substr(0, 34), "program(%0: f32[4], %1: f32[4]) {\n");
}

TEST(builder, of_a_vmap_body_captures_what_varies_over_its_axis) {
  Builder outer;
  Array x = outer.input(f32.with(data, reduced));
  Axis lanes = fresh_axis("lanes", 3);
  Builder body(Axes{lanes});
  EXPECT_EQ(to_string(body.own(x).type()), "f32[4]{R:data, V:lanes}");
}

TEST(builder, casts_a_value_once_per_state) {
  EXPECT_EQ(program_text({f32.with(data, varying), f32},
                         [](const Arrays& x) {
                           Array first = (x[0] + x[1]) * x[1];
                           return first + pcast(x[1], Axes{data}, reduced);
                         }),
            "program(%0: f32[4]{V:data}, %1: f32[4]) {\n"
            "  %2: f32[4]{V:data} = cast{axes='data', from=I, to=V} %1\n"
            "  %3: f32[4]{V:data} = add %0, %2\n"
            "  %4: f32[4]{V:data} = mul %3, %2\n"
            "  %5: f32[4]{R:data} = cast{axes='data', from=I, to=R} %1\n"
            "  %6: f32[4]{V:data} = cast{axes='data', from=R, to=V} %5\n"
            "  %7: f32[4]{V:data} = add %4, %6\n"
            "  return %7\n"
            "}\n");
}

TEST(builder, casts_a_value_to_the_state_of_each_use) {
  EXPECT_EQ(program_text({f32.with(data, varying), f32.with(data, reduced), f32},
                         [](const Arrays& x) {
                           Array first = x[0] + x[2];
                           return first * (x[1] + x[2]);
                         }),
            "program(%0: f32[4]{V:data}, %1: f32[4]{R:data}, %2: f32[4]) {\n"
            "  %3: f32[4]{V:data} = cast{axes='data', from=I, to=V} %2\n"
            "  %4: f32[4]{V:data} = add %0, %3\n"
            "  %5: f32[4]{R:data} = cast{axes='data', from=I, to=R} %2\n"
            "  %6: f32[4]{R:data} = add %1, %5\n"
            "  %7: f32[4]{V:data} = cast{axes='data', from=R, to=V} %6\n"
            "  %8: f32[4]{V:data} = mul %4, %7\n"
            "  return %8\n"
            "}\n");
}

TEST(builder, binds_axes_outermost_first) {
  Builder outer;
  auto grid = outer.bind(mesh.axes());
  Axis lanes = fresh_axis("lanes", 3);
  Builder inner;
  auto bound = inner.bind({lanes});
  EXPECT_EQ(to_string(inner.bound_axes()), "('data', 'model', 'lanes')");
  EXPECT_EQ(AxisNames({"lanes", "data"}).resolve(), (Axes{lanes, data}));
}

TEST(builder, unbinds_axes_at_the_end_of_their_scope) {
  Builder builder;
  {
    auto bound = builder.bind(mesh.axes());
  }
  EXPECT_TRUE(builder.bound_axes().empty());
  EXPECT_EQ(refusal_of([] { AxisNames("data").resolve(); }),
            "T001: axis 'data' is not bound here; bound: none. Bind it with shard_map over a mesh that has "
            "it, or with vmap(f, {.axis = \"data\"})");
}

// --- Places ------------------------------------------------------------------------------------------------

Array twice(const Array& x, Where where) {
  return front_end("twice", where, [&] { return x + x; });
}

TEST(place, of_nested_functions_is_the_outermost_ones) {
  Builder builder;
  Array x = builder.input(f32);
  Array y = front_end("four_times", {"user.cpp", 3},
                      [&] { return twice(twice(x, {"lib.cpp", 1}), {"lib.cpp", 2}); });
  for (const Equation& equation : builder.finish({y}).equations)
    EXPECT_EQ(to_string(equation.where), "user.cpp:3");
}

TEST(place, that_is_unknown_wins_too_if_it_is_the_outermost_ones) {
  Builder builder;
  Array x = builder.input(f32);
  Array y = front_end("rule", {}, [&] { return twice(x, {"lib.cpp", 1}); });
  EXPECT_FALSE(builder.finish({y}).equations[0].where.known());
}

TEST(place, of_an_outer_trace_holds_in_an_inner_one) {
  Builder outer;
  outer.input(f32);
  auto scope = outer.on_behalf_of({{"user.cpp", 3}, "scan"});
  Builder inner;
  Array y = twice(inner.input(f32), {"lib.cpp", 1});
  EXPECT_EQ(to_string(inner.finish({y}).equations[0].where), "user.cpp:3");
}

TEST(place, of_a_replayed_equation_is_its_own) {
  Builder builder;
  Array x = builder.input(f32);
  Program program =
      trace({f32}, [](const Arrays& y) { return Arrays{twice(y[0], {"user.cpp", 3})}; }).program;
  Array y = front_end("grad", {"user.cpp", 9}, [&] { return inline_program(program, {x})[0]; });
  EXPECT_EQ(to_string(builder.finish({y}).equations[0].where), "user.cpp:3");
}

TEST(place, and_name_of_an_error_are_the_outermost_ones) {
  Builder builder;
  Array x = builder.input(Type(DType::boolean, {4}));
  auto fails = [&] {
    front_end("four_times", {"user.cpp", 3}, [&] { return exp(twice(x, {"lib.cpp", 1})); });
  };
  try {
    fails();
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "user.cpp:3: four_times: bool[4] is not float; convert it: convert(x, DType::f32)");
  }
}

TEST(inlining, repeats_the_equations_on_other_arguments) {
  Program program = trace({f32, f32}, [](const Arrays& x) { return Arrays{x[0] * x[1], x[0]}; }).program;
  EXPECT_EQ(program_text({f32}, [&](const Arrays& x) { return inline_program(program, {-x[0], x[0]})[0]; }),
            "program(%0: f32[4]) {\n"
            "  %1: f32[4] = neg %0\n"
            "  %2: f32[4] = mul %1, %0\n"
            "  return %2\n"
            "}\n");
}

TEST(inlining, checks_the_arguments) {
  Program program = trace({f32}, [](const Arrays& x) { return x; }).program;
  Builder builder;
  Array other = builder.input(Type(DType::f32, {5}));
  EXPECT_EQ(refusal_of([&] { inline_program(program, {other}); }),
            "I001: argument 0 is f32[5], the program takes f32[4]");
  EXPECT_EQ(refusal_of([&] { inline_program(program, {}); }), "I001: 0 arguments for a program of 1 input");
}

}  // namespace
}  // namespace tutti
