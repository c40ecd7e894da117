// SPDX-License-Identifier: Apache-2.0
#include "tutti/api/derivatives.hpp"

#include <gtest/gtest.h>

#include "tests/ops/worked.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Type f32(DType::f32, {4});
Array sum_of_squares(Array x) { return reduce_sum(x * x); }

std::string text_of(const std::function<Array(Array)>& f) {
  return program_text({f32}, [&](const Arrays& x) { return f(x[0]); });
}

TEST(grad, of_a_sum_is_a_small_program) {
  EXPECT_EQ(text_of(grad([](Array x) { return reduce_sum(x); })),
            "program(%0: f32[4]) {\n"
            "  %1: f32[] = constant{value=1}\n"
            "  %2: f32[] = reduce_sum{dims=[0]} %0\n"
            "  %3: f32[4] = broadcast_in_dim{to=[4], dims=[]} %1\n"
            "  return %3\n"
            "}\n");
}

TEST(grad, of_a_product_counts_both_factors) {
  EXPECT_EQ(text_of(grad(sum_of_squares)), "program(%0: f32[4]) {\n"
                                           "  %1: f32[] = constant{value=1}\n"
                                           "  %2: f32[4] = mul %0, %0\n"
                                           "  %3: f32[] = reduce_sum{dims=[0]} %2\n"
                                           "  %4: f32[4] = broadcast_in_dim{to=[4], dims=[]} %1\n"
                                           "  %5: f32[4] = mul %0, %4\n"
                                           "  %6: f32[4] = mul %4, %0\n"
                                           "  %7: f32[4] = add %5, %6\n"
                                           "  return %7\n"
                                           "}\n");
}

TEST(grad, by_a_tree_is_a_tree) {
  struct Params {
    Array w, b;
  };
  Builder builder;
  Array x = builder.input(f32);
  Params params{builder.input(f32), builder.input(Type(DType::f32, {}))};
  Params gradient = grad([&](const Params& p) { return reduce_sum(p.w * x) + p.b; })(params);
  EXPECT_EQ(gradient.w.type(), f32);
  EXPECT_EQ(gradient.b.type(), Type(DType::f32, {}));
}

TEST(grad, is_by_the_first_argument) {
  Builder builder;
  Array x = builder.input(f32), labels = builder.input(Type(DType::i32, {4}));
  Array gradient = grad([](Array y, Array i) { return reduce_sum(y * convert(i, DType::f32)); })(x, labels);
  EXPECT_EQ(gradient.type(), f32);
}

TEST(grad, of_what_does_not_depend_on_it_is_zero) {
  EXPECT_EQ(text_of(grad([](Array) { return zeros({}, DType::f32); })),
            "program(%0: f32[4]) {\n"
            "  %1: f32[] = constant{value=1}\n"
            "  %2: f32[] = constant{value=0}\n"
            "  %3: f32[] = constant{value=0}\n"
            "  %4: f32[4] = broadcast_in_dim{to=[4], dims=[]} %3\n"
            "  return %4\n"
            "}\n");
}

TEST(grad, of_a_varying_loss_is_that_of_the_sum_over_devices) {
  Mesh mesh({{"data", 4}});
  Type part = f32.with(mesh.axes()[0], varying);
  EXPECT_EQ(program_text({f32, part},
                         [](const Arrays& x) {
                           auto loss = [&](Array w) { return reduce_sum(w * x[1]); };
                           return grad(loss)(x[0]);
                         }),
            "program(%0: f32[4], %1: f32[4]{V:data}) {\n"
            "  %2: f32[] = constant{value=1}\n"
            "  %3: f32[]{V:data} = cast{axes='data', from=I, to=V} %2\n"
            "  %4: f32[4]{V:data} = cast{axes='data', from=I, to=V} %0\n"
            "  %5: f32[4]{V:data} = mul %4, %1\n"
            "  %6: f32[]{V:data} = reduce_sum{dims=[0]} %5\n"
            "  %7: f32[4]{V:data} = broadcast_in_dim{to=[4], dims=[]} %3\n"
            "  %8: f32[4]{V:data} = mul %7, %1\n"
            "  %9: f32[4] = all_reduce{kind=sum, axes='data'} %8\n"
            "  return %9\n"
            "}\n");
}

TEST(grad, nests) {
  EXPECT_EQ(text_of(grad([](Array x) { return reduce_sum(grad(sum_of_squares)(x)); })),
            "program(%0: f32[4]) {\n"
            "  %1: f32[] = constant{value=1}\n"
            "  %2: f32[] = constant{value=1}\n"
            "  %3: f32[4] = broadcast_in_dim{to=[4], dims=[]} %2\n"
            "  %4: f32[4] = mul %0, %3\n"
            "  %5: f32[4] = mul %3, %0\n"
            "  %6: f32[4] = add %4, %5\n"
            "  %7: f32[] = reduce_sum{dims=[0]} %6\n"
            "  %8: f32[4] = broadcast_in_dim{to=[4], dims=[]} %1\n"
            "  %9: f32[4] = mul %3, %8\n"
            "  %10: f32[4] = mul %8, %3\n"
            "  %11: f32[4] = add %9, %10\n"
            "  return %11\n"
            "}\n");
}

TEST(grad, puts_the_sum_over_devices_at_the_line_that_caused_it) {
  Mesh mesh({{"data", 4}});
  int line = 0;
  Program program = trace({f32, f32.with(mesh.axes()[0], varying)}, [&](const Arrays& x) {
                      auto loss = [&](Array w) {
                        line = __LINE__ + 1;
                        return reduce_sum(w + x[1]);
                      };
                      return Arrays{grad(loss)(x[0])};
                    }).program;
  std::vector<std::string> places;
  for (const Equation& equation : program.equations)
    if (equation.op->name() == "all_reduce") places.push_back(to_string(equation.where));
  EXPECT_EQ(places, std::vector{"tests/api/derivatives_test.cpp:" + std::to_string(line)});
}

TEST(value_and_grad, gives_both) {
  Builder builder;
  auto [value, gradient] = value_and_grad(sum_of_squares)(builder.input(f32));
  EXPECT_EQ(value.type(), Type(DType::f32, {}));
  EXPECT_EQ(gradient.type(), f32);
}

TEST(value_and_grad, does_not_differentiate_auxiliary_results) {
  auto loss = [](const Array& x) {
    auto below = [](Array v) { return reduce_sum(v) < 30; };
    auto twice = [](Array v) { return 2 * v; };
    return std::tuple{reduce_sum(x * x), argmax(x * x), while_loop(below, twice, x)};
  };
  auto all = [&](Array x) {
    auto [value, gradient] = value_and_grad(loss)(x);
    return gradient + convert(std::get<1>(value), DType::f32) + std::get<2>(value);
  };
  EXPECT_EQ(of_whole(line(1), all, {3}, {1, 5, 2}),
            Tensor({3}, std::vector<float>{7, 31, 13}));  // 2x + 1 + 4x
}

TEST(value_and_grad, hands_auxiliary_results_through) {
  Builder builder;
  auto loss = [](Array x) { return std::tuple{reduce_sum(x), x > 0, std::vector{x, x * x}}; };
  auto [results, gradient] = value_and_grad(loss)(builder.input(f32));
  EXPECT_EQ(std::get<1>(results).type(), Type(DType::boolean, {4}));
  EXPECT_EQ(std::get<2>(results).size(), 2U);
  EXPECT_EQ(gradient.type(), f32);
}

TEST(jvp, gives_results_and_their_change) {
  EXPECT_EQ(text_of([](Array x) { return jvp(sum_of_squares, std::tuple{x}, std::tuple{x}).second; }),
            "program(%0: f32[4]) {\n"
            "  %1: f32[4] = mul %0, %0\n"
            "  %2: f32[4] = mul %0, %0\n"
            "  %3: f32[4] = mul %0, %0\n"
            "  %4: f32[4] = add %2, %3\n"
            "  %5: f32[] = reduce_sum{dims=[0]} %1\n"
            "  %6: f32[] = reduce_sum{dims=[0]} %4\n"
            "  return %6\n"
            "}\n");
}

TEST(jvp, has_zeros_where_nothing_changes) {
  EXPECT_EQ(text_of([](Array x) {
              auto constant_too = [](Array y) { return std::pair{y, ones_like(y)}; };
              return jvp(constant_too, std::tuple{x}, std::tuple{x}).second.second;
            }),
            "program(%0: f32[4]) {\n"
            "  %1: f32[] = constant{value=1}\n"
            "  %2: f32[4] = broadcast_in_dim{to=[4], dims=[]} %1\n"
            "  %3: f32[4] = zero_tangent\n"
            "  return %3\n"
            "}\n");
}

TEST(jvp, takes_tangents_in_wider_states) {
  Mesh mesh({{"data", 4}});
  Type part = f32.with(mesh.axes()[0], varying);
  EXPECT_EQ(program_text({part, f32},
                         [](const Arrays& x) {
                           return jvp([](Array y) { return -y; }, std::tuple{x[0]}, std::tuple{x[1]}).second;
                         }),
            "program(%0: f32[4]{V:data}, %1: f32[4]) {\n"
            "  %2: f32[4]{V:data} = cast{axes='data', from=I, to=V} %1\n"
            "  %3: f32[4]{V:data} = neg %0\n"
            "  %4: f32[4]{V:data} = neg %2\n"
            "  return %4\n"
            "}\n");
}

TEST(vjp, pulls_cotangents_back) {
  EXPECT_EQ(text_of([](Array x) {
              auto [y, pullback] = vjp([](Array z) { return z * z; }, std::tuple{x});
              return std::get<0>(pullback(y));
            }),
            "program(%0: f32[4]) {\n"
            "  %1: f32[4] = mul %0, %0\n"
            "  %2: f32[4] = mul %0, %1\n"
            "  %3: f32[4] = mul %1, %0\n"
            "  %4: f32[4] = add %2, %3\n"
            "  return %4\n"
            "}\n");
}

TEST(vjp, may_be_pulled_back_several_times) {
  Builder builder;
  Array x = builder.input(f32);
  auto [y, pullback] = vjp([](Array a, Array b) { return std::pair{a * b, a + b}; }, std::tuple{x, x});
  auto first = pullback({x, x}), second = pullback({y.first, x});
  EXPECT_EQ(std::get<0>(first).type(), f32);
  EXPECT_EQ(std::get<1>(second).type(), f32);
}

TEST(vjp, gives_zeros_for_arguments_that_are_no_floats) {
  Builder builder;
  Array x = builder.input(f32), i = builder.input(Type(DType::i32, {4}));
  auto [y, pullback] = vjp([](Array a, Array b) { return a * convert(b, DType::f32); }, std::tuple{x, i});
  EXPECT_EQ(std::get<1>(pullback(y)).type(), Type(DType::i32, {4}));
}

TEST(vjp, takes_cotangents_in_the_dual_states) {
  Mesh mesh({{"data", 4}});
  Builder builder;
  Array x = builder.input(f32.with(mesh.axes()[0], unreduced));
  auto [y, pullback] = vjp([](Array a) { return 2 * a; }, std::tuple{x});
  EXPECT_EQ(to_string(std::get<0>(pullback(builder.input(f32))).type()), "f32[4]{R:data}");
}

}  // namespace
}  // namespace tutti
