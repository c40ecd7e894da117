// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/random/random_distributions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/support/exact_functions.hpp"
#include "tests/support/print.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Draw = std::function<Array(const Key&)>;

Tensor drawn(const Draw& draw, const Mesh& mesh = Mesh()) {
  Key from = key(42);
  auto compiled = open_local(mesh).compile([&](const Key& k) { return draw(k); }, from);
  return compiled(from).tensor();
}

std::string refused(const Draw& draw) {
  return refusal_of(
      [&] { trace({Type(DType::u32, {2})}, [&](const Arrays& x) { return Arrays{draw({x[0]})}; }); });
}

/// In units in the last place of f32, or of `epsilon`.
void expect_close(const Tensor& found, const std::vector<double>& expected, double epsilon = 0x1p-23) {
  ASSERT_EQ(found.elements(), std::ssize(expected));
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(found.at(static_cast<std::int64_t>(i)), expected[i],
                4 * epsilon * std::exp2(std::ilogb(expected[i])));
}

// The numbers are JAX's.

TEST(normal, has_the_numbers_of_jax) {
  auto of = [](DType dtype) { return drawn([=](const Key& k) { return normal(k, {3}, dtype); }); };
  expect_close(of(DType::f32), {-0.02830461598932743, 0.4671318531036377, 0.2957029640674591});
  expect_close(of(DType::f64), {-0.18471174528191162, -2.169824560397754, 0.18693555179382582}, 0x1p-52);
  expect_close(of(DType::f16), {-1.4296875, -0.87548828125, 1.974609375}, 0x1p-10);
  expect_close(of(DType::bf16), {0.34375, 1.015625, 1.890625}, 0x1p-7);
}

// There XLA's formula for erf_inv is 65 to 86 units off, so more exact numbers would be others.
TEST(normal, has_the_numbers_of_jax_far_out) {
  const Tensor found = drawn([](const Key&) { return normal(key(0), {1 << 17}, DType::f32); });
  expect_close(Tensor({4}, {found.at(22315), found.at(55629), found.at(128752), found.at(130852)}),
               {3.7659854888916016, -3.743488311767578, -3.8123772144317627, 3.7317068576812744});
}

/// The largest error of `draw` as a function of `unit`, in units in the last place of f64; where that is
/// beyond 0.9 it is not looked at: 1 - x^2 is rounded there, in JAX as well.
double largest_error(const Draw& draw, const Draw& unit, long double (*exact)(long double)) {
  Tensor found = drawn(draw), from = drawn(unit);
  double most = 0;
  for (std::int64_t i = 0; i < found.elements(); ++i) {
    if (std::abs(from.at(i)) > 0.9) continue;
    long double expected = exact(from.at(i));
    long double error = std::abs((found.at(i) - expected) / std::exp2(std::ilogb(expected)));
    most = std::max(most, static_cast<double>(error) * 0x1p52);
  }
  return most;
}

TEST(normal, of_f64_is_closer_to_the_exact_numbers_than_jax) {
  auto draw = [](const Key& k) { return normal(k, {10'000}, DType::f64); };
  auto unit = [](const Key& k) {
    return uniform(k, {10'000}, DType::f64, {.low = std::nextafter(-1.0, 0.0), .high = 1.0});
  };
  auto exact = [](long double x) { return std::sqrt(2.0L) * exact_value(UnaryFn::erf_inv, x); };
  EXPECT_LT(largest_error(draw, unit, exact), 4);
}

TEST(exponential, of_f64_is_closer_to_the_exact_numbers_than_jax) {
  auto draw = [](const Key& k) { return exponential(k, {10'000}, DType::f64); };
  auto unit = [](const Key& k) { return uniform(k, {10'000}, DType::f64); };
  EXPECT_LT(largest_error(draw, unit, [](long double x) { return -std::log1p(-x); }), 4);
}

TEST(normal, of_complex_numbers_has_parts_of_keys_of_their_own) {
  auto part = [](bool is_real) {
    return drawn([=](const Key& k) {
      Array z = normal(k, {3}, DType::complex64);
      return is_real ? real(z) : imag(z);
    });
  };
  expect_close(part(true), {0.05368746072053909, -0.34389618039131165, 0.9123944640159607});
  expect_close(part(false), {0.4283398389816284, 0.5650094747543335, -0.6427084803581238});
}

TEST(normal, is_always_finite) {
  Tensor many = drawn([](const Key& k) { return normal(k, {100'000}, DType::bf16); });
  for (std::int64_t i = 0; i < many.elements(); ++i) ASSERT_TRUE(std::isfinite(many.at(i))) << i;
}

TEST(normal, refuses_integers) {
  EXPECT_EQ(refused([](const Key& k) { return normal(k, {3}, DType::i32); }),
            "T007: normal: a draw of i32; it is of floats or complex numbers");
}

TEST(truncated_normal, has_the_numbers_of_jax) {
  expect_close(drawn([](const Key& k) { return truncated_normal(k, -1.0, 2.0, {3}, DType::f32); }),
               {0.14770005643367767, 0.5684449076652527, 0.42102551460266113});
}

TEST(truncated_normal, stays_inside_its_bounds_in_every_dtype) {
  for (DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64})
    for (auto [lower, upper] : {std::pair(0.0, 1e-2), std::pair(-3.0, -2.5), std::pair(-1.0, 0.0)}) {
      Tensor found = drawn([&, lower = lower, upper = upper](const Key& k) {
        return truncated_normal(k, lower, upper, {1000}, dtype);
      });
      double from = as_scalar(lower, dtype).at(0), to = as_scalar(upper, dtype).at(0);
      for (std::int64_t i = 0; i < found.elements(); ++i) {
        ASSERT_GT(found.at(i), from) << name(dtype);
        ASSERT_LT(found.at(i), to) << name(dtype);
      }
    }
}

TEST(truncated_normal, takes_infinite_bounds_and_bounds_that_are_arrays) {
  Tensor found = drawn([](const Key& k) {
    Array lower = constant(Tensor(Shape{2, 1}, std::vector<float>{-INFINITY, 1}));
    return truncated_normal(k, lower, INFINITY, {2, 50}, DType::f32);
  });
  for (std::int64_t i = 0; i < 50; ++i) {
    EXPECT_TRUE(std::isfinite(found.at(i)));
    EXPECT_GT(found.at(50 + i), 1);
  }
  EXPECT_EQ(refused([](const Key& k) {
              return truncated_normal(k, full({2}, 0.0, DType::f32), 1.0, {3}, DType::f32);
            }),
            "T005: truncated_normal: shapes [3] and [2] do not broadcast: 3 and 2 in dim 1 from the end; "
            "sizes must be "
            "equal, or 1");
}

TEST(exponential, has_the_numbers_of_jax) {
  expect_close(drawn([](const Key& k) { return exponential(k, {3}, DType::f32); }),
               {0.670817494392395, 1.1388006210327148, 0.9578199982643127});
  EXPECT_EQ(refused([](const Key& k) { return exponential(k, {3}, DType::u8); }),
            "T007: exponential: a draw of u8; it is of floats: f16, bf16, f32, f64");
}

TEST(gumbel, has_the_numbers_of_jax) {
  expect_close(drawn([](const Key& k) { return gumbel(k, {3}, DType::f32); }),
               {0.3340933918952942, 0.952019453048706, 0.7255305647850037});
}

Array two_distributions() { return constant(Tensor(Shape{2, 3}, std::vector<float>{0, 1, 2, 2, 1, 0})); }

TEST(categorical, has_the_classes_of_jax) {
  EXPECT_EQ(drawn([](const Key& k) { return categorical(k, two_distributions()); }),
            Tensor(Shape{2}, std::vector<std::int32_t>{2, 0}));
  EXPECT_EQ(drawn([](const Key& k) { return categorical(k, two_distributions(), {.shape = Shape{3, 2}}); }),
            Tensor(Shape{3, 2}, std::vector<std::int32_t>{2, 0, 2, 0, 1, 0}));
}

TEST(categorical, of_a_block_of_logits_draws_a_block) {
  Mesh mesh({{"x", 2}});
  auto logits = [] { return reshape(sin(arange(48, DType::f32)), {4, 3, 4}); };
  auto whole = [&](const Key& k) { return categorical(k, logits(), {.dim = 1}); };
  auto blocks = [&](const Key& k) {
    return shard_map([](const Key& each,
                        const Array& x) { return categorical(each, x, {.dim = 1, .block = P("x")}); },
                     {.mesh = mesh, .in = Specs{P(), P("x")}, .out = P("x")})(k, logits());
  };
  EXPECT_EQ(drawn(blocks, mesh), drawn(whole));
}

TEST(categorical, refuses_integers_and_shapes_that_do_not_fit) {
  EXPECT_EQ(refused([](const Key& k) { return categorical(k, arange(3, DType::i32)); }),
            "T007: categorical: the logits are i32[3]; convert them: convert(logits, DType::f32)");
  EXPECT_EQ(refused([](const Key& k) { return categorical(k, two_distributions(), {.dim = 2}); }),
            "T006: categorical: dim 2 is out of range for f32[2,3], which has dims -2 to 1");
  EXPECT_EQ(refused([](const Key& k) { return categorical(k, two_distributions(), {.shape = Shape{}}); }),
            "T005: categorical: .shape [] for logits f32[2,3] with classes along dim 1; it is [more.., 2]");
}

TEST(dropout, scales_what_bernoulli_keeps) {
  Tensor found = drawn([](const Key& k) { return dropout(k, full({1000}, 3.0, DType::f64), 0.25); });
  Tensor kept = drawn([](const Key& k) { return bernoulli(k, full({}, 0.75, DType::f32), {1000}); });
  int count = 0;
  for (std::int64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(found.at(i), kept.at(i) != 0 ? 4.0 : 0.0);
    count += kept.at(i) != 0;
  }
  EXPECT_GT(count, 700);
  EXPECT_LT(count, 800);
}

TEST(dropout, of_rate_0_and_1_keeps_all_and_nothing) {
  EXPECT_EQ(drawn([](const Key& k) { return dropout(k, full({2}, INFINITY, DType::f32), 1); }),
            Tensor(Shape{2}, std::vector<float>{0, 0}));
  EXPECT_EQ(drawn([](const Key& k) { return dropout(k, full({2}, 3.0, DType::f32), 0); }),
            Tensor(Shape{2}, std::vector<float>{3, 3}));
}

TEST(dropout, of_a_block_drops_the_places_of_the_whole) {
  Mesh mesh({{"x", 2}, {"y", 2}});
  P spec("x", "y");
  auto ones_of = [] { return ones({4, 6}, DType::f32); };
  auto whole = [&](const Key& k) { return dropout(k, ones_of(), 0.5); };
  auto blocks = [&](const Key& k) {
    return shard_map([&](const Key& each, const Array& x) { return dropout(each, x, 0.5, {.block = spec}); },
                     {.mesh = mesh, .in = Specs{P(), spec}, .out = spec})(k, ones_of());
  };
  EXPECT_EQ(drawn(blocks, mesh), drawn(whole));
}

TEST(dropout, keeps_the_state_of_what_it_drops) {
  Mesh mesh({{"x", 2}});
  for (const P& spec : {P("x"), P(), P().unreduced({"x"}), P().reduced({"x"})})
    EXPECT_NO_THROW(program_text({Type(DType::u32, {2}), Type(DType::f32, {4})}, [&](const Arrays& x) {
      auto body = [](const Array& k, const Array& values) { return dropout({k}, values, 0.5); };
      return shard_map(body, {.mesh = mesh, .in = Specs{P(), spec}, .out = spec})(x[0], x[1]);
    }));
}

TEST(dropout, has_the_derivative_of_what_it_keeps) {
  Draw gradient = [](const Key& k) {
    auto loss = [&](const Array& x) { return reduce_sum(dropout(k, x, 0.5)); };
    return grad(loss)(full({100}, 7.0, DType::f32));
  };
  EXPECT_EQ(drawn(gradient), drawn([](const Key& k) { return dropout(k, ones({100}, DType::f32), 0.5); }));
}

TEST(dropout, refuses_other_rates_and_integers) {
  EXPECT_EQ(refused([](const Key& k) { return dropout(k, ones({2}, DType::f32), 1.5); }),
            "T008: dropout: a rate of 1.5; it is from 0 to 1");
  EXPECT_EQ(refused([](const Key& k) { return dropout(k, ones({2}, DType::f32), NAN); }),
            "T008: dropout: a rate of nan; it is from 0 to 1");
  EXPECT_EQ(refused([](const Key& k) { return dropout(k, ones({2}, DType::i32), 0.5); }),
            "T007: dropout: i32[2] is not of floats; convert it: convert(x, DType::f32)");
}

}  // namespace
}  // namespace tutti
