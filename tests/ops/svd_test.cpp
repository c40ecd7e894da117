// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/linalg/svd.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/ops/factors.hpp"
#include "tests/support/print.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

Array product_of(const SvdResult& found) {
  const Array s = convert(expand_dims(found.s, -2), found.u.dtype());
  const std::int64_t k = found.s.dim(-1);
  const Array u = slice_in_dim(found.u, 0, k, 1, -1), vh = slice_in_dim(found.vh, 0, k, 1, -2);
  return matmul(u * s, vh);
}

const std::vector<Shape> shapes{{1, 1}, {5, 3}, {3, 5}, {2, 4, 4}, {30, 40}, {0, 3, 2}};

TEST(svd, gives_the_matrix_back_and_unitary_vectors) {
  for (const DType dtype : dtypes_of_lapack)
    for (const Shape& shape : shapes)
      for (const bool is_full : {false, true})
        expect_small(some_matrix(shape, dtype), [is_full](const Arrays& x) {
          const SvdResult found = svd(x[0], {.full_matrices = is_full});
          return Arrays{distance(product_of(found), x[0]), distance_from_unitary(found.u),
                        distance_from_unitary(adjoint(found.vh)), distance(found.s, svdvals(x[0]))};
        });
}

TEST(svd, has_the_shapes_of_numpy) {
  auto shapes_of = [](const Type& type, bool is_full) {
    std::string text;
    trace({type}, [&](const Arrays& x) {
      const SvdResult found = svd(x[0], {.full_matrices = is_full});
      text = to_string(found.u.type()) + " " + to_string(found.s.type()) + " " + to_string(found.vh.type());
      return Arrays{found.s};
    });
    return text;
  };
  EXPECT_EQ(shapes_of(Type(DType::f32, {7, 2, 3}), true), "f32[7,2,2] f32[7,2] f32[7,3,3]");
  EXPECT_EQ(shapes_of(Type(DType::complex64, {3, 2}), true), "complex64[3,3] f32[2] complex64[2,2]");
  EXPECT_EQ(shapes_of(Type(DType::complex64, {3, 2}), false), "complex64[3,2] f32[2] complex64[2,2]");
}

TEST(svd, has_the_values_of_a_diagonal_matrix_in_descending_order) {
  const Tensor a(Shape{2, 3}, std::vector<double>{0, -2, 0, 0, 0, 5});
  const Tensor s = made({a}, [](const Arrays& x) { return svdvals(x[0]); });
  EXPECT_NEAR(s.at(0), 5, 1e-14);
  EXPECT_NEAR(s.at(1), 2, 1e-14);
}

TEST(svd, of_a_matrix_without_elements_has_unit_vectors) {
  auto vectors = [](const Shape& shape, bool is_full) {
    return all_made({Tensor(shape, DType::f64)}, [is_full](const Arrays& x) {
      const SvdResult found = svd(x[0], {.full_matrices = is_full});
      return Arrays{found.u, found.s, found.vh};
    });
  };
  const Tensor one = made({}, [](const Arrays&) { return eye(2, DType::f64); });
  EXPECT_EQ(vectors({2, 0}, true), (Tensors{one, Tensor({0}, DType::f64), Tensor({0, 0}, DType::f64)}));
  EXPECT_EQ(vectors({0, 2}, true), (Tensors{Tensor({0, 0}, DType::f64), Tensor({0}, DType::f64), one}));
  EXPECT_EQ(vectors({2, 0}, false),
            (Tensors{Tensor({2, 0}, DType::f64), Tensor({0}, DType::f64), Tensor({0, 0}, DType::f64)}));
}

TEST(svd, of_a_matrix_with_a_nan_or_infinity_is_nan_and_others_are_not) {
  for (const double special :
       {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    const Tensor a(Shape{2, 1, 2}, std::vector<double>{3, 4, special, 1});
    const Tensors found = all_made({a}, [](const Arrays& x) {
      const SvdResult factors = svd(x[0]);
      return Arrays{factors.s, factors.u, factors.vh, svdvals(x[0])};
    });
    EXPECT_NEAR(found[0].at(0), 5, 1e-14);
    EXPECT_TRUE(std::isnan(found[0].at(1)));
    EXPECT_TRUE(std::isnan(found[1].at(1)));
    for (std::int64_t i = 4; i < 8; ++i) EXPECT_TRUE(std::isnan(found[2].at(i)));
    EXPECT_TRUE(std::isnan(found[3].at(1)));
  }
}

TEST(svd, has_the_same_bits_with_any_number_of_workers) {
  const Array a = some_matrix({7, 6, 4}, DType::complex64);
  auto vectors = [&](int workers) {
    auto compiled = open_local(Mesh({{"x", 1}}), {.workers = workers})
                        .compile([](const Array& x) { return svd(x).u; }, a);
    return compiled(a).tensor();
  };
  EXPECT_EQ(vectors(1), vectors(3));
}

// s = sqrt(x^2 + y^2).
TEST(svd, has_the_slope_of_the_length_of_a_row) {
  const Tensor row(Shape{1, 2}, std::vector<double>{3, 4});
  const Tensor slope = made({row}, [](const Arrays& x) {
    return grad([](const Array& a) { return reduce_sum(svdvals(a)); })(x[0]);
  });
  EXPECT_NEAR(slope.at(0), 0.6, 1e-15);
  EXPECT_NEAR(slope.at(1), 0.8, 1e-15);
}

TEST(svd, says_why_full_factors_have_no_derivative) {
  const Type type(DType::f64, {3, 2});
  EXPECT_EQ(refused({type},
                    [](const Arrays& x) {
                      return grad([](const Array& a) { return reduce_sum(svd(a).u); })(x[0]);
                    })
                .substr(0, 72),
            "T010: svd: jvp is refused: vectors beyond the singular values have no de");
}

std::string refused_of(const Type& type) {
  return refused({type}, [](const Arrays& x) { return svd(x[0]).s; });
}

TEST(svd, rejects_a_scalar_c1) {
  EXPECT_EQ(refused_of(Type(DType::f32, {})), "T005: svd: f32[] is no matrix: it needs two dims or more, and "
                                              "the last two are rows and columns (svd_c1)");
}
TEST(svd, rejects_integers_c2) {
  EXPECT_EQ(refused_of(Type(DType::i32, {2, 2})), "T007: svd: i32[2,2] is not f32, f64, complex64 or "
                                                  "complex128 (svd_c2); convert it: convert(x, DType::f32)");
}

}  // namespace
}  // namespace tutti
