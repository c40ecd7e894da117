// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti {

/// A loop of unknown length: while test(consts, carries), carries = body(consts, carries).
/// operands: consts, then carries; results: the carries when the test failed. Where the test is V, operands
/// and results are V as well, and nothing inside communicates over that axis: devices leave one by one and
/// keep what they have.
/// Throws T004 for a test that is a partial sum, or differs where the loop communicates.
/// Source: StableHLO while; jax.lax.while_loop.
struct While {
  static constexpr std::string_view name = "while";
  static constexpr About about{
      "A loop of unknown length: while the test of the carried values holds, the body makes new ones.",
      "while_loop, fori_loop"};

  SubProgram test, body;
  int consts = 0;

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const { return {{"consts", std::to_string(consts)}}; }
  std::vector<AxisStates> wants(const Types& operands) const;
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  OpSplit split(const LinearOperands& operands) const;
  static constexpr Refused transpose{
      "a while loop does not say how many trips there are, so what its gradient needs of each has no place; "
      "use scan, or fori_loop with numbers of C++ for bounds"};
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  Lowered lower(Emitter& emitter, const Lowered& operands) const;
  Axes communicates() const;
  std::vector<SubProgram> programs() const { return {test, body}; }
  While with_programs(const std::vector<SubProgram>& programs) const {
    return {programs[0], programs[1], consts};
  }
  static std::vector<Example> examples();

  bool operator==(const While& other) const;
};
static_assert(complete<While>());

}  // namespace tutti
