// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/tensor/fft/fft_kind.hpp"

namespace tutti::ops {

/// The discrete Fourier transform over the last one to three dims, whose sizes as real or complex values are
/// `lengths`. fft and ifft take complex numbers, rfft takes floats and gives the first n/2 + 1 values of the
/// last dim, irfft turns these into n floats. ifft and irfft divide by the product of the lengths.
/// x: [.., n] -> [.., n]; rfft: [.., n] -> [.., n/2 + 1]; irfft: the other way. Linear: every state passes.
/// Cost: N log N for N elements, by the plan that is made when the program is compiled; workers share the
/// leading dims.
/// Throws T006 unless there are one to three lengths and as many dims (fft_c1, _c2), T007 for another dtype
/// than f32 and f64 or complex numbers of them (fft_c3), T005 for sizes that are not the lengths (fft_c4,
/// _c5). Throws R004 when a program is compiled in a library that was built without ducc.
/// Source: StableHLO fft; jax.lax.fft.
struct Fft {
  static constexpr std::string_view name = "fft";
  static constexpr About about{
      "The Fourier transform, or its inverse, over the last dims.",
      "fft, ifft, rfft, irfft, fft2, ifft2, rfft2, irfft2, fftn, ifftn, rfftn, irfftn"};

  FftKind kind;
  std::vector<std::int64_t> lengths;

  Mixing mixing() const { return Mixing::linear; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Fft&) const = default;
};
static_assert(complete<Fft>());

/// StableHLO's fft_type: "FFT", "IFFT", "RFFT", "IRFFT".
std::string fft_type_of(FftKind kind);

}  // namespace tutti::ops
