// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// The same values in another dtype, rounded to nearest. Float -> integer saturates, NaN -> 0; to bool: x !=
/// 0.
/// A complex number becomes its real part; what becomes complex is the real part.
/// Between floats and complex numbers it is linear; every other conversion has no tangent and takes no
/// unreduced sum.
/// Source: StableHLO convert.
struct Convert {
  static constexpr std::string_view name = "convert";
  static constexpr About about{"The same values in another dtype, rounded to nearest.", "convert"};

  DType to;

  Mixing mixing() const { return is_inexact(to) ? Mixing::linear : Mixing::alike; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Convert&) const = default;
};
static_assert(complete<Convert>());

}  // namespace tutti::ops

namespace tutti {

/// x itself if it has that dtype. Throws T004 for an unreduced sum unless both dtypes are floats or complex.
Array convert(const Operand& x, DType to);

}  // namespace tutti
