// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/linalg/lapack.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <utility>
#include <vector>

#include "tutti/base/error.hpp"

namespace tutti {
namespace {

template <class T>
class lapack : public testing::Test {};
using Elements = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(lapack, Elements);

template <class T>
T element(double real, double imaginary) {
  if constexpr (is_complex_element<T>) return {static_cast<Real<T>>(real), static_cast<Real<T>>(imaginary)};
  else return static_cast<T>(real);
}
template <class T>
T conjugate(T x) {
  if constexpr (is_complex_element<T>) return std::conj(x);
  else return x;
}

/// A column-major matrix.
template <class T>
struct Matrix {
  Matrix(int m, int n) : m(m), n(n), data(static_cast<std::size_t>(m * n)) {}
  T& operator()(int i, int j) { return data[static_cast<std::size_t>(j * m + i)]; }
  const T& operator()(int i, int j) const { return data[static_cast<std::size_t>(j * m + i)]; }
  int m, n;
  std::vector<T> data;
};

template <class T>
Matrix<T> numbers(int m, int n) {
  Matrix<T> made(m, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) made(i, j) = element<T>(std::sin(3 * i + 7 * j + 1), std::cos(5 * i - 2 * j));
  return made;
}
template <class T>
Matrix<T> adjoint(const Matrix<T>& a) {
  Matrix<T> made(a.n, a.m);
  for (int j = 0; j < a.n; ++j)
    for (int i = 0; i < a.m; ++i) made(j, i) = conjugate(a(i, j));
  return made;
}
template <class T>
Matrix<T> operator*(const Matrix<T>& a, const Matrix<T>& b) {
  Matrix<T> made(a.m, b.n);
  for (int j = 0; j < b.n; ++j)
    for (int k = 0; k < a.n; ++k)
      for (int i = 0; i < a.m; ++i) made(i, j) += a(i, k) * b(k, j);
  return made;
}
template <class T>
Matrix<T> positive(int n) {
  Matrix<T> made = adjoint(numbers<T>(n, n)) * numbers<T>(n, n);
  for (int i = 0; i < n; ++i) made(i, i) += T(static_cast<Real<T>>(n));
  return made;
}
template <class T>
Matrix<T> triangle_of(const Matrix<T>& a, Triangle triangle) {
  Matrix<T> made(a.m, a.n);
  for (int j = 0; j < a.n; ++j)
    for (int i = 0; i < a.m; ++i)
      if (triangle == Triangle::lower ? i >= j : i <= j) made(i, j) = a(i, j);
  return made;
}
template <class T>
void expect_close(const Matrix<T>& a, const Matrix<T>& b) {
  ASSERT_EQ(a.data.size(), b.data.size());
  const double bound = 1000 * static_cast<double>(std::numeric_limits<Real<T>>::epsilon());
  for (std::size_t i = 0; i < a.data.size(); ++i)
    EXPECT_LE(static_cast<double>(std::abs(a.data[i] - b.data[i])), bound * 10) << i;
}
template <class T>
std::vector<std::byte> scratch_of(const LapackWorkspace& space) {
  return std::vector<std::byte>(space.bytes<T>());
}

constexpr int n = 9;

TYPED_TEST(lapack, factors_a_positive_definite_matrix) {
  using T = TypeParam;
  const LapackUser user("a test", n);
  const Lapack<T> library;
  const Matrix<T> a = positive<T>(n);
  Matrix<T> l = a, u = a;
  ASSERT_EQ(library.potrf(Triangle::lower, n, l.data.data()), 0);
  ASSERT_EQ(library.potrf(Triangle::upper, n, u.data.data()), 0);
  const Matrix<T> lower = triangle_of(l, Triangle::lower), upper = triangle_of(u, Triangle::upper);
  expect_close(lower * adjoint(lower), a);
  expect_close(adjoint(upper) * upper, a);
  Matrix<T> negative = a;
  negative(4, 4) = T(-1);
  EXPECT_EQ(library.potrf(Triangle::lower, n, negative.data.data()), 5);
}

TYPED_TEST(lapack, solves_with_a_triangle_on_both_sides) {
  using T = TypeParam;
  const LapackUser user("a test", n);
  const Lapack<T> library;
  const Matrix<T> a = positive<T>(n), b = numbers<T>(n, 3), c = numbers<T>(3, n);
  const Matrix<T> lower = triangle_of(a, Triangle::lower);
  Matrix<T> x = b, y = c;
  library.trsm(MatrixSide::left, Triangle::lower, Form::adjoint, Diagonal::stored, n, 3, a.data.data(),
               x.data.data());
  library.trsm(MatrixSide::right, Triangle::lower, Form::as_is, Diagonal::stored, 3, n, a.data.data(),
               y.data.data());
  expect_close(adjoint(lower) * x, b);
  expect_close(y * lower, c);
}

TYPED_TEST(lapack, factors_a_matrix_with_row_swaps) {
  using T = TypeParam;
  const LapackUser user("a test", n);
  const Lapack<T> library;
  const Matrix<T> a = numbers<T>(n, 4);
  Matrix<T> factors = a, swapped = a;
  std::vector<int> pivots(4);
  ASSERT_EQ(library.getrf(n, 4, factors.data.data(), pivots.data()), 0);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) std::swap(swapped(i, j), swapped(pivots[static_cast<std::size_t>(i)] - 1, j));
  Matrix<T> lower(n, 4), upper(4, 4);
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < n; ++i) {
      if (i <= j) upper(i, j) = factors(i, j);
      lower(i, j) = i == j ? T(1) : i > j ? factors(i, j) : T(0);
    }
  expect_close(lower * upper, swapped);
}

TYPED_TEST(lapack, factors_into_orthonormal_columns) {
  using T = TypeParam;
  const LapackUser user("a test", n);
  const Lapack<T> library;
  const Matrix<T> a = numbers<T>(n, 4);
  Matrix<T> q = a;
  std::vector<T> tau(4);
  const LapackWorkspace space = library.geqrf_workspace(n, 4), of_q = library.orgqr_workspace(n, 4, 4);
  library.geqrf(n, 4, q.data.data(), tau.data(), space, scratch_of<T>(space).data());
  Matrix<T> r(4, 4), identity(4, 4);
  for (int j = 0; j < 4; ++j) {
    identity(j, j) = T(1);
    for (int i = 0; i <= j; ++i) r(i, j) = q(i, j);
  }
  library.orgqr(n, 4, 4, q.data.data(), tau.data(), of_q, scratch_of<T>(of_q).data());
  expect_close(q * r, a);
  expect_close(adjoint(q) * q, identity);
}

TYPED_TEST(lapack, finds_eigenvalues_and_vectors) {
  using T = TypeParam;
  const LapackUser user("a test", n);
  const Lapack<T> library;
  const Matrix<T> a = positive<T>(n);
  Matrix<T> v = a, alone = a;
  std::vector<Real<T>> w(n), w_alone(n);
  LapackWorkspace space = library.syevd_workspace(Vectors::reduced, n);
  ASSERT_EQ(library.syevd(Vectors::reduced, Triangle::lower, n, v.data.data(), w.data(), space,
                          scratch_of<T>(space).data()),
            0);
  Matrix<T> scaled = v;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) scaled(i, j) *= w[static_cast<std::size_t>(j)];
  expect_close(a * v, scaled);
  space = library.syevd_workspace(Vectors::none, n);
  ASSERT_EQ(library.syevd(Vectors::none, Triangle::upper, n, alone.data.data(), w_alone.data(), space,
                          scratch_of<T>(space).data()),
            0);
  for (std::size_t i = 0; i < w.size(); ++i)
    EXPECT_NEAR(w[i], w_alone[i], 100 * std::numeric_limits<Real<T>>::epsilon() * std::abs(w.back()));
}

TYPED_TEST(lapack, finds_singular_values_and_vectors) {
  using T = TypeParam;
  const LapackUser user("a test", n);
  const Lapack<T> library;
  for (const auto& [rows, columns] : {std::pair(n, 4), std::pair(4, n)})
    for (const Vectors vectors : {Vectors::reduced, Vectors::complete, Vectors::none}) {
      const bool complete = vectors == Vectors::complete;
      const Matrix<T> a = numbers<T>(rows, columns);
      Matrix<T> destroyed = a, u(rows, complete ? rows : 4), vt(complete ? columns : 4, columns);
      std::vector<Real<T>> s(4);
      const LapackWorkspace space = library.gesdd_workspace(vectors, rows, columns);
      ASSERT_EQ(library.gesdd(vectors, rows, columns, destroyed.data.data(), s.data(), u.data.data(),
                              vt.data.data(), space, scratch_of<T>(space).data()),
                0);
      Real<T> squares = 0, of_a = 0;
      for (const Real<T> value : s) squares += value * value;
      for (const T& value : a.data) of_a += std::norm(value);
      EXPECT_NEAR(squares, of_a, 100 * std::numeric_limits<Real<T>>::epsilon() * of_a);
      if (vectors == Vectors::none) continue;
      Matrix<T> middle(u.n, vt.m);
      for (int i = 0; i < 4; ++i) middle(i, i) = T(s[static_cast<std::size_t>(i)]);
      expect_close(u * middle * vt, a);
    }
}

TYPED_TEST(lapack, transposes_in_blocks) {
  using T = TypeParam;
  const Matrix<T> a = numbers<T>(37, 21);
  Matrix<T> turned(21, 37);
  transpose_matrix(turned.data.data(), a.data.data(), 21, 37);
  for (int i = 0; i < 37; ++i)
    for (int j = 0; j < 21; ++j) EXPECT_EQ(a(i, j), turned(j, i));
}

TEST(lapack_user, refuses_a_size_that_lapack_cannot_count) {
  EXPECT_THROW(LapackUser("cholesky of f32[4294967296,4294967296]", std::int64_t{1} << 32), Error);
}

}  // namespace
}  // namespace tutti
