// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tutti/devices/groups.hpp"
#include "tutti/ir/rules.hpp"

namespace tutti::ops {

/// The interface by which an op writes StableHLO. Implemented in lower/. Values have the dtype and shape of
/// the types given; states are not written. Every device runs the same text; `position` tells them apart.
class Emitter {
 public:
  virtual ~Emitter() = default;

  /// The types of the operands of the equation that is lowered.
  virtual const Types& operand_types() const = 0;
  /// The types of the results of the equation that is lowered.
  virtual const Types& result_types() const = 0;

  /// One op without regions and with one result: emit("stablehlo.add", {x, y}, type).
  virtual stablehlo::Value emit(std::string_view op, const Lowered& operands, Type result,
                                stablehlo::Attributes attributes = {}) = 0;
  /// The same with a region of one binary op over scalars: stablehlo.all_reduce, stablehlo.reduce_scatter,
  /// stablehlo.scatter, and stablehlo.reduce and stablehlo.reduce_window, to which the neutral element is
  /// added as their second operand. Sums and products of f16 and bf16 are written in f32, and converted once.
  virtual stablehlo::Value emit_with_reducer(std::string_view op, ReduceKind kind, const Lowered& operands,
                                             Type result, stablehlo::Attributes attributes = {}) = 0;
  /// A region of an op: its arguments, and what it returns for their values.
  struct Region {
    Types arguments;
    std::function<Lowered(const Lowered& arguments)> body;
  };
  /// One op with regions, which may use all values made before: stablehlo.case, stablehlo.while,
  /// stablehlo.sort.
  /// Throws I001 for a region that adds or multiplies f16 or bf16 for an op of emit_with_reducer.
  virtual Lowered emit_with_regions(std::string_view op, const Lowered& operands, const Types& results,
                                    const std::vector<Region>& regions,
                                    stablehlo::Attributes attributes = {}) = 0;
  /// The equations of a sub-program; `inputs` are the values of its inputs, the result those of its outputs.
  virtual Lowered lower(const Program& program, const Lowered& inputs) = 0;
  /// The same in a loop that is being lowered: `iteration` is the number of the iteration, an i32 scalar.
  virtual Lowered lower_iteration(const Program& program, stablehlo::Value iteration,
                                  const Lowered& inputs) = 0;
  /// A stablehlo.constant with this value.
  virtual stablehlo::Value constant(const Tensor& value) = 0;
  /// i32 scalar: where this device stands along `axes`, row-major in the order given.
  virtual stablehlo::Value position(const Axes& axes) = 0;
  /// True if every element of `index` is known to lie in [0, last] before the program runs: constants,
  /// positions, and numbers computed from them.
  virtual bool is_known_inside(stablehlo::Value index, std::int64_t last) const = 0;
  /// {"replica_groups", ..} with one row per group of devices along `axes` in the order given,
  /// {"channel_handle", ..} with a fresh id, and, where `global_ids`, {"use_global_device_ids", unit}. Rows
  /// of uneven groups end in -1.
  virtual stablehlo::Attributes collective(const Axes& axes, bool global_ids, const Groups& groups = {}) = 0;
  /// {"source_target_pairs", ..} of the devices that stand at these positions along `axes`, and
  /// {"channel_handle", ..}.
  virtual stablehlo::Attributes permutation(const Axes& axes, const Pairs& pairs) = 0;
  /// True: ragged_all_to_all is written as the custom call that XLA knows on GPUs and TPUs.
  virtual bool calls_ragged_all_to_all() const = 0;
};

}  // namespace tutti::ops
