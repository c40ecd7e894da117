// SPDX-License-Identifier: Apache-2.0
// qr and eigh as the loops that StableHLO gets: written, read again, and run by our own machine.
#include <gtest/gtest.h>

#include <limits>

#include "tests/ops/factors.hpp"
#include "tests/support/print.hpp"
#include "tests/support/read_back.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/run/on_machine.hpp"

namespace tutti {
namespace {

using ArrayFunction = std::function<Arrays(const Arrays&)>;

Tensors through_text(const Tensor& x, const ArrayFunction& function) {
  const Mesh one({{"x", 1}});
  const Program program = read_back(trace({Type(x.dtype(), x.shape())}, function).program, one);
  Tensors found;
  for (const Tensors& value : run_on_machine(program, one, {{x}})) found.push_back(value[0]);
  return found;
}

/// Each of `distances` is at most 64 n roundings of numbers of size 1.
void expect_small(const Tensors& distances, const Tensor& x, const std::string& what) {
  const auto n = static_cast<double>(std::max<std::int64_t>(1, x.shape()[x.shape().rank() - 1]));
  for (std::size_t i = 0; i < distances.size(); ++i)
    EXPECT_LE(distances[i].at(0), 64 * n * epsilon(x.dtype()))
        << "number " << i << " of " << what << ", " << name(x.dtype()) << "[" << to_string(x.shape()) << "]";
}

TEST(eigh_in_text, gives_the_matrix_back_and_unitary_vectors) {
  for (const DType dtype : dtypes_of_lapack)
    for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 9, 32, 33}) {
      const Tensor x = some_matrix({2, n, n}, dtype);
      const auto distances = [](const Arrays& given) {
        return distances_of_eigh((given[0] + adjoint(given[0])) / 2);
      };
      expect_small(through_text(x, distances), x, "some numbers");
    }
}

struct Change {
  const char* what;
  std::function<Array(const Array&)> to;
};

// Inside of a cluster of equal eigenvalues angles are arbitrary.
TEST(eigh_in_text, takes_many_equal_eigenvalues) {
  const Change changes[] = {
      {"zeros", [](const Array& x) { return 0 * x; }},
      {"the identity", [](const Array& x) { return 0 * x + eye(x.dim(-1), x.dtype()); }},
      {"a projection onto one vector", [](const Array& x) { return (0 * x + 1) / double(x.dim(-1)); }},
      {"1 and -1",
       [](const Array& x) { return with_eigenvalues(x, 1 - 2 * (arange(x.dim(-1), x.dtype()) % 2)); }},
      {"a projection", [](const Array& x) { return with_eigenvalues(x, arange(x.dim(-1), x.dtype()) % 2); }},
      {"eigenvalues from 1 to 1e-15",
       [](const Array& x) {
         return with_eigenvalues(x, pow(10., arange(x.dim(-1), x.dtype()) * (-15. / double(x.dim(-1)))));
       }},
  };
  for (const DType dtype : {DType::f32, DType::f64})
    for (const std::int64_t n : {2, 5, 8, 100})
      for (const auto& [what, change] : changes) {
        const Tensor x = some_matrix({n, n}, dtype);
        const auto distances = [&](const Arrays& given) { return distances_of_eigh(change(given[0])); };
        expect_small(through_text(x, distances), x, what);
      }
}

TEST(eigh_in_text, takes_numbers_whose_squares_overflow_or_vanish) {
  for (const DType dtype : dtypes_of_lapack)
    for (const double size : {large(dtype), 1 / large(dtype)}) {
      const Tensor x = some_matrix({5, 5}, dtype);
      const auto distances = [&](const Arrays& given) {
        return distances_of_eigh((given[0] + adjoint(given[0])) / 2 * size, size);
      };
      const Tensors found = through_text(x, distances);
      expect_small({found[0], found[1]}, x, "scaled numbers");
      EXPECT_EQ(found[2].at(0), 0);
    }
}

TEST(eigh_in_text, takes_eigenvalues_near_the_largest_number) {
  const double most = 1.2e308, half = 0.5e308;
  const Tensor a(Shape{2, 2}, std::vector<double>{most, half, half, -most});
  const Tensors found = through_text(a, [](const Arrays& x) {
    const auto [w, v] = eigh(x[0], {.symmetrize = false});
    return Arrays{w};
  });
  for (std::int64_t i = 0; i < 2; ++i) EXPECT_NEAR(std::abs(found[0].at(i)) / 1.3e308, 1, 1e-14);
}

TEST(eigh_in_text, of_a_matrix_with_a_nan_or_infinity_is_nan_and_others_are_not) {
  for (const double special :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const Tensor a(Shape{2, 2, 2}, std::vector<double>{2, 1, 1, 2, special, 1, 1, 2});
    const Tensors found = through_text(a, [](const Arrays& x) {
      const auto [w, v] = eigh(x[0]);
      return Arrays{w, v};
    });
    EXPECT_NEAR(found[0].at(1), 3, 1e-15);
    for (std::int64_t i = 2; i < 4; ++i) EXPECT_TRUE(std::isnan(found[0].at(i)));
    for (std::int64_t i = 4; i < 8; ++i) EXPECT_TRUE(std::isnan(found[1].at(i)));
  }
}

/// The factors as LAPACK has them; q r and x, q and orthogonal columns.
Arrays factors_of(const Array& x, bool is_full) {
  const QrResult found = qr(x, {.full_matrices = is_full});
  return {found.q, found.r, distance_from_unitary(found.q), distance(matmul(found.q, found.r), x)};
}

// Both are within 64 n roundings of the factors, which some columns, nearly dependent on others, magnify.
TEST(qr_in_text, has_the_factors_of_lapack) {
  constexpr double condition = 100;
  for (const DType dtype : dtypes_of_lapack)
    for (const Shape& shape : {Shape{1, 1}, Shape{5, 3}, Shape{3, 5}, Shape{2, 4, 4}, Shape{40, 30}})
      for (const bool is_full : {false, true}) {
        const Tensor x = some_matrix(shape, dtype);
        const auto factors = [is_full](const Arrays& given) { return factors_of(given[0], is_full); };
        const Tensors found = through_text(x, factors), ours = all_made({x}, factors);
        const double bound = 64 * double(shape[shape.rank() - 1]) * condition * epsilon(dtype);
        // Columns of q beyond those of x follow from the reflections, which are the same.
        for (const std::size_t i : {0, 1}) {
          const Tensor left = in_parts(found[i]), right = in_parts(ours[i]);
          for (std::int64_t k = 0; k < left.elements(); ++k)
            EXPECT_NEAR(left.at(k), right.at(k), bound) << to_string(x.shape());
        }
        expect_small({found[2], found[3]}, x, "some numbers");
      }
}

TEST(qr_in_text, takes_columns_without_a_length_and_numbers_whose_squares_overflow) {
  for (const DType dtype : dtypes_of_lapack) {
    const double size = large(dtype);
    const std::pair<Change, double> changes[] = {
        {{"zeros", [](const Array& x) { return 0 * x; }}, 1},
        {{"equal columns", [](const Array& x) { return 0 * x + x[{all, range(0, 1)}]; }}, 1},
        {{"an upper triangle", [](const Array& x) { return triu(x); }}, 1},
        {{"large numbers", [=](const Array& x) { return size * x; }}, size},
        {{"small numbers", [=](const Array& x) { return x / size; }}, 1 / size},
    };
    for (const auto& [change, scale] : changes) {
      const Tensor x = some_matrix({5, 3}, dtype);
      const auto distances = [&](const Arrays& given) {
        const Arrays found = factors_of(change.to(given[0]), false);
        return Arrays{found[2], found[3] / scale};
      };
      expect_small(through_text(x, distances), x, change.what);
    }
  }
}

TEST(qr_in_text, keeps_a_real_diagonal_and_zeros_below_it) {
  const Tensor x = some_matrix({4, 4}, DType::complex128);
  const Tensors found = through_text(x, [](const Arrays& given) {
    const Array r = qr(given[0]).r;
    return Arrays{amax(abs(imag(diagonal(r)))), distance(r, triu(r))};
  });
  EXPECT_EQ(found[0].at(0), 0);
  EXPECT_EQ(found[1].at(0), 0);
}

TEST(qr_in_text, of_a_nan_is_nan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor x(Shape{2, 2}, std::vector<double>{1, 2, nan, 4});
  for (const Tensor& factor : through_text(x, [](const Arrays& given) {
         const auto [q, r] = qr(given[0]);
         return Arrays{q, r};
       }))
    EXPECT_TRUE(std::isnan(factor.at(0)));
}

}  // namespace
}  // namespace tutti
