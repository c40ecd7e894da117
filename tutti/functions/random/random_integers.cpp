// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <variant>

#include "tutti/base/require.hpp"
#include "tutti/functions/random/random_draw.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/clamp.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/select.hpp"

namespace tutti {
namespace {

struct Limits {
  std::int64_t lowest;
  std::uint64_t largest;
};
Limits limits_of(DType dtype) {
  int width = static_cast<int>(bytes_per_element(dtype)) * 8;
  if (is_unsigned(dtype)) return {0, ~std::uint64_t{0} >> (64 - width)};
  std::uint64_t largest = ~std::uint64_t{0} >> (65 - width);
  return {-static_cast<std::int64_t>(largest) - 1, largest};
}

DType unsigned_of(DType dtype) { return bytes_per_element(dtype) == 8 ? DType::u64 : DType::u32; }

Array number_in(DType dtype, std::uint64_t number) { return constant(Tensor::scalar_of(dtype, number)); }

/// The limits that both dtypes have.
std::pair<Array, Array> common_limits(DType a, DType b) {
  Limits of_a = limits_of(a), of_b = limits_of(b);
  Array lowest = constant(Tensor::scalar_of(a, std::max(of_a.lowest, of_b.lowest)));
  Array largest = number_in(a, std::min(of_a.largest, of_b.largest));
  return {lowest, largest};
}

/// Replaces integers out of the range of `to` by the nearest in it.
Array clipped(const Array& x, DType to) {
  if (x.dtype() == to) return x;
  auto [lowest, largest] = common_limits(x.dtype(), to);
  return convert(clamp(lowest, x, largest), to);
}

Array constant_of(const Number& number) {
  const auto* large = std::get_if<std::uint64_t>(&number);
  bool is_beyond_i64 = large && *large > limits_of(DType::i64).largest;
  return constant(as_scalar(number, is_beyond_i64 ? DType::u64 : DType::i64));
}

Array bound_of(const Operand& bound, const Shape& shape, std::string_view name) {
  Array x = bound.array() ? *bound.array() : constant_of(*bound.number());
  require(is_integer(x.dtype()), Code::dtype, "{} is {}, not an integer", name, x.type());
  require(broadcast_shape(shape, x.shape()) == shape, Code::shape,
          "{} is {}, which does not broadcast to [{}]", name, x.type(), shape);
  return x;
}

/// The number of integers of [low, high), 1 if there are none; 0 stands for all that the unsigned dtype has.
/// `is_beyond`: high is one more than the largest integer of its dtype.
Array span_of(const Array& low, const Array& high, const Array& is_beyond) {
  DType word = unsigned_of(low.dtype());
  Array one = number_in(word, 1), is_empty = high <= low;
  Array distance = select(is_empty, one, convert(high - low, word));
  Array has_one_more = logical_and(is_beyond, high > low);
  return select(has_one_more, distance + one, distance);
}

/// upper * 2^width + lower modulo span, without more than `width` bits.
Array modulo(const Array& upper, const Array& lower, const Array& span) {
  DType word = span.dtype();
  int width = static_cast<int>(bytes_per_element(word)) * 8;
  Array half = rem(number_in(word, std::uint64_t{1} << (width / 2)), span);
  Array carried = rem(half * half, span);
  Array of_upper = rem(upper, span) * carried;
  Array of_lower = rem(lower, span);
  return rem(of_upper + of_lower, span);
}

/// Twice as many bits as the dtype has, modulo the span: that hides the bias of small spans.
Array integers(const Key& key, const Shape& whole, const Array& low, const Array& high, DType dtype,
               const std::optional<Sharding>& sharding) {
  Array largest = common_limits(high.dtype(), dtype).second;
  Array is_beyond = high > largest;
  Array from = clipped(low, dtype), to = clipped(high, dtype);
  std::vector<Key> keys = split(key);
  DType word = unsigned_of(dtype);
  Array upper = drawn(keys[0], whole, word, sharding), lower = drawn(keys[1], whole, word, sharding);
  Array offset = modulo(upper, lower, span_of(from, to, is_beyond));
  return from + convert(offset, dtype);
}

}  // namespace

Array randint(const Key& key, const Shape& shape, const Operand& low, const Operand& high, DType dtype,
              const DrawOptions& options, Where where) {
  return front_end("randint", where, [&] {
    require(is_integer(dtype), Code::dtype, "a draw of {}; it is of integers: convert what is drawn",
            name(dtype));
    auto sharding = sharding_of(options.block, Type(dtype, shape));
    Shape block = block_shape(shape, sharding);
    Array from = bound_of(low, block, "low"), to = bound_of(high, block, "high");
    if (bytes_per_element(dtype) >= 4) return integers(key, shape, from, to, dtype, sharding);
    // Few bits would be biased. Bounds beyond i32 wrap, as in JAX.
    Limits limits = limits_of(dtype);
    auto largest = static_cast<std::int64_t>(limits.largest);
    from = clamp(limits.lowest, convert(from, DType::i32), largest);
    to = clamp(limits.lowest, convert(to, DType::i32), largest + 1);
    return convert(integers(key, shape, from, to, DType::i32, sharding), dtype);
  });
}

}  // namespace tutti
