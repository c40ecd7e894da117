// SPDX-License-Identifier: Apache-2.0
// Compositions of our functions in docs/numpy.md, compared with the function of JAX. The twins are in
// jax_composed.py.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include "tests/support/oracle.hpp"
#include "tutti/tensor/fft/fft.hpp"
#include "tutti/tutti.hpp"

namespace tutti {

/// A function of JAX, behind its last dot, and the expression of ours. What follows `_of_` in a name tells
/// two rows apart.
struct Composed {
  std::string name;
  std::function<Array()> expression;
};
void PrintTo(const Composed& composed, std::ostream* out) { *out << composed.name; }

namespace {

// The arguments of the twins, in this order.
const Array x = Tensor({6}, {-2.5F, -0.25F, 0.F, 0.75F, 1.5F, 7.F});
const Array v = Tensor({3}, {0.5F, 2.F, -1.5F});
const Array q = Tensor({2, 3}, {1.F, 5.F, 2.F, -3.F, 4.F, 8.F});
const Array i = Tensor({6}, {0, 1, 2, 2, 1, 0});
const Array bits = Tensor({2, 8}, std::vector<std::uint8_t>{1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 1, 0, 1, 0, 1});
const Array big = Tensor({2}, std::vector<std::uint32_t>{4'000'000'000U, 123'456'789U});
constexpr double pi = std::numbers::pi, ln2 = std::numbers::ln2;

Array flat(const Array& a) { return reshape(a, {-1}); }
Array z() { return complex(v, square(v) - 1); }
Array truncated() { return where(x < 0, ceil(x), floor(x)); }
Array windows(int n, int m) {
  return reshape(arange(n + m - 1, DType::i32), {-1, 1}) + arange(m, DType::i32);
}
Array poly() {
  Array p = ones({1}, DType::f32);
  for (int k = 0; k < 3; ++k) p = pad(p, 0, {{0, 1}}) - index_in_dim(v, k) * pad(p, 0, {{1, 0}});
  return p;
}
Array cov() {
  Array d = q - expand_dims(mean(q, 1), 1);
  return matmul(d, transpose(d)) / 2;
}
Array blackman() {
  Array t = 2 * pi * arange(7, DType::f32) / 6;
  return 0.42 - 0.5 * cos(t) + 0.08 * cos(2 * t);
}
Array sinc() { return where(equal(x, 0), 1, sin(pi * x) / (pi * where(equal(x, 0), 1, x))); }
Array log1mexp() {
  Array y = abs(x) + 0.1;
  return where(y < ln2, log(-expm1(-y)), log1p(-exp(-y)));
}
Array mulhi() {
  return convert(shift_right_logical(convert(big, DType::u64) * convert(big, DType::u64), 32), DType::u32);
}
Array chosen() { return index_in_dim(take_along_axis(stack({x, 2 * x, 3 * x}), expand_dims(i, 0), 0), 0); }

std::vector<Composed> of_arrays() {
  return {
      {"angle", [] { return atan2(imag(z()), real(z())); }},
      {"append", [] { return concatenate({flat(q), flat(v)}); }},
      {"choose", chosen},
      {"column_stack", [] { return stack({x, 2 * x}, 1); }},
      {"convolve", [] { return matmul(take(pad(x, 0, {{2, 2}}), windows(6, 3), 0), rev(v)); }},
      {"correlate", [] { return matmul(take(pad(x, 0, {{2, 2}}), windows(6, 3), 0), v); }},
      {"cov", cov},
      {"delete", [] { return concatenate({slice_in_dim(x, 0, 2), slice_in_dim(x, 3, {})}); }},
      {"diff", [] { return slice_in_dim(x, 1, {}) - slice_in_dim(x, 0, -1); }},
      {"dstack", [] { return stack({q, 2 * q}, 2); }},
      {"ediff1d", [] { return slice_in_dim(flat(q), 1, {}) - slice_in_dim(flat(q), 0, -1); }},
      {"gradient", [] { return (slice_in_dim(x, 2, {}) - slice_in_dim(x, 0, -2)) / 2; }},
      {"insert", [] { return concatenate({slice_in_dim(x, 0, 2), v, slice_in_dim(x, 2, {})}); }},
      {"packbits", [] { return reduce_sum(shift_left(bits, rev(arange(8, DType::u8))), 1); }},
      {"resize", [] { return reshape(take(flat(q), arange(10, DType::i32) % 6, 0), {2, 5}); }},
      {"select_n", chosen},
      {"trapezoid", [] { return reduce_sum(slice_in_dim(x, 1, {}) + slice_in_dim(x, 0, -1)) * 0.25; }},
      {"unpackbits",
       [] {
         Array bytes = reduce_sum(shift_left(bits, rev(arange(8, DType::u8))), 1);
         return flat(shift_right_logical(expand_dims(bytes, -1), rev(arange(8, DType::u8))) & 1);
       }},
      {"unravel_index", [] { return stack({i / 2, i % 2}); }},
      {"vander", [] { return pow(expand_dims(v, 1), rev(arange(4, DType::f32))); }},
      {"vecdot", [] { return reduce_sum(conj(z()) * z(), -1); }},
  };
}
// Both parts of complex numbers.
Array parts(const Array& c) { return stack({real(c), imag(c)}); }
Array box() { return reshape(sin(arange(120, DType::f32)), {2, 3, 4, 5}); }
std::vector<Composed> of_transforms() {
  return {
      {"fft", [] { return parts(fft(x)); }},
      {"fft_of_fewer", [] { return parts(fft(x, {.n = 4, .norm = FftNorm::ortho})); }},
      {"ifft_of_more", [] { return parts(ifft(z(), {.n = 5, .norm = FftNorm::forward})); }},
      {"rfft_of_dim_0", [] { return parts(rfft(q, {.dim = 0})); }},
      {"irfft", [] { return irfft(z()); }},
      {"irfft_of_5", [] { return irfft(z(), {.n = 5, .norm = FftNorm::ortho}); }},
      {"hfft", [] { return irfft(conj(z()), {.n = 4, .norm = FftNorm::forward}); }},
      {"ihfft", [] { return parts(conj(rfft(x, {.norm = FftNorm::forward}))); }},
      {"fft2", [] { return parts(fft2(box())); }},
      {"rfft2", [] { return parts(rfft2(box(), {.sizes = {5, 4}, .dims = {2, 0}})); }},
      {"irfft2", [] { return irfft2(complex(box(), square(box()))); }},
      {"fftn", [] { return parts(fftn(box())); }},
      {"ifftn", [] { return parts(ifftn(box(), {.dims = {3, 0}, .norm = FftNorm::ortho})); }},
      {"rfftn", [] { return parts(rfftn(box())); }},
      {"irfftn", [] { return irfftn(complex(box(), square(box()))); }},
      {"irfftn_of_sizes", [] { return irfftn(complex(box(), square(box())), {.sizes = {3, 7}}); }},
      {"fftshift", [] { return fftshift(box(), {1, 3}); }},
      {"ifftshift", [] { return ifftshift(box()); }},
      {"fftfreq_of_5", [] { return fftfreq(5, 0.5); }},
      {"fftfreq_of_4", [] { return fftfreq(4, 0.5); }},
      {"rfftfreq", [] { return rfftfreq(5, 0.5); }},
      {"rfftfreq_of_4", [] { return rfftfreq(4, 0.5); }},
  };
}
std::vector<Composed> of_elements() {
  return {
      {"heaviside", [] { return where(equal(x, 0), 0.25F, maximum(sign(x), 0)); }},
      {"isclose", [] { return abs(x - round(x)) <= 1e-8 + 1e-5 * abs(round(x)); }},
      {"modf", [] { return stack({x % 1, truncated()}); }},
      {"poly", poly},
      {"polyadd", [] { return pad(v, 0, {{3, 0}}) + x; }},
      {"polyder", [] { return slice_in_dim(x, 0, -1) * rev(arange(5, DType::f32) + 1); }},
      {"polyint", [] { return pad(x / rev(arange(6, DType::f32) + 1), 0, {{0, 1}}); }},
      {"reciprocal", [] { return 1 / v; }},
      {"signbit", [] { return bitcast_convert(x, DType::i32) < 0; }},
      {"sinc", sinc},
      {"trunc", truncated},
      {"bartlett", [] { return 1 - abs(2 * arange(7, DType::f32) / 6 - 1); }},
      {"blackman", blackman},
      {"hamming", [] { return 0.54 - 0.46 * cos(2 * pi * arange(7, DType::f32) / 6); }},
      {"hanning", [] { return 0.5 - 0.5 * cos(2 * pi * arange(7, DType::f32) / 6); }},
      {"mulhi", mulhi},
      {"celu", [] { return where(x > 0, x, 0.5 * expm1(minimum(x, 0) / 0.5)); }},
      {"hard_sigmoid", [] { return clamp(0, x + 3, 6) / 6; }},
      {"hard_silu", [] { return x * clamp(0, x + 3, 6) / 6; }},
      {"log1mexp", log1mexp},
      {"logmeanexp", [] { return logsumexp(x) - std::log(6); }},
      {"relu6", [] { return clamp(0, x, 6); }},
      {"soft_sign", [] { return x / (1 + abs(x)); }},
      {"sparse_plus", [] { return where(x <= -1, 0, where(x >= 1, x, square(x + 1) / 4)); }},
      {"sparse_sigmoid", [] { return clamp(0, (x + 1) / 2, 1); }},
      {"squareplus", [] { return (x + sqrt(square(x) + 4.0)) / 2; }},
  };
}
std::vector<Composed> all_composed() {
  std::vector<Composed> rows = of_arrays(), more = of_elements();
  rows.insert(rows.end(), more.begin(), more.end());
  if (has_fft()) more = of_transforms();
  else more.clear();
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

std::vector<double> parts_of(const Tensor& tensor) {
  std::vector<double> parts;
  for (std::int64_t k = 0; k < tensor.elements(); ++k) {
    if (tensor.dtype() == DType::complex64) {
      parts.push_back(tensor.as<std::complex<float>>()[k].real());
      parts.push_back(tensor.as<std::complex<float>>()[k].imag());
    } else {
      parts.push_back(tensor.at(k));
    }
  }
  return parts;
}

class composed : public OracleTest, public ::testing::WithParamInterface<Composed> {};

// 1e-5 is 168 roundings of f32. No row has more than 20, of numbers not larger than eight times its result or
// one.
TEST_P(composed, equals_the_function_of_jax) {
  Tensors arguments;
  for (const Array& argument : {x, v, q, i, bits, big}) arguments.push_back(argument.tensor());
  const Verdict jax = Oracle::shared().run_jax("composed_" + GetParam().name, arguments);
  ASSERT_EQ(jax.failure, "");
  const Tensor ours = open_local(Mesh()).compile(GetParam().expression)().tensor(),
               theirs = jax.results[0][0];
  EXPECT_EQ(ours.shape(), theirs.shape());
  EXPECT_EQ(ours.dtype(), theirs.dtype());
  const std::vector<double> found = parts_of(ours), expected = parts_of(theirs);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_LE(std::abs(found[k] - expected[k]), 1e-5 * std::max(1.0, std::abs(expected[k]))) << k;
}

TEST_P(composed, stands_in_the_page) {
  const std::string name = GetParam().name.substr(0, GetParam().name.find("_of_"));
  std::ifstream page("docs/numpy.md");
  bool found = false;
  for (std::string line; std::getline(page, line);)
    found |= line.starts_with("| `") && line.find("`" + name + "`") < line.find(" | ");
  EXPECT_TRUE(found);
}

INSTANTIATE_TEST_SUITE_P(of, composed, ::testing::ValuesIn(all_composed()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace tutti
