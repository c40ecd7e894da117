// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tutti/op.hpp>

namespace rod {
using namespace tutti;
using namespace tutti::ops;

/// sign(x) * max(|x| - t, 0), element by element, of f64.
struct SoftThreshold {
  static constexpr std::string_view name = "soft_threshold";
  static constexpr About about{"sign(x) * max(|x| - t, 0), element by element.", "soft_threshold"};

  Mixing mixing() const { return Mixing::alike; }
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  static constexpr Refused transpose{"it is not linear"};
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const SoftThreshold&) const = default;
};

/// Shapes broadcast. Throws T007 for other dtypes.
Array soft_threshold(const Operand& x, const Operand& t);

}  // namespace rod
