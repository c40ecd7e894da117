// SPDX-License-Identifier: Apache-2.0
// The states of control flow, and how it is printed.
#include <gtest/gtest.h>

#include "tests/support/tracing.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Pair = std::pair<Array, Array>;

const Axis a = example_mesh().axes()[0], b = example_mesh().axes()[1];
const Type row(DType::f32, {3});

Type result_type(const Types& types, const std::function<Array(const Arrays&)>& function) {
  Program program = trace(types, [&](const Arrays& x) { return Arrays{function(x)}; }).program;
  check(program);
  return program.type(program.outputs[0]);
}

TEST(cond_states, of_results_are_joined) {
  Type predicate(DType::boolean, {});
  auto chosen = [&](Type one, Type other) {
    return result_type({predicate, one, other}, [](const Arrays& x) {
      return cond(x[0], [&] { return x[1]; }, [&] { return x[2]; });
    });
  };
  EXPECT_EQ(chosen(row, row.with(a, varying)), row.with(a, varying));
  EXPECT_EQ(chosen(row, row.with(a, reduced)), row.with(a, reduced));
  EXPECT_EQ(chosen(row.with(a, varying), row.with(b, reduced)), row.with(a, varying).with(b, reduced));
  EXPECT_EQ(chosen(row.with(a, unreduced), row.with(a, unreduced)), row.with(a, unreduced));
}

TEST(cond_states, vary_where_the_predicate_does) {
  Type predicate(DType::boolean, {}, {{a, varying}});
  EXPECT_EQ(result_type({predicate, row},
                        [](const Arrays& x) {
                          return cond(x[0], [&] { return x[1]; }, [&] { return 2.0F * x[1]; });
                        }),
            row.with(a, varying));
}

TEST(scan_states, of_carries_are_joined_until_they_stay) {
  int calls = 0;
  // V comes into the first carry in the first trip, and into the second one in the next.
  EXPECT_EQ(result_type({row, row, row.with(a, varying).inserted(Dim{0}, 4)},
                        [&](const Arrays& x) {
                          auto step = [&](const Pair& c, const Array& y) -> std::pair<Pair, std::tuple<>> {
                            ++calls;
                            return {{c.first + y, c.second + c.first}, {}};
                          };
                          return scan(step, Pair{x[0], x[1]}, x[2]).first.second;
                        }),
            row.with(a, varying));
  EXPECT_EQ(calls, 3);
}

TEST(while_states, of_carries_vary_where_the_test_does) {
  Type number(DType::i32, {});
  EXPECT_EQ(result_type({number.with(b, varying), row},
                        [](const Arrays& x) {
                          auto goes_on = [](const Pair& c) { return c.first < 5; };
                          auto trip = [](const Pair& c) { return Pair{c.first + 1, c.second * 2.0F}; };
                          return while_loop(goes_on, trip, Pair{x[0], x[1]}).second;
                        }),
            row.with(b, varying));
}

TEST(printed_program, has_its_sub_programs_below_their_op) {
  EXPECT_EQ(program_text({Type(DType::f32, {}), Type(DType::f32, {4})},
                         [](const Arrays& x) {
                           auto step = [&](Array c, Array y) -> Pair { return {c * x[0], c + y}; };
                           return scan(step, x[0], x[1]).second;
                         }),
            "program(%0: f32[], %1: f32[4]) {\n"
            "  %2: f32[], %3: f32[4] = scan{length=4, consts=1, carries=1} %0, %0, %1\n"
            "    program(%0: f32[], %1: f32[], %2: f32[]) {\n"
            "      %3: f32[] = mul %1, %0\n"
            "      %4: f32[] = add %1, %2\n"
            "      return %3, %4\n"
            "    }\n"
            "  return %3\n"
            "}\n");
}

TEST(closed_over_values, are_operands_once) {
  EXPECT_EQ(program_text({Type(DType::boolean, {}), row},
                         [](const Arrays& x) {
                           return cond(x[0], [&] { return x[1] + x[1]; }, [&] { return x[1] * x[1]; });
                         }),
            "program(%0: bool[], %1: f32[3]) {\n"
            "  %2: i32[] = convert{to=i32} %0\n"
            "  %3: f32[3] = switch{branches=2} %2, %1\n"
            "    program(%0: f32[3]) {\n"
            "      %1: f32[3] = mul %0, %0\n"
            "      return %1\n"
            "    }\n"
            "    program(%0: f32[3]) {\n"
            "      %1: f32[3] = add %0, %0\n"
            "      return %1\n"
            "    }\n"
            "  return %3\n"
            "}\n");
}

}  // namespace
}  // namespace tutti
