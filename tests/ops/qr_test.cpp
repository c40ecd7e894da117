// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/linalg/qr.hpp"

#include <gtest/gtest.h>

#include "tests/ops/factors.hpp"
#include "tests/support/print.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const std::vector<Shape> shapes{{1, 1}, {5, 3}, {3, 5}, {2, 4, 4}, {40, 30}, {0, 3, 2}};

TEST(qr, gives_the_matrix_back_by_orthogonal_columns_and_an_upper_triangle) {
  for (const DType dtype : dtypes_of_lapack)
    for (const Shape& shape : shapes)
      for (const bool is_full : {false, true})
        expect_small(some_matrix(shape, dtype), [is_full](const Arrays& x) {
          const QrResult found = qr(x[0], {.full_matrices = is_full});
          return Arrays{distance(matmul(found.q, found.r), x[0]), distance_from_unitary(found.q),
                        distance(found.r, triu(found.r)) * 1e30};  // below the diagonal zeros are exact
        });
}

TEST(qr, has_the_shapes_of_numpy) {
  auto shapes_of = [](const Shape& shape, bool is_full) {
    std::string text;
    trace({Type(DType::f32, shape)}, [&](const Arrays& x) {
      const QrResult found = qr(x[0], {.full_matrices = is_full});
      text = to_string(found.q.type()) + " " + to_string(found.r.type());
      return Arrays{found.r};
    });
    return text;
  };
  EXPECT_EQ(shapes_of({7, 3, 2}, false), "f32[7,3,2] f32[7,2,2]");
  EXPECT_EQ(shapes_of({7, 3, 2}, true), "f32[7,3,3] f32[7,3,2]");
  EXPECT_EQ(shapes_of({2, 3}, true), "f32[2,2] f32[2,3]");
}

TEST(qr, has_a_real_diagonal) {
  expect_small(some_matrix({4, 4}, DType::complex64),
               [](const Arrays& x) { return Arrays{amax(abs(imag(diagonal(qr(x[0]).r)))) * 1e30}; });
}

TEST(qr, of_a_matrix_without_elements_has_unit_vectors) {
  auto factors = [](const Shape& shape, bool is_full) {
    return all_made({Tensor(shape, DType::f64)}, [is_full](const Arrays& x) {
      const QrResult found = qr(x[0], {.full_matrices = is_full});
      return Arrays{found.q, found.r};
    });
  };
  const Tensor one = made({}, [](const Arrays&) { return eye(2, DType::f64); });
  EXPECT_EQ(factors({2, 0}, true), (Tensors{one, Tensor({2, 0}, DType::f64)}));
  EXPECT_EQ(factors({2, 0}, false), (Tensors{Tensor({2, 0}, DType::f64), Tensor({0, 0}, DType::f64)}));
  EXPECT_EQ(factors({0, 2}, true), (Tensors{Tensor({0, 0}, DType::f64), Tensor({0, 2}, DType::f64)}));
}

TEST(qr, has_the_same_bits_with_any_number_of_workers) {
  const Array a = some_matrix({7, 6, 4}, DType::f32);
  auto columns = [&](int workers) {
    auto compiled =
        open_local(Mesh({{"x", 1}}), {.workers = workers}).compile([](const Array& x) { return qr(x).q; }, a);
    return compiled(a).tensor();
  };
  EXPECT_EQ(columns(1), columns(3));
}

// |r| of a column is its length.
TEST(qr, has_the_slope_of_a_length) {
  const Tensor column(Shape{2, 1}, std::vector<double>{3, 4});
  const Tensor slope = made({column}, [](const Arrays& x) {
    return grad([](const Array& a) { return reduce_sum(abs(qr(a).r)); })(x[0]);
  });
  EXPECT_NEAR(slope.at(0), 0.6, 1e-15);
  EXPECT_NEAR(slope.at(1), 0.8, 1e-15);
}

TEST(qr, says_why_full_factors_have_no_derivative) {
  auto slope = [](const Arrays& x) {
    return grad([](const Array& a) { return reduce_sum(qr(a, {.full_matrices = true}).q); })(x[0]);
  };
  EXPECT_EQ(refused({Type(DType::f64, {3, 2})}, slope).substr(0, 70),
            "T010: qr: jvp is refused: columns beyond those of the matrix have no d");
}

std::string refused_of(const Type& type) {
  return refused({type}, [](const Arrays& x) { return qr(x[0]).r; });
}

TEST(qr, rejects_a_vector_c1) {
  EXPECT_EQ(refused_of(Type(DType::f32, {3})), "T005: qr: f32[3] is no matrix: it needs two dims or more, "
                                               "and the last two are rows and columns (qr_c1)");
}
TEST(qr, rejects_dtypes_that_lapack_has_not_c2) {
  EXPECT_EQ(refused_of(Type(DType::f16, {2, 2})), "T007: qr: f16[2,2] is not f32, f64, complex64 or "
                                                  "complex128 (qr_c2); convert it: convert(x, DType::f32)");
}

}  // namespace
}  // namespace tutti
