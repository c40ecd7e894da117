// SPDX-License-Identifier: Apache-2.0
// Complex values: their parts, and derivatives, which pair without conjugation.
#include <gtest/gtest.h>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using C = std::complex<double>;
const Axis a = example_mesh().axes()[0];

template <class T>
Tensor row(const std::vector<T>& values) {
  return Tensor(Shape{static_cast<std::int64_t>(values.size())}, values);
}

TEST(complex, is_made_of_two_floats_and_has_them_as_parts) {
  EXPECT_EQ(program_text({Type(DType::f32, {2}, {{a, varying}}), Type(DType::f32, {2}, {{a, varying}})},
                         [](const Arrays& x) { return imag(complex(x[0], x[1])); }),
            "program(%0: f32[2]{V:a}, %1: f32[2]{V:a}) {\n"
            "  %2: complex64[2]{V:a} = complex %0, %1\n"
            "  %3: f32[2]{V:a} = imag %2\n"
            "  return %3\n}\n");
}

TEST(complex, parts_take_an_unreduced_sum) {
  EXPECT_EQ(program_text({Type(DType::complex128, {2}, {{a, unreduced}})},
                         [](const Arrays& x) { return real(x[0]); }),
            "program(%0: complex128[2]{U:a}) {\n  %1: f64[2]{U:a} = real %0\n  return %1\n}\n");
}

TEST(complex, takes_a_number_for_a_part) {
  EXPECT_EQ(computed_by([](const Arrays& x) { return complex(x[0], 1); }, {row<double>({2, -3})}),
            row(std::vector<C>{{2, 1}, {-3, 1}}));
}

TEST(conj, turns_the_sign_of_the_imaginary_part) {
  EXPECT_EQ(computed_by([](const Arrays& x) { return conj(x[0]); }, {row<C>({C{1, 2}, C{0, -3}})}),
            row<C>({C{1, -2}, C{0, 3}}));
}

TEST(complex, elements_are_no_double) {
  EXPECT_EQ(refusal_of([] { Array(Tensor::scalar(C{1, 2})).item(); }),
            "T007: item: the element is complex128; read it with tensor(), or take real or imag");
}

TEST(complex, abs_is_real) {
  EXPECT_EQ(computed_by([](const Arrays& x) { return abs(x[0]); }, {row<C>({C{3, -4}, C{0, 2}})}),
            row<double>({5, 2}));
}

// d/dx - i d/dy, as jax.grad: of |z|^2 that is 2 conj(z).
TEST(complex_gradient, of_a_real_loss_is_by_x_minus_i_by_y) {
  auto size = [](const Array& z) { return reduce_sum(real(z * conj(z))); };
  EXPECT_EQ(computed_by([&](const Arrays& z) { return grad(size)(z[0]); }, {row<C>({C{1, 2}, C{-3, 0.5}})}),
            row<C>({C{2, -4}, C{-6, -1}}));
  auto part = [](const Array& z) { return reduce_sum(imag(z)); };
  EXPECT_EQ(computed_by([&](const Arrays& z) { return grad(part)(z[0]); }, {row<C>({C{1, 2}})}),
            row<C>({C{0, -1}}));
}

TEST(complex_gradient, of_the_direction_is_0_at_0) {
  auto direction = [](const Array& z) { return reduce_sum(real(sign(z))); };
  EXPECT_EQ(computed_by([&](const Arrays& z) { return grad(direction)(z[0]); }, {row<C>({C{0, 0}, C{0, 2}})}),
            row<C>({C{0, 0}, C{0.5, 0}}));
}

// T(M) = M transposed: <M v, w> = <v, T w> without conjugation.
TEST(complex_gradient, of_a_product_is_not_conjugated) {
  Tensor m(Shape{2, 2}, std::vector<C>{{1, 1}, {0, 2}, {3, 0}, {0, -1}});
  auto transposed = [&](const Arrays& x) {
    auto product = [&](const Array& v) { return matmul(x[0], v); };
    auto [result, pull] = vjp(product, std::tuple{x[1]});
    return std::get<0>(pull(x[1]));
  };
  // (1+i, 3; 2i, -i) (1, i)
  EXPECT_EQ(computed_by(transposed, {m, row<C>({C{1, 0}, C{0, 1}})}), row<C>({C{1, 4}, C{1, 2}}));
}

TEST(complex_gradient, of_real_arguments_is_real) {
  auto loss = [](const Array& x) { return reduce_sum(real(exp(complex(0.0, x)))); };  // cos x
  Tensor zero = row(std::vector<double>{0});
  EXPECT_EQ(computed_by([&](const Arrays& x) { return grad(loss)(x[0]); }, {zero}).dtype(), DType::f64);
}

}  // namespace
}  // namespace tutti
