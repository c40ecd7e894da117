// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/ptx_values.hpp"

#include <bit>
#include <cmath>
#include <stdexcept>

#include "tutti/types/half.hpp"

namespace tutti::kernels {
namespace {

std::uint64_t low_bits(std::uint64_t bits, int count) {
  return count >= 64 ? bits : bits & ((std::uint64_t{1} << count) - 1);
}

float f32_of(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
double f64_of(std::uint64_t bits) { return std::bit_cast<double>(bits); }
std::uint64_t bits_of(float x) { return std::isnan(x) ? 0x7FFFFFFF : std::bit_cast<std::uint32_t>(x); }
std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }

bool is_float(PtxType type) { return type.letter == 'f' || type.letter == 'h' || type.letter == 'g'; }

/// -0 is less than 0. A number wins over NaN unless the instruction says otherwise.
template <class T>
T extremum(const PtxInstruction& instruction, T x, T y) {
  if (std::isnan(x) || std::isnan(y)) {
    if (instruction.prefers_nan || (std::isnan(x) && std::isnan(y))) return std::nan("");
    return std::isnan(x) ? y : x;
  }
  const bool is_less = x < y || (x == y && std::signbit(x) && !std::signbit(y));
  return is_less == (instruction.code == PtxCode::max) ? y : x;
}

template <class T>
std::uint64_t of_floats(const PtxInstruction& instruction, T x, T y) {
  switch (instruction.code) {
    case PtxCode::add: return bits_of(x + y);
    case PtxCode::mul: return bits_of(x * y);
    case PtxCode::min:
    case PtxCode::max: return bits_of(extremum(instruction, x, y));
    default: throw std::runtime_error("no arithmetic of floats: " + instruction.text);
  }
}

std::uint64_t shifted(const PtxInstruction& instruction, std::uint64_t x, std::uint64_t count) {
  const auto width = static_cast<std::uint64_t>(instruction.type.bits);
  const bool is_signed = instruction.type.letter == 's';
  if (instruction.code == PtxCode::shl) return count >= width ? 0 : x << count;
  if (is_signed)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(x) >> std::min(count, width - 1));
  return count >= width ? 0 : x >> count;
}

std::uint64_t of_integers(const PtxInstruction& instruction, std::uint64_t x, std::uint64_t y) {
  const auto sx = static_cast<std::int64_t>(x), sy = static_cast<std::int64_t>(y);
  const bool is_signed = instruction.type.letter == 's';
  switch (instruction.code) {
    case PtxCode::add: return x + y;
    case PtxCode::sub: return x - y;
    case PtxCode::mul:
    case PtxCode::mul_wide: return x * y;  // both operands are extended
    case PtxCode::div:
      if (y == 0) throw std::runtime_error("division by zero: " + instruction.text);
      return is_signed ? (sy == -1 ? 0 - x : static_cast<std::uint64_t>(sx / sy)) : x / y;
    case PtxCode::rem:
      if (y == 0) throw std::runtime_error("division by zero: " + instruction.text);
      return is_signed ? (sy == -1 ? 0 : static_cast<std::uint64_t>(sx % sy)) : x % y;
    case PtxCode::min: return (is_signed ? sx < sy : x < y) ? x : y;
    case PtxCode::max: return (is_signed ? sx < sy : x < y) ? y : x;
    case PtxCode::bit_and: return x & y;
    case PtxCode::bit_or: return x | y;
    case PtxCode::bit_xor: return x ^ y;
    case PtxCode::shl:
    case PtxCode::shr: return shifted(instruction, x, y);
    default: throw std::runtime_error("no arithmetic of integers: " + instruction.text);
  }
}

/// A number of an f16, f32 or f64.
double number_of(std::uint64_t bits, PtxType type) {
  if (type.bits == 64) return f64_of(bits);
  if (type.bits == 32) return f32_of(bits);
  return half::f16_value(static_cast<std::uint16_t>(bits));
}

float toward_zero(double x) {
  const auto near = static_cast<float>(x);
  return std::abs(static_cast<double>(near)) > std::abs(x) ? std::nextafter(near, 0.0F) : near;
}

std::uint64_t float_of(double x, const PtxInstruction& instruction) {
  if (instruction.type.bits == 64) return bits_of(x);
  if (instruction.type.bits == 32)
    return bits_of(instruction.toward_zero ? toward_zero(x) : static_cast<float>(x));
  if (std::isnan(x)) return 0x7FFF;
  const float once = half::to_odd(x);
  return instruction.type.letter == 'g' ? half::bf16_bits(once) : half::f16_bits(once);
}

template <class T>
bool of_order(PtxCompare compare, T x, T y) {
  const bool is_unordered = x != x || y != y;
  switch (compare) {
    case PtxCompare::eq: return x == y;
    case PtxCompare::ne: return x != y && !is_unordered;
    case PtxCompare::lt: return x < y;
    case PtxCompare::le: return x <= y;
    case PtxCompare::gt: return x > y;
    case PtxCompare::ge: return x >= y;
    case PtxCompare::num: return !is_unordered;
    case PtxCompare::nan: return is_unordered;
    case PtxCompare::equ: return is_unordered || x == y;
    case PtxCompare::neu: return is_unordered || x != y;
    case PtxCompare::ltu: return is_unordered || x < y;
    case PtxCompare::leu: return is_unordered || x <= y;
    case PtxCompare::gtu: return is_unordered || x > y;
    case PtxCompare::geu: return is_unordered || x >= y;
  }
  return false;
}

}  // namespace

std::uint64_t as_typed(std::uint64_t bits, PtxType type) {
  const std::uint64_t low = low_bits(bits, type.bits);
  if (type.letter != 's' || type.bits == 64) return low;
  const std::uint64_t sign = std::uint64_t{1} << (type.bits - 1);
  return (low ^ sign) - sign;
}

std::uint64_t converted(const PtxInstruction& instruction, std::uint64_t x) {
  if (is_float(instruction.type) != is_float(instruction.from))
    throw std::runtime_error("no conversion: " + instruction.text);
  if (is_float(instruction.type)) return float_of(number_of(x, instruction.from), instruction);
  return low_bits(as_typed(x, instruction.from), instruction.type.bits);
}

std::uint64_t computed(const PtxInstruction& instruction, std::uint64_t x, std::uint64_t y) {
  const PtxType type = instruction.type;
  if (type.letter == 'f')
    return type.bits == 64 ? of_floats(instruction, f64_of(x), f64_of(y))
                           : of_floats(instruction, f32_of(x), f32_of(y));
  const bool is_shift = instruction.code == PtxCode::shl || instruction.code == PtxCode::shr;
  const std::uint64_t z =
      of_integers(instruction, as_typed(x, type), is_shift ? low_bits(y, 32) : as_typed(y, type));
  return instruction.code == PtxCode::mul_wide ? z : low_bits(z, type.bits);
}

bool compared(const PtxInstruction& instruction, std::uint64_t x, std::uint64_t y) {
  const PtxType type = instruction.type;
  if (type.letter == 'f' && type.bits == 64) return of_order(instruction.compare, f64_of(x), f64_of(y));
  if (type.letter == 'f') return of_order(instruction.compare, f32_of(x), f32_of(y));
  if (type.letter == 's')
    return of_order(instruction.compare, static_cast<std::int64_t>(as_typed(x, type)),
                    static_cast<std::int64_t>(as_typed(y, type)));
  return of_order(instruction.compare, as_typed(x, type), as_typed(y, type));
}

std::uint64_t permuted(std::uint64_t x, std::uint64_t y, std::uint64_t selector) {
  const std::uint64_t all = low_bits(x, 32) | y << 32;
  std::uint64_t result = 0;
  for (int i = 0; i < 4; ++i) result |= (all >> (selector >> (4 * i) & 7) * 8 & 0xFF) << 8 * i;
  return result;
}

std::uint64_t exchanged(const PtxInstruction& instruction, std::uint64_t before, std::uint64_t operand) {
  PtxInstruction same = instruction;
  switch (instruction.atomic) {
    case PtxAtomic::exchange: return low_bits(operand, instruction.type.bits);
    case PtxAtomic::add: same.code = PtxCode::add; break;
    case PtxAtomic::min: same.code = PtxCode::min; break;
    case PtxAtomic::max: same.code = PtxCode::max; break;
    case PtxAtomic::bit_and: same.code = PtxCode::bit_and; break;
    case PtxAtomic::bit_or: same.code = PtxCode::bit_or; break;
    case PtxAtomic::bit_xor: same.code = PtxCode::bit_xor; break;
  }
  return computed(same, before, operand);
}

}  // namespace tutti::kernels
