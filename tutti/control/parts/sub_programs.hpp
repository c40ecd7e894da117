// SPDX-License-Identifier: Apache-2.0
// Shared code of ops with sub-programs.
#pragma once

#include "tutti/transform/replay.hpp"

namespace tutti {

/// The axes that the equations of these programs communicate over, at any depth.
Axes communicated_axes(const std::vector<SubProgram>& programs);
/// The axes along which devices may hold different values of this type: V and U.
Axes varying_axes(Type type);

/// Throws T004 if `decider`, which decides what a device does, is a partial sum, or differs along an axis
/// that one of the programs communicates over: some devices would wait for others that never come. `what`:
/// "the predicate".
void require_decidable(std::string_view what, Type decider, const std::vector<SubProgram>& programs);
/// Throws T010 at an op with an effect, at any depth. `why` says why none may be there.
void require_no_effects(std::string_view why, const std::vector<SubProgram>& programs);
/// Throws T005, T007 or T004 unless `found` is `expected`; `what` names the value.
void require_type(std::string_view what, Type found, Type expected);
/// Devices may go different ways along `varies`. An operand that is passed in unchanged must be V there, so
/// that no cotangent is reduced inside. An operand without cotangents may have any state except U. Throws
/// T004 for others.
void require_enters(std::string_view what, Type operand, const Axes& varies);

/// Which outputs depend on the inputs marked.
Bits depending_outputs(const Program& program, const Bits& inputs);
/// Those outputs only, in this order, and what they need.
Program with_outputs(Program program, const std::vector<std::size_t>& outputs);
/// The same program that takes its inputs in this order.
Program with_inputs(Program program, const std::vector<std::size_t>& inputs);

/// The order in which a derived op takes values and their tangents: group by group, in each the values first.
/// `ends`: of the groups. Numbers of values are as they are, those of the tangents of `nonzero` values
/// follow.
std::vector<std::size_t> by_groups(const std::vector<std::size_t>& ends, const Bits& nonzero);
/// Values and tangents; a zero where `nonzero` says that there is a tangent and there is none.
Arrays with_tangents(const Arrays& values, const Tangents& tangents, const Bits& nonzero);
template <class T>
std::vector<T> permuted(const std::vector<T>& items, const std::vector<std::size_t>& order) {
  std::vector<T> result;
  for (std::size_t i : order) result.push_back(items[i]);
  return result;
}
/// Results of a derived op, in the order of `by_groups`, as results and tangents.
Jvp without_groups(const Arrays& results, const std::vector<std::size_t>& order, const Bits& nonzero);

Bits marked(const Tangents& tangents);
Bits linear_ones(const LinearOperands& operands);

}  // namespace tutti
