// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// A value around and between the elements: `low` of them before, `high` after, `interior` between
/// neighbours; negative low and high take elements away.
/// x: [.., d, ..], value: [] -> [.., low + d + (d - 1) interior + high, ..]; every state passes, of both
/// together.
/// Cost: one copy.
/// Source: StableHLO pad; jax.lax.pad.
struct Pad {
  static constexpr std::string_view name = "pad";
  static constexpr About about{
      "A value around and between the elements of an array, or elements taken away at its ends.", "pad"};

  std::vector<std::int64_t> low, high, interior;  // one per dim

  Mixing mixing() const { return Mixing::linear; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const Pad&) const = default;
};
static_assert(complete<Pad>());

}  // namespace tutti::ops

namespace tutti {

/// How one dim is padded.
struct Padding {
  std::int64_t low = 0, high = 0, interior = 0;
};
/// jax.lax.pad; `padding` has one entry per dim. The value is a number or a scalar of x's dtype.
/// Throws T005 if elements go that are not there (pad_c4), for a negative interior (pad_c3) and a value that
/// is no scalar, T006 unless there is one entry per dim (pad_c2), T007 if dtypes differ (pad_c1), T004 where
/// an unreduced sum meets a value that is none.
Array pad(const Operand& x, const Operand& value, const std::vector<Padding>& padding);

}  // namespace tutti

namespace tutti::ops {

/// Pads a cotangent or tangent with zeros, which stand for absent ones.
Array pad_with_zeros(const Array& x, const Pad& pad);

}  // namespace tutti::ops
