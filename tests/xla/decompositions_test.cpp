// SPDX-License-Identifier: Apache-2.0
// The loops that stand for qr and eigh in StableHLO, run by XLA on more rows than the examples have.
#include "tests/ops/factors.hpp"
#include "tests/xla/same_numbers.hpp"

namespace tutti {
namespace {

using xla_decompositions = xla::RealXla;
using Distances = std::function<Arrays(const Array&)>;

constexpr std::int64_t rows = 33;

void expect_small_on_xla(DType dtype, const Distances& distances, const char* what) {
  const Array x = some_matrix({rows, rows}, dtype);
  const Arrays found = xla::RealXla::machine(Mesh()).compile(distances, x)(x);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_LE(found[i].tensor().at(0), 64 * double(rows) * epsilon(dtype))
        << "number " << i << " of " << what << " in " << name(dtype);
}

Array hermitian(const Array& x) { return (x + adjoint(x)) / 2; }

TEST_F(xla_decompositions, of_hermitian_matrices_give_the_matrix_back) {
  for (const DType dtype : dtypes_of_lapack) {
    expect_small_on_xla(
        dtype, [](const Array& x) { return distances_of_eigh(hermitian(x)); }, "some numbers");
    const auto of_two_values = [](const Array& x) {
      const Array sign = 1 - 2 * (arange(rows, DType::i32) % 2);
      return distances_of_eigh(with_eigenvalues(x, convert(sign, x.dtype())));
    };
    expect_small_on_xla(dtype, of_two_values, "1 and -1");
  }
}

TEST_F(xla_decompositions, of_numbers_whose_squares_vanish) {
  for (const DType dtype : dtypes_of_lapack) {
    const double size = 1 / large(dtype);
    const auto of_hermitian = [size](const Array& x) {
      const Arrays found = distances_of_eigh(hermitian(x) * size, size);
      return Arrays{found[0], found[1]};
    };
    expect_small_on_xla(dtype, of_hermitian, "eigh of small numbers");
    const auto of_any = [size](const Array& x) {
      const auto [q, r] = qr(x * size);
      return Arrays{distance_from_unitary(q), distance(matmul(q, r / size), x)};
    };
    expect_small_on_xla(dtype, of_any, "qr of small numbers");
  }
}

}  // namespace
}  // namespace tutti
