// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// The same bits as elements of another dtype: integers and floats.
/// x: [..] -> [..] of elements as wide; [.., n] -> [..] of elements n times as wide, and back; the first part
/// is the low one. U is refused.
/// Source: StableHLO bitcast_convert; jax.lax.bitcast_convert_type.
struct BitcastConvert {
  static constexpr std::string_view name = "bitcast_convert";
  static constexpr About about{"The same bits as elements of another dtype.", "bitcast_convert"};

  DType to;

  Mixing mixing() const { return Mixing::alike; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  std::string_view refusal(Rule rule) const;
  static constexpr Refused transpose{"the bits of a number are not linear in it"};
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const BitcastConvert&) const = default;
};
static_assert(complete<BitcastConvert>());

}  // namespace tutti::ops

namespace tutti {

/// jax.lax.bitcast_convert_type; x itself if it has this dtype.
/// Throws T007 from and to bool, T005 if there are no two elements to join (bitcast_convert_c1), T004 for an
/// unreduced sum.
Array bitcast_convert(const Operand& x, DType to);

}  // namespace tutti
