// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti {

/// A loop of known length over slices: body(consts, carries, a slice of each x) -> (carries, a slice of each
/// y).
/// consts: [..], the same in every iteration; carries: [..] -> [..]; xs: [length, ..]; results: the carries
/// after the last iteration, then ys: [length, ..]. States are those of the body.
/// Cost: `length` bodies; slices are not copied. The gradient keeps, for every iteration, the residuals that
/// depend on a carry, and runs the other way.
/// Source: jax.lax.scan.
struct Scan {
  static constexpr std::string_view name = "scan";
  static constexpr About about{
      "A loop of known length that carries values from trip to trip and takes and makes a slice in each.",
      "scan, fori_loop"};

  SubProgram body;
  int consts = 0, carries = 0;
  std::int64_t length = 0;
  bool reverse = false;  // the last slice first

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const;
  std::vector<AxisStates> wants(const Types& operands) const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  OpSplit split(const LinearOperands& operands) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  Axes communicates() const;
  Traffic traffic(const Types& operands) const;
  std::vector<SubProgram> programs() const { return {body}; }
  Scan with_programs(const std::vector<SubProgram>& programs) const;
  static std::vector<Example> examples();

  bool operator==(const Scan& other) const;
};
static_assert(complete<Scan>());

}  // namespace tutti
