// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/code/lanes.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>
#include <utility>

#include "tutti/base/require.hpp"
#include "tutti/types/half.hpp"

namespace tutti::kernels {
namespace {

// Conversions between a word and a scalar type. Ops compute in `Number`; pack() rounds a half once.
template <class Int>
struct Whole {
  using Number = Int;
  static Int unpack(LaneWord word) { return static_cast<Int>(word); }
  static LaneWord pack(Int value) { return static_cast<LaneWord>(static_cast<std::int64_t>(value)); }
};
// i1 as the numbers 0 and -1.
struct Bit {
  using Number = std::int8_t;
  static std::int8_t unpack(LaneWord word) { return static_cast<std::int8_t>(-static_cast<int>(word & 1)); }
  static LaneWord pack(std::int8_t value) { return static_cast<LaneWord>(value & 1); }
};
template <class Half>
struct HalfFloat {
  using Number = float;
  static float unpack(LaneWord word) {
    Half half{};
    half.bits = static_cast<std::uint16_t>(word);
    return float(half);
  }
  static LaneWord pack(float value) { return Half(value).bits; }
};
struct Single {
  using Number = float;
  static float unpack(LaneWord word) { return std::bit_cast<float>(static_cast<std::uint32_t>(word)); }
  static LaneWord pack(float value) { return std::bit_cast<std::uint32_t>(value); }
};
struct Double {
  using Number = double;
  static double unpack(LaneWord word) { return std::bit_cast<double>(word); }
  static LaneWord pack(double value) { return std::bit_cast<LaneWord>(value); }
};

template <class F>
decltype(auto) with_whole(Scalar scalar, F&& f) {
  switch (scalar) {
    case Scalar::i1: return f(std::type_identity<Bit>());
    case Scalar::i8: return f(std::type_identity<Whole<std::int8_t>>());
    case Scalar::i16: return f(std::type_identity<Whole<std::int16_t>>());
    case Scalar::i32: return f(std::type_identity<Whole<std::int32_t>>());
    default: return f(std::type_identity<Whole<std::int64_t>>());
  }
}
template <class F>
decltype(auto) with_float(Scalar scalar, F&& f) {
  switch (scalar) {
    case Scalar::f16: return f(std::type_identity<HalfFloat<f16>>());
    case Scalar::bf16: return f(std::type_identity<HalfFloat<bf16>>());
    case Scalar::f32: return f(std::type_identity<Single>());
    default: return f(std::type_identity<Double>());
  }
}

template <class T, class F>
LaneFn zipped(F) {
  return [](LaneWord* out, const LaneWord* x, const LaneWord* y, const LaneWord*, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) out[i] = T::pack(F()(T::unpack(x[i]), T::unpack(y[i])));
  };
}
template <class T, class F>
LaneFn compared(F) {
  return [](LaneWord* out, const LaneWord* x, const LaneWord* y, const LaneWord*, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) out[i] = F()(T::unpack(x[i]), T::unpack(y[i])) ? 1 : 0;
  };
}

// Ops on integers wrap, because they compute without sign. An undefined result is some number; its lane is
// poison.
template <class T>
LaneFn whole_op(ArithOp op) {
  using Int = typename T::Number;
  using U = std::make_unsigned_t<Int>;
  using Wide = std::uint64_t;
  constexpr auto mask = std::is_same_v<T, Bit> ? Wide{1} : Wide{static_cast<U>(~U{0})};
  constexpr int width = std::is_same_v<T, Bit> ? 1 : 8 * static_cast<int>(sizeof(Int));
  switch (op) {
    case ArithOp::addi: return zipped<T>([](Int x, Int y) { return static_cast<Int>(Wide(x) + Wide(y)); });
    case ArithOp::subi: return zipped<T>([](Int x, Int y) { return static_cast<Int>(Wide(x) - Wide(y)); });
    case ArithOp::muli: return zipped<T>([](Int x, Int y) { return static_cast<Int>(Wide(x) * Wide(y)); });
    case ArithOp::divui:
      return zipped<T>([](Int x, Int y) {
        return static_cast<Int>((Wide(x) & mask) / std::max<Wide>(Wide(y) & mask, 1));
      });
    case ArithOp::remui:
      return zipped<T>([](Int x, Int y) {
        return static_cast<Int>((Wide(x) & mask) % std::max<Wide>(Wide(y) & mask, 1));
      });
    case ArithOp::divsi:
      return zipped<T>([](Int x, Int y) {
        return static_cast<Int>(y == 0 ? 0 : y == -1 ? static_cast<Int>(0 - Wide(x)) : x / y);
      });
    case ArithOp::remsi:
      return zipped<T>([](Int x, Int y) { return static_cast<Int>(y == 0 || y == -1 ? 0 : x % y); });
    case ArithOp::andi: return zipped<T>([](Int x, Int y) { return static_cast<Int>(x & y); });
    case ArithOp::ori: return zipped<T>([](Int x, Int y) { return static_cast<Int>(x | y); });
    case ArithOp::xori: return zipped<T>([](Int x, Int y) { return static_cast<Int>(x ^ y); });
    case ArithOp::shli:
      return zipped<T>([](Int x, Int y) { return static_cast<Int>(Wide(x) << (Wide(y) & (width - 1))); });
    case ArithOp::shrui:
      return zipped<T>(
          [](Int x, Int y) { return static_cast<Int>((Wide(x) & mask) >> (Wide(y) & (width - 1))); });
    case ArithOp::shrsi:
      return zipped<T>([](Int x, Int y) { return static_cast<Int>(x >> (Wide(y) & (width - 1))); });
    case ArithOp::minsi: return zipped<T>([](Int x, Int y) { return std::min(x, y); });
    case ArithOp::maxsi: return zipped<T>([](Int x, Int y) { return std::max(x, y); });
    case ArithOp::minui:
      return zipped<T>([](Int x, Int y) { return static_cast<U>(x) < static_cast<U>(y) ? x : y; });
    case ArithOp::maxui:
      return zipped<T>([](Int x, Int y) { return static_cast<U>(x) > static_cast<U>(y) ? x : y; });
    default: break;
  }
  fail(Code::internal, "an op of floats has integers");
}

// The larger number. -0 is below 0, and the result is NaN if an operand is.
template <class Number>
Number larger(Number x, Number y) {
  if (std::isnan(x) || std::isnan(y)) return x + y;
  if (x == y) return std::signbit(x) ? y : x;
  return x > y ? x : y;
}

template <class T>
LaneFn float_op(ArithOp op) {
  using Number = typename T::Number;
  switch (op) {
    case ArithOp::addf: return zipped<T>([](Number x, Number y) { return x + y; });
    case ArithOp::mulf: return zipped<T>([](Number x, Number y) { return x * y; });
    case ArithOp::maximumf: return zipped<T>([](Number x, Number y) { return larger(x, y); });
    case ArithOp::minimumf: return zipped<T>([](Number x, Number y) { return -larger(-x, -y); });
    default: break;
  }
  fail(Code::internal, "an op of integers has floats");
}

template <class T>
LaneFn whole_comparison(IntPredicate predicate) {
  using Int = typename T::Number;
  using U = std::make_unsigned_t<Int>;
  switch (predicate) {
    case IntPredicate::eq: return compared<T>([](Int x, Int y) { return x == y; });
    case IntPredicate::ne: return compared<T>([](Int x, Int y) { return x != y; });
    case IntPredicate::slt: return compared<T>([](Int x, Int y) { return x < y; });
    case IntPredicate::sle: return compared<T>([](Int x, Int y) { return x <= y; });
    case IntPredicate::sgt: return compared<T>([](Int x, Int y) { return x > y; });
    case IntPredicate::sge: return compared<T>([](Int x, Int y) { return x >= y; });
    case IntPredicate::ult: return compared<T>([](Int x, Int y) { return U(x) < U(y); });
    case IntPredicate::ule: return compared<T>([](Int x, Int y) { return U(x) <= U(y); });
    case IntPredicate::ugt: return compared<T>([](Int x, Int y) { return U(x) > U(y); });
    case IntPredicate::uge: break;
  }
  return compared<T>([](Int x, Int y) { return U(x) >= U(y); });
}

template <class T>
LaneFn float_comparison(FloatPredicate predicate) {
  using N = typename T::Number;
  switch (predicate) {
    case FloatPredicate::oeq: return compared<T>([](N x, N y) { return x == y; });
    case FloatPredicate::ogt: return compared<T>([](N x, N y) { return x > y; });
    case FloatPredicate::oge: return compared<T>([](N x, N y) { return x >= y; });
    case FloatPredicate::olt: return compared<T>([](N x, N y) { return x < y; });
    case FloatPredicate::ole: return compared<T>([](N x, N y) { return x <= y; });
    case FloatPredicate::one: return compared<T>([](N x, N y) { return x < y || x > y; });
    case FloatPredicate::ord: return compared<T>([](N x, N y) { return !std::isunordered(x, y); });
    case FloatPredicate::ueq: return compared<T>([](N x, N y) { return !(x < y || x > y); });
    case FloatPredicate::ugt: return compared<T>([](N x, N y) { return !(x <= y); });
    case FloatPredicate::uge: return compared<T>([](N x, N y) { return !(x < y); });
    case FloatPredicate::ult: return compared<T>([](N x, N y) { return !(x >= y); });
    case FloatPredicate::ule: return compared<T>([](N x, N y) { return !(x > y); });
    case FloatPredicate::une: return compared<T>([](N x, N y) { return !(x == y); });
    case FloatPredicate::uno: break;
  }
  return compared<T>([](N x, N y) { return std::isunordered(x, y); });
}

template <class From, class To>
LaneFn converted() {
  return [](LaneWord* out, const LaneWord* x, const LaneWord*, const LaneWord*, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i)
      out[i] = To::pack(static_cast<typename To::Number>(From::unpack(x[i])));
  };
}

// Converts double to a half with one rounding, by way of a float that is rounded to odd.
template <class Half>
LaneFn narrowed() {
  return [](LaneWord* out, const LaneWord* x, const LaneWord*, const LaneWord*, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) out[i] = Half(Double::unpack(x[i])).bits;
  };
}

template <int width>
void zero_extended(LaneWord* out, const LaneWord* x, const LaneWord*, const LaneWord*, std::uint32_t n) {
  for (std::uint32_t i = 0; i < n; ++i) out[i] = x[i] & ((LaneWord{1} << width) - 1);
}

}  // namespace

LaneFn lanes_of(ArithOp op, Scalar scalar) {
  if (is_float(scalar))
    return with_float(scalar, [&]<class T>(std::type_identity<T>) { return float_op<T>(op); });
  return with_whole(scalar, [&]<class T>(std::type_identity<T>) { return whole_op<T>(op); });
}

LaneFn lanes_of(IntPredicate predicate, Scalar scalar) {
  return with_whole(scalar, [&]<class T>(std::type_identity<T>) { return whole_comparison<T>(predicate); });
}

LaneFn lanes_of(FloatPredicate predicate, Scalar scalar) {
  return with_float(scalar, [&]<class T>(std::type_identity<T>) { return float_comparison<T>(predicate); });
}

LaneFn lanes_of(ConvertOp op, Scalar from, Scalar to) {
  if (from == Scalar::f64 && to == Scalar::f16) return narrowed<f16>();
  if (from == Scalar::f64 && to == Scalar::bf16) return narrowed<bf16>();
  if (is_float(from))
    return with_float(from, [&]<class F>(std::type_identity<F>) {
      return with_float(to, [&]<class T>(std::type_identity<T>) { return converted<F, T>(); });
    });
  if (op == ConvertOp::extui) {
    switch (from) {
      case Scalar::i1: return zero_extended<1>;
      case Scalar::i8: return zero_extended<8>;
      case Scalar::i16: return zero_extended<16>;
      default: return zero_extended<32>;
    }
  }
  return with_whole(from, [&]<class F>(std::type_identity<F>) {
    return with_whole(to, [&]<class T>(std::type_identity<T>) { return converted<F, T>(); });
  });
}

LaneFn lanes_of_bitcast(Scalar from, Scalar to) {
  if (is_float(from) == is_float(to)) return lanes_of_copy();
  if (is_float(from)) return lanes_of(ConvertOp::trunci, Scalar::i64, to);
  switch (bits(from)) {
    case 16: return zero_extended<16>;
    case 32: return zero_extended<32>;
    default: return lanes_of_copy();
  }
}

LaneFn lanes_of_select(bool condition_is_scalar) {
  if (condition_is_scalar)
    return [](LaneWord* out, const LaneWord* x, const LaneWord* y, const LaneWord* z, std::uint32_t n) {
      std::copy_n(x[0] != 0 ? y : z, n, out);
    };
  return [](LaneWord* out, const LaneWord* x, const LaneWord* y, const LaneWord* z, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) out[i] = x[i] != 0 ? y[i] : z[i];
  };
}

LaneFn lanes_of_copy() {
  return [](LaneWord* out, const LaneWord* x, const LaneWord*, const LaneWord*, std::uint32_t n) {
    std::copy_n(x, n, out);
  };
}

bool may_be_undefined(ArithOp op) {
  switch (op) {
    case ArithOp::divui:
    case ArithOp::divsi:
    case ArithOp::remui:
    case ArithOp::remsi:
    case ArithOp::shli:
    case ArithOp::shrui:
    case ArithOp::shrsi: return true;
    default: return false;
  }
}

bool is_undefined(ArithOp op, Scalar scalar, LaneWord x, LaneWord y) {
  const bool is_signed = op == ArithOp::divsi || op == ArithOp::remsi;
  if (is_signed || op == ArithOp::divui || op == ArithOp::remui) {
    const auto least = static_cast<LaneWord>(std::int64_t{-1} << (bits(scalar) - 1));
    return y == 0 || (is_signed && y == ~LaneWord{0} && x == least);
  }
  return may_be_undefined(op) && y >= static_cast<LaneWord>(bits(scalar));
}

LaneWord word_of_bits(Scalar scalar, std::uint64_t bits) {
  if (is_float(scalar)) return bits;
  return with_whole(scalar, [&]<class T>(std::type_identity<T>) { return T::pack(T::unpack(bits)); });
}

LaneWord word_of(Scalar scalar, const std::variant<std::int64_t, double>& value) {
  if (!is_float(scalar)) {
    const auto* whole = std::get_if<std::int64_t>(&value);
    return word_of_bits(scalar, static_cast<std::uint64_t>(whole ? *whole : 0));
  }
  const double number = std::visit([](auto v) { return static_cast<double>(v); }, value);
  return with_float(scalar, [&]<class T>(std::type_identity<T>) {
    return T::pack(static_cast<typename T::Number>(number));
  });
}

LaneWord after_rmw(RmwOp op, Scalar scalar, LaneWord before, LaneWord operand) {
  const auto by = [&](ArithOp arith) {
    LaneWord after = 0;
    lanes_of(arith, scalar)(&after, &before, &operand, nullptr, 1);
    return after;
  };
  switch (op) {
    case RmwOp::bit_and: return by(ArithOp::andi);
    case RmwOp::bit_or: return by(ArithOp::ori);
    case RmwOp::bit_xor: return by(ArithOp::xori);
    case RmwOp::add: return by(ArithOp::addi);
    case RmwOp::fadd: return by(ArithOp::addf);
    case RmwOp::max: return by(ArithOp::maxsi);
    case RmwOp::min: return by(ArithOp::minsi);
    case RmwOp::umax: return by(ArithOp::maxui);
    case RmwOp::umin: return by(ArithOp::minui);
    case RmwOp::exch: break;
  }
  return operand;
}

}  // namespace tutti::kernels
