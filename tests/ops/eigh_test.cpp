// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/linalg/eigh.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/ops/factors.hpp"
#include "tests/support/print.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Tensor two(Shape{2, 2}, std::vector<double>{2, 1, 1, 2});

Array vectors_times_values(const EighResult& found) {
  return found.eigenvectors * convert(expand_dims(found.eigenvalues, -2), found.eigenvectors.dtype());
}

TEST(eigh, of_a_matrix_by_hand) {
  const Tensors found = all_made({two}, [](const Arrays& x) {
    const auto [w, v] = eigh(x[0]);
    return Arrays{w, v * v};
  });
  for (std::int64_t i = 0; i < 2; ++i) EXPECT_NEAR(found[0].at(i), i == 0 ? 1 : 3, 1e-15);
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_NEAR(found[1].at(i), 0.5, 1e-15);
}

TEST(eigh, gives_the_matrix_back_and_unitary_vectors) {
  for (const DType dtype : dtypes_of_lapack)
    for (const Shape& shape : {Shape{1, 1}, Shape{5, 5}, Shape{3, 4, 4}, Shape{40, 40}, Shape{0, 3, 3}})
      expect_small(some_matrix(shape, dtype), [](const Arrays& x) {
        const Array a = x[0] + adjoint(x[0]);
        const EighResult found = eigh(a);
        return Arrays{distance(matmul(a, found.eigenvectors), vectors_times_values(found)),
                      distance_from_unitary(found.eigenvectors),
                      distance(found.eigenvalues, sort(found.eigenvalues)),
                      distance(found.eigenvalues, eigvalsh(a))};
      });
}

TEST(eigh, decomposes_the_symmetric_part_or_the_lower_triangle) {
  const Tensor a(Shape{2, 2}, std::vector<double>{2, 100, 1, 2});
  EXPECT_NEAR(made({a}, [](const Arrays& x) { return eigvalsh(x[0], {.symmetrize = false}); }).at(1), 3,
              1e-15);
  EXPECT_NEAR(made({a}, [](const Arrays& x) { return eigvalsh(x[0]); }).at(1), 52.5, 1e-13);
}

TEST(eigh, of_a_hermitian_matrix_ignores_imaginary_parts_of_the_diagonal) {
  const Tensor parts(Shape{2, 2, 2}, std::vector<double>{2, 7, 0, 0, 0, 1, 2, -7});  // [[2, .], [i, 2]]
  const Tensor w = made({parts}, [](const Arrays& x) {
    const Array a = complex(x[0][{all, all, 0}], x[0][{all, all, 1}]);
    return eigvalsh(a, {.symmetrize = false});
  });
  EXPECT_NEAR(w.at(0), 1, 1e-15);
  EXPECT_NEAR(w.at(1), 3, 1e-15);
}

TEST(eigh, of_a_matrix_with_a_nan_or_infinity_is_nan_and_others_are_not) {
  for (const double special :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const Tensor a(Shape{2, 2, 2}, std::vector<double>{2, 1, 1, 2, special, 1, 1, 2});
    const Tensors found = all_made({a}, [](const Arrays& x) {
      const auto [w, v] = eigh(x[0]);
      return Arrays{w, v};
    });
    EXPECT_NEAR(found[0].at(1), 3, 1e-15);
    for (std::int64_t i = 2; i < 4; ++i) EXPECT_TRUE(std::isnan(found[0].at(i)));
    for (std::int64_t i = 4; i < 8; ++i) EXPECT_TRUE(std::isnan(found[1].at(i)));
  }
}

TEST(eigh, of_nothing_is_nothing) {
  EXPECT_EQ(made({Tensor({0, 0}, DType::f32)}, [](const Arrays& x) { return eigh(x[0]).eigenvalues; }),
            Tensor({0}, DType::f32));
}

TEST(eigh, has_the_same_bits_with_any_number_of_workers) {
  const Array a = some_matrix({7, 6, 6}, DType::f32);
  auto vectors = [&](int workers) {
    auto compiled = open_local(Mesh({{"x", 1}}), {.workers = workers})
                        .compile([](const Array& x) { return eigh(x).eigenvectors; }, a);
    return compiled(a).tensor();
  };
  EXPECT_EQ(vectors(1), vectors(3));
}

// The eigenvalue of a diagonal matrix moves as its element does. An element off the diagonal turns vectors by
// itself over the gap, here 2 / (1 - 5), which is compared by the product v v^T, as signs are free.
TEST(eigh, has_the_tangents_of_perturbation_theory) {
  const Tensor a(Shape{2, 2}, std::vector<double>{1, 0, 0, 5}),
      along(Shape{2, 2}, std::vector<double>{0.5, 2, 2, 0.25});
  auto tangents = [](const Arrays& x) {
    const Jvp found = Eigh{}.jvp({x[0]}, {x[1]});
    const Array first = slice_in_dim(found.results[1], 0, 1, 1, 1);
    return Arrays{*found.tangents[0], matmul(slice_in_dim(*found.tangents[1], 0, 1, 1, 1), adjoint(first))};
  };
  const Tensors found = all_made({a, along}, tangents);
  EXPECT_NEAR(found[0].at(0), 0.5, 1e-15);
  EXPECT_NEAR(found[0].at(1), 0.25, 1e-15);
  const double turned[] = {0, 0, -0.5, 0};
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_NEAR(found[1].at(i), turned[i], 1e-15);
}

std::string refused_of(const Type& type) {
  return refused({type}, [](const Arrays& x) { return eigh(x[0]).eigenvalues; });
}

TEST(eigh, rejects_a_vector_c1) {
  EXPECT_EQ(refused_of(Type(DType::f32, {3})), "T005: eigh: f32[3] is no matrix: it needs two dims or more, "
                                               "and the last two are rows and columns (eigh_c1)");
}
TEST(eigh, rejects_dtypes_that_lapack_has_not_c2) {
  EXPECT_EQ(refused_of(Type(DType::bf16, {2, 2})),
            "T007: eigh: bf16[2,2] is not f32, f64, complex64 or complex128 (eigh_c2); convert it: "
            "convert(x, DType::f32)");
}
TEST(eigh, rejects_a_matrix_that_is_not_square_c3) {
  EXPECT_EQ(
      refused_of(Type(DType::f32, {4, 2, 3})),
      "T005: eigh: f32[4,2,3] has 2 rows and 3 columns in its last two dims; they must be equal (eigh_c3)");
}

}  // namespace
}  // namespace tutti
