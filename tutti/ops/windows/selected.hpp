// SPDX-License-Identifier: Apache-2.0
// The derivatives of the largest and smallest elements of windows.
#pragma once

#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/ops/windows/window_options.hpp"

namespace tutti::ops {

// Both select a place in each window of the chooser: the first element, replaced by a later one unless it is
// >= that one (<= for the smallest). So of equal elements the first is selected. Both are linear in the
// source. They count as bilinear, since the chooser joins the source as a factor does, but it is no sum and
// has no derivative.

/// Take from the source the element at the place that is selected in each window of the chooser.
/// source: [.., d, ..], chooser: the same -> [.., windows along d, ..]; 0 for a window without elements.
/// Cost: reads each window twice. Not of bool and complex numbers.
/// Source: select_and_gather_add of JAX, the derivative of reduce_window by max.
struct SelectAndGather {
  static constexpr std::string_view name = "select_and_gather";
  static constexpr About about{"Takes the element where the largest, or smallest, of each window stands.",
                               ""};

  Extreme extreme;
  WindowsAlong windows;

  Mixing mixing() const { return Mixing::bilinear; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const SelectAndGather&) const = default;
};
static_assert(complete<SelectAndGather>());

/// Add each element of the source at the place that is selected in its window of the chooser; zeros stand
/// elsewhere.
/// source: [.., windows along d, ..], chooser: [.., d, ..] -> the shape of the chooser.
/// Cost: reads each window twice. Not of bool and complex numbers. Sums of f16 and bf16 are rounded once.
/// Source: StableHLO select_and_scatter; select_and_scatter_add of JAX.
struct SelectAndScatter {
  static constexpr std::string_view name = "select_and_scatter";
  static constexpr About about{"Adds elements where the largest, or smallest, of each window stands.", ""};

  Extreme extreme;
  WindowsAlong windows;

  Mixing mixing() const { return Mixing::bilinear; }
  Parameters parameters() const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  std::string_view refusal(Rule rule) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  static std::vector<Example> examples();

  bool operator==(const SelectAndScatter&) const = default;
};
static_assert(complete<SelectAndScatter>());

/// For the reader: the source added at the selected places.
Array select_and_scatter_add(const Array& source, const Array& chooser, Extreme extreme,
                             const WindowsAlong& windows);

}  // namespace tutti::ops
