// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/random/random_draw.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/axis_index.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/random_bits.hpp"

namespace tutti {
namespace {

// In the order of their mesh.
Axes bound_mesh_axes() {
  Axes axes;
  for (const Axis& axis : Builder::current().bound_axes())
    if (is_mesh_axis(axis)) axes.push_back(axis);
  std::ranges::sort(axes);
  return axes;
}

/// The number of the first element of this device's block; none if it is 0 on all devices.
std::optional<Array> start_of_block(const Shape& whole, const Shape& block, const Sharding& sharding) {
  std::optional<Array> sum;
  std::int64_t numbers = 1;
  for (int i = whole.rank(); i-- > 0; numbers *= whole[i]) {
    const Axes& axes = sharding.dims[static_cast<std::size_t>(i)];
    if (axes.empty()) continue;
    Array position = convert(axis_index(axes), DType::u64);
    Array term = position * (block[i] * numbers);
    sum = sum ? *sum + term : term;
  }
  return sum;
}

double as_stored(const Number& number, DType dtype) { return as_scalar(number, dtype).at(0); }

/// The range of two numbers, which the op draws in itself.
std::optional<RandomRange> range_of(DType dtype, const Operand& low, const Operand& high) {
  if (!low.number() || !high.number()) return std::nullopt;
  double from = as_stored(*low.number(), dtype), to = as_stored(*high.number(), dtype);
  double width = as_stored(Number(to - from), dtype);
  bool is_unit = from == 0 && width == 1, has_range = dtype == DType::f32 || dtype == DType::f64;
  if (is_unit) return RandomRange{};
  if (has_range && width >= 0) return RandomRange{from, width};
  return std::nullopt;
}

Array bound_in(DType dtype, const Operand& bound) {
  return bound.number() ? constant(as_scalar(*bound.number(), dtype)) : convert(bound, dtype);
}

}  // namespace

Array words_of(const Key& key) {
  Type type = key.data.type({});
  require(type.dtype() == DType::u32, Code::dtype, "the key is {}, not u32[2]; make it by key(seed)", type);
  require(type.shape() == Shape{2}, Code::shape,
          "the key is {}, not u32[2]; of several keys draw in a vmap, which maps over them", type);
  return key.data;
}

std::optional<Sharding> sharding_of(const std::optional<P>& block, Type whole_or_block) {
  if (!block) return std::nullopt;
  Axes axes = bound_mesh_axes();
  require(!axes.empty(), Code::axis_unbound,
          ".block names axes of a mesh, but no mesh is bound here; use it inside shard_map, or leave it out: "
          "a draw outside of shard_map is whole");
  const Mesh mesh = Mesh::of(axes);
  Sharding sharding = block->on(mesh, whole_or_block.with(AxisStates()));
  require_whole_axes(sharding, mesh);
  require(sharding.unreduced.empty() && sharding.reduced.empty(), Code::spec,
          "{} as .block: a draw is no sum; name axes for its dims only", sharding);
  return sharding;
}

Shape block_shape(const Shape& whole, const std::optional<Sharding>& sharding) {
  return sharding ? local_type(Type(DType::u32, whole), *sharding).shape() : whole;
}

Shape whole_shape(const Shape& block, const std::optional<Sharding>& sharding) {
  return sharding ? global_type(Type(DType::u32, block), *sharding).shape() : block;
}

Array drawn(const Key& key, const Shape& whole, DType dtype, const std::optional<Sharding>& sharding,
            const RandomRange& range) {
  Array words = words_of(key);
  Shape block = block_shape(whole, sharding);
  std::optional<Array> start = sharding ? start_of_block(whole, block, *sharding) : std::nullopt;
  return random_bits(words, start, {dtype, block, whole, range});
}

Array drawn_between(const Key& key, const Shape& whole, DType dtype, const Operand& low, const Operand& high,
                    const std::optional<Sharding>& sharding) {
  require(is_float(dtype), Code::dtype, "a draw of {}; it is of floats: f16, bf16, f32, f64", name(dtype));
  if (std::optional<RandomRange> range = range_of(dtype, low, high))
    return drawn(key, whole, dtype, sharding, *range);
  Array unit = drawn(key, whole, dtype, sharding), from = bound_in(dtype, low), to = bound_in(dtype, high);
  Array width = to - from;
  Array scaled = unit * width;
  return maximum(from, scaled + from);
}

}  // namespace tutti
