// SPDX-License-Identifier: Apache-2.0
// The twins of the second half of jax_local_ops.py.
#include "tests/support/pointwise_functions.hpp"

namespace tutti {
namespace {

const P everywhere, by_x("x");

Array over_devices(const Array& x) { return psum(reduce_sum(x), "x"); }

Array angles(const Arrays& a) {
  const Array &x = a[0], &w = a[1], y = x * w, inner = 0.9 * y;
  return over_devices(tan(y) + asin(inner) * w + acos(inner) * x + atan(3.0 * y));
}

Array hyperbolic_functions(const Arrays& a) {
  const Array &x = a[0], &w = a[1], y = x * w;
  return over_devices(sinh(2.0 * y) + cosh(y) * x + asinh(3.0 * y) * w + acosh(2.0 + y) + atanh(0.9 * y) * w);
}

Array powers_and_roots(const Arrays& a) {
  const Array &x = a[0], &w = a[1], y = 2.0 + x * w;
  return over_devices(exp2(y) * w + log2(y) * x + log10(y) + cbrt(y) * w + hypot(x, w + 2.0) * x);
}

Array error_functions(const Arrays& a) {
  const Array &x = a[0], &w = a[1], y = x * w;
  return over_devices(erfc(y) * x + erf_inv(0.5 * y) * w);
}

Array logarithm_of_gamma(const Arrays& a) { return over_devices(lgamma(a[0] * a[1] + 2.5) * a[1]); }

Array complex_angles(const Arrays& a) {
  Array z = complex(0.5 * a[0] * a[1], 0.3 * a[1] + 0.2 * a[0]);
  Array first = tan(z) * sinh(z) + cosh(z), second = asinh(z) + atanh(z) * asin(z);
  Array third = atan(z) - acos(z) * acosh(z + 2.0);
  return over_devices(abs(first + second) + real(third));
}

Array remainders(const Arrays& a) {
  const Array &x = a[0], &w = a[1], y = 3.0 * x;
  Array whole = floor_divide(y, 0.7) + floor_divide(y, -0.4) * w;
  return over_devices(whole * x + mod(y, 0.7) * w + mod(y, -0.4) + mod(2.0 + x, 1.5 + w));
}

Array signs_and_logarithms(const Arrays& a) {
  const Array &x = a[0], &w = a[1];
  return over_devices(copysign(x * x, w) * x + logaddexp(x, 3.0 * w) + xlogy(x + 1.5, w + 1.5) +
                      deg2rad(100.0 * x) * w + rad2deg(0.1 * x * w));
}

Array not_numbers(const Arrays& a) {
  Array x = stop_gradient(a[0]), odd = log(floor(2.0 * x));  // NaN, -inf and 0
  Array plain = nan_to_num(odd, {.nan = 0.25, .posinf = 2, .neginf = -3});
  return over_devices(plain * a[1] + where(isnan(odd), a[0], a[0] * a[1]) +
                      where(isinf(odd), a[1], a[0] * a[0]));
}

Array counted_bits(const Arrays& a) {
  Array n = convert(1000.0 * stop_gradient(a[0]), DType::i32), m = convert(n, DType::i64);
  Array counts = convert(popcount(n), DType::f64) + convert(count_leading_zeros(m), DType::f64);
  return over_devices(counts * a[0] * a[1] + convert(mod(n, 7), DType::f64) * a[1] +
                      convert(floor_divide(n, -7), DType::f64) * 0.01 * a[0]);
}

Array smooth_activations(const Arrays& a) {
  const Array &x = a[0], &w = a[1], y = 2.0 * x * w;
  return over_devices(gelu(y) + gelu(y, {.approximate = false}) * x + silu(y) * w);
}

Array soft_activations(const Arrays& a) {
  const Array &x = a[0], &w = a[1], y = 2.0 * x * w;
  return over_devices(softplus(y) + log_sigmoid(y) * x);
}

Array activations_with_kinks(const Arrays& a) {
  const Array &x = a[0], &w = a[1], y = 2.0 * x * w;
  return over_devices(elu(y, 0.5) * x + selu(x) * w + leaky_relu(y) + leaky_relu(x, 0.3) * w +
                      hard_tanh(1.5 * y));
}

Array gated(const Arrays& a) { return over_devices(glu(a[0]) * a[1] + glu(sin(a[0]), -1)); }

Array normal_layers(const Arrays& a) {
  const Array &x = a[0], &w = a[1];
  Array first = layer_norm(x, w, 0.5 * w) * x + layer_norm(x * x, {.epsilon = 0.1});
  return over_devices(first + rms_norm(x, w) * x + rms_norm(sin(x), {.dims = {0, 1}, .epsilon = 0.25}));
}

}  // namespace

std::vector<Function> pointwise_functions() {
  const std::vector<P> specs{by_x, everywhere};
  const std::vector<Shape> shapes{{8, 3}, {3}};
  return {{"angles", specs, shapes, angles},
          {"hyperbolic_functions", specs, shapes, hyperbolic_functions},
          {"powers_and_roots", specs, shapes, powers_and_roots},
          {"error_functions", specs, shapes, error_functions},
          {"logarithm_of_gamma", specs, shapes, logarithm_of_gamma},
          {"complex_angles", specs, shapes, complex_angles},
          {"remainders", specs, shapes, remainders},
          {"signs_and_logarithms", specs, shapes, signs_and_logarithms},
          {"not_numbers", specs, shapes, not_numbers},
          {"counted_bits", specs, shapes, counted_bits},
          {"smooth_activations", specs, shapes, smooth_activations},
          {"soft_activations", specs, shapes, soft_activations},
          {"activations_with_kinks", specs, shapes, activations_with_kinks},
          {"gated", specs, {{8, 6}, {3}}, gated},
          {"normal_layers", specs, shapes, normal_layers}};
}

}  // namespace tutti
