// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/plain/reduce_precision.hpp"

#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"

namespace tutti {
namespace {

/// A format and a dtype of `Bits`, an unsigned integer as wide as the dtype. `exponent` and `mantissa` are
/// the bits of the dtype.
template <class Bits, int exponent, int mantissa>
class Rounding {
 public:
  Rounding(std::int64_t exponent_bits, std::int64_t mantissa_bits) {
    if (mantissa_bits < mantissa) {
      lost_ = static_cast<int>(mantissa - mantissa_bits);
      below_half_ = static_cast<Bits>((Bits{1} << (lost_ - 1)) - 1);
      kept_ = static_cast<Bits>(~((Bits{1} << lost_) - 1));
    }
    if (exponent_bits < exponent) {
      constexpr std::int64_t bias = (std::int64_t{1} << (exponent - 1)) - 1;
      const std::int64_t reduced = (std::int64_t{1} << (exponent_bits - 1)) - 1;
      largest_ = static_cast<Bits>(bias + reduced) << mantissa;
      smallest_ = static_cast<Bits>(bias - reduced) << mantissa;
      limits_ = true;
    }
  }

  void run(Bits* out, const Bits* in, std::int64_t n) const {
    if (lost_ > 0 && limits_) return run<true, true>(out, in, n);
    if (lost_ > 0) return run<true, false>(out, in, n);
    if (limits_) return run<false, true>(out, in, n);
    run<false, false>(out, in, n);
  }

 private:
  static constexpr Bits infinity = static_cast<Bits>(((Bits{1} << exponent) - 1) << mantissa),
                        sign = static_cast<Bits>(Bits{1} << (exponent + mantissa));

  // Free of branches: a loop of vectors.
  template <bool rounds, bool limits>
  void run(Bits* out, const Bits* in, std::int64_t n) const {
    const Bits below_half = below_half_, kept = kept_, largest = largest_, smallest = smallest_;
    const int lost = lost_;
    for (std::int64_t i = 0; i < n; ++i) {
      const Bits x = in[i];
      Bits y = x;
      if constexpr (rounds) {
        const Bits last_kept = static_cast<Bits>(static_cast<Bits>(x >> lost) & 1);
        y = static_cast<Bits>(static_cast<Bits>(x + below_half + last_kept) & kept);
      }
      if constexpr (limits) {
        const Bits magnitude = static_cast<Bits>(y & infinity), signed_zero = static_cast<Bits>(y & sign);
        const Bits limited = magnitude > largest ? static_cast<Bits>(signed_zero | infinity) : y;
        y = magnitude <= smallest ? signed_zero : limited;
      }
      const bool is_nan = static_cast<Bits>(x & ~sign) > infinity;
      out[i] = is_nan ? x : y;
    }
  }

  int lost_ = 0;  // bits of the mantissa that go
  Bits below_half_ = 0, kept_ = 0;
  bool limits_ = false;
  Bits largest_ = 0, smallest_ = 0;  // exponents: above the first is infinity, up to the second is 0
};

template <class Bits, int exponent, int mantissa>
void round_all(std::byte* out, const std::byte* in, std::int64_t n, std::int64_t exponent_bits,
               std::int64_t mantissa_bits) {
  Rounding<Bits, exponent, mantissa>(exponent_bits, mantissa_bits)
      .run(reinterpret_cast<Bits*>(out), reinterpret_cast<const Bits*>(in), n);
}

}  // namespace

void ops::reduce_precision(std::byte* out, const std::byte* in, std::int64_t n, DType dtype,
                           std::int64_t exponent_bits, std::int64_t mantissa_bits) {
  if (dtype == DType::f16) return round_all<std::uint16_t, 5, 10>(out, in, n, exponent_bits, mantissa_bits);
  if (dtype == DType::bf16) return round_all<std::uint16_t, 8, 7>(out, in, n, exponent_bits, mantissa_bits);
  if (dtype == DType::f32) return round_all<std::uint32_t, 8, 23>(out, in, n, exponent_bits, mantissa_bits);
  ensure(dtype == DType::f64, "reduce_precision of {}", name(dtype));
  round_all<std::uint64_t, 11, 52>(out, in, n, exponent_bits, mantissa_bits);
}

}  // namespace tutti
