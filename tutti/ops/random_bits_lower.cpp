// SPDX-License-Identifier: Apache-2.0
// RandomBits as StableHLO: the rounds of Threefry written out, on words in arrays of the result's shape.
#include <map>

#include "tutti/ir/emitter.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/random_bits.hpp"

namespace tutti {
namespace {

using stablehlo::Value;

class Writer {
 public:
  Writer(Emitter& emitter, const Shape& shape) : emitter_(emitter), shape_(shape) {}

  Type type(DType dtype) const { return {dtype, shape_}; }
  /// `x`, of shape `from`, which the first dims of the shape begin with.
  Value spread(Value x, DType dtype, const Shape& from) {
    if (from == shape_) return x;
    return emitter_.emit("stablehlo.broadcast_in_dim", {x}, type(dtype),
                         {{"broadcast_dimensions", stablehlo::integers(indices(dims_of(from.rank())))}});
  }
  /// `number` everywhere; equal ones are written once.
  Value full(DType dtype, std::uint64_t number) {
    auto [found, is_new] = numbers_.try_emplace({dtype, number});
    if (is_new) found->second = spread(emitter_.constant(Tensor::scalar_of(dtype, number)), dtype, {});
    return found->second;
  }
  Value binary(std::string_view op, DType dtype, Value a, Value b) {
    return emitter_.emit(op, {a, b}, type(dtype));
  }
  Value add(Value a, Value b) { return binary("stablehlo.add", DType::u32, a, b); }
  Value exclusive_or(Value a, Value b) { return binary("stablehlo.xor", DType::u32, a, b); }
  Value shifted_left(DType dtype, Value x, int bits) {
    return binary("stablehlo.shift_left", dtype, x, full(dtype, static_cast<std::uint64_t>(bits)));
  }
  Value shifted_right(DType dtype, Value x, int bits) {
    return binary("stablehlo.shift_right_logical", dtype, x, full(dtype, static_cast<std::uint64_t>(bits)));
  }
  Value either(DType dtype, Value a, Value b) { return binary("stablehlo.or", dtype, a, b); }
  Value converted(Value x, DType to) { return emitter_.emit("stablehlo.convert", {x}, type(to)); }
  /// 0, 1, .. along `dim`.
  Value positions(int dim) {
    return emitter_.emit("stablehlo.iota", {}, type(DType::u64),
                         {{"iota_dimension", stablehlo::integer(dim)}});
  }
  Emitter& emitter() { return emitter_; }

 private:
  Emitter& emitter_;
  const Shape& shape_;
  std::map<std::pair<DType, std::uint64_t>, Value> numbers_;
};

/// Word 0 or 1 of the keys, for every element.
Value word_of_key(Writer& writer, Value key, int word) {
  Emitter& emitter = writer.emitter();
  Type type = emitter.operand_types()[0];
  Dim last{type.rank() - 1};
  std::vector<std::int64_t> start(static_cast<std::size_t>(type.rank())), limit = type.shape().sizes(),
                                                                          stride(start.size(), 1);
  start.back() = word;
  limit.back() = word + 1;
  Value column = emitter.emit("stablehlo.slice", {key}, Type(DType::u32, type.shape().with(last, 1)),
                              {{"start_indices", stablehlo::integers(start)},
                               {"limit_indices", stablehlo::integers(limit)},
                               {"strides", stablehlo::integers(stride)}});
  Shape keys = type.shape().erased(last);
  return writer.spread(emitter.emit("stablehlo.reshape", {column}, Type(DType::u32, keys)), DType::u32, keys);
}

/// The number of every element of the draw.
Value numbers_of(Writer& writer, const RandomBits& op, const Lowered& operands) {
  Type result = writer.emitter().result_types()[0];
  std::optional<Value> sum;
  auto add = [&](Value term) { sum = sum ? writer.binary("stablehlo.add", DType::u64, *sum, term) : term; };
  if (operands.size() > 1)
    add(writer.spread(operands[1], DType::u64, writer.emitter().operand_types()[1].shape()));
  std::uint64_t numbers = 1;
  for (int i = op.block.rank(); i-- > 0; numbers *= static_cast<std::uint64_t>(op.whole[i]))
    add(writer.binary("stablehlo.multiply", DType::u64, writer.positions(result.rank() - op.block.rank() + i),
                      writer.full(DType::u64, numbers)));
  return sum ? *sum : writer.full(DType::u64, 0);
}

struct Words {
  Value a, b;
};

Words hashed(Writer& writer, Value key_a, Value key_b, Words x) {
  Value parity = writer.full(DType::u32, threefry::key_parity);
  Value keys[] = {key_a, key_b, writer.exclusive_or(writer.exclusive_or(key_a, key_b), parity)};
  x = {writer.add(x.a, keys[0]), writer.add(x.b, keys[1])};
  for (unsigned i = 1; i <= 5; ++i) {
    for (int rotation : threefry::rotations[(i - 1) % 2]) {
      x.a = writer.add(x.a, x.b);
      Value left = writer.shifted_left(DType::u32, x.b, rotation);
      Value right = writer.shifted_right(DType::u32, x.b, 32 - rotation);
      x.b = writer.exclusive_or(x.a, writer.either(DType::u32, left, right));
    }
    x.a = writer.add(x.a, keys[i % 3]);
    x.b = writer.add(writer.add(x.b, keys[(i + 1) % 3]), writer.full(DType::u32, i));
  }
  return x;
}

/// The bits of an unsigned dtype.
Value bits_of(Writer& writer, Words x, DType dtype) {
  if (dtype != DType::u64) {
    Value bits = writer.exclusive_or(x.a, x.b);
    return dtype == DType::u32 ? bits : writer.converted(bits, dtype);
  }
  Value upper = writer.shifted_left(DType::u64, writer.converted(x.a, DType::u64), 32);
  return writer.either(DType::u64, upper, writer.converted(x.b, DType::u64));
}

/// How floats are made of bits: those of `from`, in an integer of the float's width, without the last
/// `dropped`.
struct Fraction {
  DType from, word;
  int dropped;
  std::uint64_t one;  // the bits of 1
};
Fraction fraction_of(DType dtype) {
  if (dtype == DType::f16) return {DType::u16, DType::u16, 6, 0x3C00};
  if (dtype == DType::bf16) return {DType::u8, DType::u16, 1, 0x3F80};
  if (dtype == DType::f32) return {DType::u32, DType::u32, 9, 0x3F800000};
  return {DType::u64, DType::u64, 12, std::uint64_t{0x3FF} << 52};
}

}  // namespace

Lowered RandomBits::lower(Emitter& emitter, const Lowered& operands) const {
  Shape shape = emitter.result_types()[0].shape();
  Writer writer(emitter, shape);
  Value numbers = numbers_of(writer, *this, operands);
  Value high = writer.converted(writer.shifted_right(DType::u64, numbers, 32), DType::u32);
  Value low = writer.converted(numbers, DType::u32);
  Value key_a = word_of_key(writer, operands[0], 0), key_b = word_of_key(writer, operands[0], 1);
  Words words = hashed(writer, key_a, key_b, {high, low});
  if (is_unsigned(dtype)) return {bits_of(writer, words, dtype)};
  auto [from, word, dropped, one] = fraction_of(dtype);
  Value bits = bits_of(writer, words, from);
  if (from != word) bits = writer.converted(bits, word);
  Value at_one = writer.either(word, writer.shifted_right(word, bits, dropped), writer.full(word, one));
  Value in_one_two = emitter.emit("stablehlo.bitcast_convert", {at_one}, writer.type(dtype));
  auto number = [&](double value) {
    return writer.spread(emitter.constant(Tensor::scalar_of(dtype, value)), dtype, {});
  };
  Value unit = writer.binary("stablehlo.subtract", dtype, in_one_two, number(1));
  if (range == RandomRange()) return {unit};
  Value scaled = writer.binary("stablehlo.multiply", dtype, unit, number(range.width));
  return {writer.binary("stablehlo.add", dtype, scaled, number(range.low))};
}

}  // namespace tutti
