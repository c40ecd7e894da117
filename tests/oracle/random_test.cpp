// SPDX-License-Identifier: Apache-2.0
// Random functions against jax.random: bit for bit where they are uniform, else within 4 units in the last
// place.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/support/oracle.hpp"
#include "tests/support/values.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

// The lists of jax_random.py.
const std::vector<Shape> shapes{{}, {0, 3}, {3, 1, 7}, {1000}}, few{{}, {0, 3}, {700}};
const std::vector<DType> unsigned_dtypes{DType::u8, DType::u16, DType::u32, DType::u64};
const std::vector<DType> integers{DType::i8, DType::i16, DType::i32, DType::i64,
                                  DType::u8, DType::u16, DType::u32, DType::u64};
const std::vector<DType> floats{DType::f16, DType::bf16, DType::f32, DType::f64};

using Draws = std::function<Arrays(const Array& seed)>;

Tensors drawn(const Draws& draws, std::int64_t seed) {
  Array argument(Tensor::scalar(seed));
  Tensors results;
  for (const Array& result : open_local(Mesh()).compile(draws, argument)(argument))
    results.push_back(result.tensor());
  return results;
}

/// True for the same numbers: JAX's indices are i64.
bool is_equal(const Tensor& ours, const Tensor& theirs) {
  if (ours.dtype() == theirs.dtype()) return ours == theirs;
  if (ours.dtype() != DType::i32 || theirs.dtype() != DType::i64 || ours.shape() != theirs.shape())
    return false;
  for (std::int64_t i = 0; i < ours.elements(); ++i)
    if (ours.at(i) != theirs.at(i)) return false;
  return true;
}

/// The largest distance, in units in the last place of theirs, or of `least` where they are smaller.
double ulps_between(const Tensor& ours, const Tensor& theirs, double least) {
  if (ours.dtype() != theirs.dtype() || ours.shape() != theirs.shape()) return INFINITY;
  double most = 0;
  for (std::int64_t i = 0; i < ours.elements(); ++i) {
    double a = ours.at(i), b = theirs.at(i);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    most = std::max(most, std::abs(a - b) /
                              (epsilon(ours.dtype()) * std::exp2(std::ilogb(std::max(std::abs(b), least)))));
  }
  return most;
}

const std::vector<std::int64_t> seeds{0, 42, -1, std::int64_t{1} << 40};

class random_draws : public OracleTest {
 protected:
  /// For every seed and result.
  void compare(const std::string& name, const Draws& draws,
               const std::function<void(const Tensor& ours, const Tensor& theirs)>& expect) {
    for (std::int64_t seed : seeds) {
      Verdict jax = Oracle::shared().run_jax(name, {Tensor::scalar(seed)});
      ASSERT_EQ(jax.failure, "");
      Tensors ours = drawn(draws, seed);
      ASSERT_EQ(ours.size(), jax.results.size());
      for (std::size_t k = 0; k < ours.size(); ++k) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", result " + std::to_string(k) + ": " +
                     std::string(tutti::name(ours[k].dtype())) + "[" + to_string(ours[k].shape()) + "]");
        expect(ours[k], jax.results[k][0]);
      }
    }
  }
  void compare_bits(const std::string& name, const Draws& draws) {
    compare(name, draws,
            [](const Tensor& ours, const Tensor& theirs) { EXPECT_TRUE(is_equal(ours, theirs)); });
  }
  /// In units in the last place. `least`: smaller numbers are as exact as this one.
  struct Bound {
    double ulps = 4, ulps_of_f64 = 4, least = 0;
  };
  void compare_ulps(const std::string& name, const Draws& draws, const Bound& bound) {
    compare(name, draws, [=](const Tensor& ours, const Tensor& theirs) {
      double ulps = ours.dtype() == DType::f64 ? bound.ulps_of_f64 : bound.ulps;
      EXPECT_LE(ulps_between(ours, theirs, bound.least), ulps);
    });
  }
};

Array stacked(const std::vector<Key>& keys) {
  Arrays words;
  for (const Key& each : keys) words.push_back(each.data);
  return stack(words);
}

TEST_F(random_draws, of_keys_are_those_of_jax) {
  compare_bits("random_keys", [](const Array& seed) {
    Key k = key(seed);
    return Arrays{k.data, stacked(split(k, 1)), stacked(split(k, 7)), fold_in(k, seed).data,
                  fold_in(k, 12345).data};
  });
}

TEST_F(random_draws, of_bits_are_those_of_jax) {
  compare_bits("random_bits", [](const Array& seed) {
    Key k = key(seed);
    Arrays all;
    for (const Shape& shape : shapes)
      for (DType dtype : unsigned_dtypes) all.push_back(bits(k, shape, dtype));
    return all;
  });
}

TEST_F(random_draws, of_uniform_numbers_are_those_of_jax) {
  compare_bits("random_uniform", [](const Array& seed) {
    Key k = key(seed);
    Arrays all;
    for (const Shape& shape : few)
      for (DType dtype : floats)
        for (auto [low, high] : {std::pair(0.0, 1.0), std::pair(-2.7, 3.9), std::pair(10.0, 10.0)})
          all.push_back(uniform(k, shape, dtype, {.low = low, .high = high}));
    return all;
  });
}

TEST_F(random_draws, of_integers_are_those_of_jax) {
  const std::vector<std::pair<std::int64_t, std::int64_t>> ranges{
      {0, 1}, {5, 5}, {-3, 100}, {0, 256}, {-2147483648LL, 2147483648LL}};
  compare_bits("random_integers", [&](const Array& seed) {
    Key k = key(seed);
    Arrays all;
    for (const Shape& shape : few)
      for (DType dtype : integers)
        for (auto [low, high] : ranges) all.push_back(randint(k, shape, low, high, dtype));
    return all;
  });
}

TEST_F(random_draws, of_chances_are_those_of_jax) {
  compare_bits("random_chances", [](const Array& seed) {
    Key k = key(seed);
    Arrays all;
    for (const Shape& shape : few) {
      for (double p : {0.0, 0.3, 1.0}) all.push_back(bernoulli(k, p, shape));
      for (DType dtype : floats) all.push_back(bernoulli(k, full({}, 0.6, dtype), shape));
    }
    return all;
  });
}

TEST_F(random_draws, of_choices_are_those_of_jax) {
  compare_bits("random_choices", [](const Array& seed) {
    Key k = key(seed);
    Array x = reshape(arange(60, DType::f32), {3, 4, 5});
    Arrays all;
    for (std::int64_t n : {0, 1, 2, 37, 3000}) all.push_back(permutation(k, n));
    for (int dim : {0, 1, -1}) all.push_back(permutation(k, x, dim));
    for (const Shape& shape : shapes) all.push_back(choice(k, 41, shape));
    for (const Shape& shape : shapes) all.push_back(choice(k, 1001, shape, {.replace = false}));
    all.push_back(choice(k, x, {2, 3}, {.dim = 1}));
    all.push_back(choice(k, x, {4}, {.replace = false, .dim = -1}));
    return all;
  });
}

using DrawOfFloats = std::function<Array(const Key&, const Shape&, DType)>;
Draws of_floats(const DrawOfFloats& draw, const std::vector<DType>& dtypes = floats) {
  return [=](const Array& seed) {
    Key k = key(seed);
    Arrays all;
    for (const Shape& shape : few)
      for (DType dtype : dtypes) all.push_back(draw(k, shape, dtype));
    return all;
  };
}

// XLA's log1p is wrong by 128 units in f64 (README.md). erf_inv makes a quarter of it, since it is about the
// square root of a logarithm. Ours is compared with long double in tests/functions.
constexpr double ulps_of_log1p = 132, ulps_of_erf_inv = 36;

TEST_F(random_draws, of_normal_numbers_are_close_to_those_of_jax) {
  compare_ulps("random_normal", of_floats([](const Key& k, const Shape& shape, DType dtype) {
                 return normal(k, shape, dtype);
               }),
               {.ulps_of_f64 = ulps_of_erf_inv});
}

// Far out XLA's formula has errors of tens of units, and ours the same.
TEST_F(random_draws, of_normal_numbers_have_the_errors_of_jax_far_out) {
  compare_ulps("random_many_normal",
               [](const Array& seed) { return Arrays{normal(key(seed), {1 << 17}, DType::f32)}; }, {});
}

// From erf of the bounds on, errors are those of numbers near 1.
TEST_F(random_draws, of_truncated_normal_numbers_are_close_to_those_of_jax) {
  compare_ulps("random_truncated_normal", of_floats([](const Key& k, const Shape& shape, DType dtype) {
                 return truncated_normal(k, -1.5, 0.5, shape, dtype);
               }),
               {.ulps_of_f64 = ulps_of_erf_inv, .least = 1});
}

TEST_F(random_draws, of_exponential_numbers_are_close_to_those_of_jax) {
  compare_ulps("random_exponential", of_floats([](const Key& k, const Shape& shape, DType dtype) {
                 return exponential(k, shape, dtype);
               }),
               {.ulps_of_f64 = ulps_of_log1p});
}

// log(-log(u)) is a difference near u = 1/e: there the numbers are as exact as log is near 1. Not of f16,
// where XLA loses the smallest number: (u - 1) + smallest becomes u + (smallest - 1), rounded.
TEST_F(random_draws, of_gumbel_numbers_are_close_to_those_of_jax) {
  compare_ulps("random_gumbel",
               of_floats([](const Key& k, const Shape& shape,
                            DType dtype) { return gumbel(k, shape, dtype); },
                         {DType::bf16, DType::f32, DType::f64}),
               {.least = 1});
}

TEST_F(random_draws, of_complex_numbers_are_close_to_those_of_jax) {
  compare_ulps("random_complex",
               [](const Array& seed) {
                 Array z = normal(key(seed), {100}, DType::complex128);
                 return Arrays{real(z), imag(z)};
               },
               {.ulps_of_f64 = ulps_of_erf_inv});
}

TEST_F(random_draws, of_categories_are_those_of_jax) {
  compare_ulps("random_categories",
               [](const Array& seed) {
                 Key k = key(seed);
                 Array logits = reshape(sin(arange(60, DType::f64)), {3, 4, 5});
                 Arrays all;
                 for (int dim : {0, 1, -1})
                   all.push_back(convert(categorical(k, logits, {.dim = dim}), DType::i64));
                 all.push_back(
                     convert(categorical(k, logits, {.dim = 1, .shape = Shape{7, 3, 5}}), DType::i64));
                 all.push_back(dropout(k, logits, 0.3));
                 return all;
               },
               {});
}

}  // namespace
}  // namespace tutti
