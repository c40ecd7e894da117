// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti {

/// Zeros that stand for an absent tangent or cotangent. `split` keeps them in the linear half, as if they
/// depended on the tangents, and transpose drops them. A zero may have any states: zeros sum to zero.
/// () -> `type`.
struct ZeroTangent {
  static constexpr std::string_view name = "zero_tangent";
  static constexpr About about{"Zeros that stand for an absent tangent or cotangent.", ""};

  Type type;

  Mixing mixing() const { return Mixing::linear; }
  Parameters parameters() const { return {}; }  // the type stands at the result
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const ZeroTangent&) const = default;
};
static_assert(complete<ZeroTangent>());

/// For rules and transforms; never of bool or integers, which have no tangent.
Array zero_tangent(Type type);

}  // namespace tutti
