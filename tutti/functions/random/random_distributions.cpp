// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/random/random_distributions.hpp"

#include <cmath>
#include <limits>

#include "tutti/base/require.hpp"
#include "tutti/functions/random/random_draw.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/arg_reduce.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/bitcast_convert.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/clamp.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/stop_gradient.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/ops/zeros_of.hpp"

namespace tutti {
namespace {

void require_float(DType dtype) {
  require(is_float(dtype), Code::dtype, "a draw of {}; it is of floats: f16, bf16, f32, f64", name(dtype));
}

/// The number of bits of a fraction, and the smallest normal number.
struct FloatForm {
  int fraction;
  double smallest;
};
FloatForm form_of(DType dtype) {
  if (dtype == DType::f16) return {10, 0x1p-14};
  if (dtype == DType::bf16) return {7, 0x1p-126};
  if (dtype == DType::f32) return {23, 0x1p-126};
  return {52, 0x1p-1022};
}

/// erf_inv with the errors that it has in JAX: a more exact one would give other random numbers.
Array erf_inv_of_jax(const Array& x) { return apply_one(Unary{UnaryFn::xla_erf_inv}, {x}); }

Array normal_of_floats(const Key& key, const Shape& whole, DType dtype,
                       const std::optional<Sharding>& sharding) {
  double above_minus_one = std::ldexp(1.0, -form_of(dtype).fraction - 1) - 1;
  Array x = drawn_between(key, whole, dtype, above_minus_one, 1.0, sharding);
  return erf_inv_of_jax(x) * std::sqrt(2.0);
}

Array bound_in(DType dtype, const Operand& bound, const Shape& block, std::string_view name) {
  Array x = bound.number() ? constant(as_scalar(*bound.number(), dtype)) : convert(bound, dtype);
  require(broadcast_shape(block, x.shape()) == block, Code::shape,
          "{} is {}, which does not broadcast to [{}]", name, x.type(), block);
  return x;
}

enum class Towards { up, down };
/// The next number in a direction; infinity and NaN stay. Bits of floats of one sign are ordered as integers.
Array next(const Array& x, Towards towards) {
  Array bits = bitcast_convert(x, integer_as_wide_as(x.dtype()));
  bool up = towards == Towards::up;
  Array grows = up ? x > 0.0 : x < 0.0;
  Array one = ones_like(bits);
  Array step = select(grows, one, -one);
  Array moved = bitcast_convert(bits + step, x.dtype());
  Array smallest = bitcast_convert(one, x.dtype());
  Array from_zero = up ? smallest : -smallest;
  Array finite = select(equal(x, 0.0), from_zero, moved);
  return select(is_finite(x), finite, x);
}

Array gumbel_of_floats(const Key& key, const Shape& whole, DType dtype,
                       const std::optional<Sharding>& sharding) {
  Array x = drawn_between(key, whole, dtype, form_of(dtype).smallest, 1.0, sharding);
  return -log(-log(x));
}

}  // namespace

Array normal(const Key& key, const Shape& shape, DType dtype, const DrawOptions& options, Where where) {
  return front_end("normal", where, [&] {
    require(is_inexact(dtype), Code::dtype, "a draw of {}; it is of floats or complex numbers", name(dtype));
    auto sharding = sharding_of(options.block, Type(dtype, shape));
    if (!is_complex(dtype)) return normal_of_floats(key, shape, dtype, sharding);
    std::vector<Key> keys = split(key);
    DType part = part_of(dtype);
    Array re = normal_of_floats(keys[0], shape, part, sharding);
    Array im = normal_of_floats(keys[1], shape, part, sharding);
    re = re / std::sqrt(2.0);
    im = im / std::sqrt(2.0);
    return complex(re, im);
  });
}

Array truncated_normal(const Key& key, const Operand& lower, const Operand& upper, const Shape& shape,
                       DType dtype, const DrawOptions& options, Where where) {
  return front_end("truncated_normal", where, [&] {
    require_float(dtype);
    auto sharding = sharding_of(options.block, Type(dtype, shape));
    Shape block = block_shape(shape, sharding);
    Array from = bound_in(dtype, lower, block, "lower"), to = bound_in(dtype, upper, block, "upper");
    const double sqrt_2 = std::sqrt(2.0);
    Array a = erf(from / sqrt_2), b = erf(to / sqrt_2);
    Array drawn = drawn_between(key, shape, dtype, a, b, sharding);
    Array x = erf_inv_of_jax(drawn) * sqrt_2;
    // Rounding must not leave the open interval.
    Array lowest = next(stop_gradient(from), Towards::up), largest = next(stop_gradient(to), Towards::down);
    Array not_below = maximum(lowest, x);
    return minimum(not_below, largest);
  });
}

Array exponential(const Key& key, const Shape& shape, DType dtype, const DrawOptions& options, Where where) {
  return front_end("exponential", where, [&] {
    auto sharding = sharding_of(options.block, Type(dtype, shape));
    Array x = drawn_between(key, shape, dtype, 0.0, 1.0, sharding);
    return -log1p(-x);
  });
}

Array gumbel(const Key& key, const Shape& shape, DType dtype, const DrawOptions& options, Where where) {
  return front_end("gumbel", where, [&] {
    require_float(dtype);
    return gumbel_of_floats(key, shape, dtype, sharding_of(options.block, Type(dtype, shape)));
  });
}

Array categorical(const Key& key, const Operand& logits, const CategoricalOptions& options) {
  return front_end("categorical", logits.where(), [&] {
    Array x = as_array(logits);
    require(is_float(x.dtype()), Code::dtype, "the logits are {}; convert them: convert(logits, DType::f32)",
            x.type());
    Dim classes = as_dim(options.dim, x.type());
    Shape rest = x.shape().erased(classes), shape = options.shape.value_or(rest);
    require(shape.rank() >= rest.rank() && broadcast_shape(shape, rest) == shape, Code::shape,
            ".shape [{}] for logits {} with classes along dim {}; it is [more.., {}]", shape, x.type(),
            classes.index, rest);
    std::optional<Sharding> sharding = sharding_of(options.block, Type(DType::i32, shape));
    Dim at{shape.rank() - rest.rank() + classes.index};
    Shape terms = shape.inserted(at, x.shape()[classes]);
    if (sharding) sharding->dims.insert(sharding->dims.begin() + at.index, Axes());
    Array noise = gumbel_of_floats(key, whole_shape(terms, sharding), x.dtype(), sharding);
    return argmax(noise + x, at.index);
  });
}

Array dropout(const Key& key, const Operand& x, double rate, const DrawOptions& options) {
  return front_end("dropout", x.where(), [&] {
    Array array = as_array(x);
    require(rate >= 0 && rate <= 1, Code::number, "a rate of {}; it is from 0 to 1", rate);
    require(is_inexact(array.dtype()), Code::dtype, "{} is not of floats; convert it: convert(x, DType::f32)",
            array.type());
    if (rate == 0) return array;
    Array none = zeros_of(array.type());
    if (rate == 1) return none;
    auto sharding = sharding_of(options.block, array.type());
    Array unit = drawn(key, whole_shape(array.shape(), sharding), DType::f32, sharding);
    Array is_kept = unit < (1 - rate);
    Array kept = array / (1 - rate);
    return select(is_kept, kept, none);
  });
}

}  // namespace tutti
