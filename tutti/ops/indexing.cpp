// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/indexing.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/zero_tangent.hpp"

namespace tutti {
namespace {

// The data where an index varies.
AxisStates with_varying(AxisStates data, Type x, Type index) {
  for (const auto& [axis, state] : index.states()) {
    if (state != State::varying) continue;
    if (data.at(axis) == State::unreduced)
      fail(Code::state,
           "the operand is {} ({}), the index is {} ({}): each device would look up another term. Reduce "
           "first: "
           "psum(x, \"{}\")",
           in_words(x, axis), x, in_words(index, axis), index, axis.name);
    data.set(axis, State::varying);
  }
  return data;
}

}  // namespace

Array from_the_start(const Array& indices, std::int64_t size) {
  Array is_from_the_end = indices < 0;
  return select(is_from_the_end, indices + size, indices);
}

void require_no_sum(Type index) {
  for (const auto& [axis, state] : index.states())
    if (state == State::unreduced)
      fail(Code::state,
           "the index is {} ({}); one cannot look things up by its terms. Reduce first: psum(index, \"{}\")",
           in_words(index, axis), index, axis.name);
}

std::vector<AxisStates> states_by_indices(const Types& operands, const AreIndices& are_indices) {
  Types data;
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (!are_indices[i]) data.push_back(operands[i]);
  AxisStates agreed = joined_states(data, Mixing::linear)[0];
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!are_indices[i]) continue;
    require_no_sum(operands[i]);
    agreed = with_varying(agreed, data[0], operands[i]);
  }
  std::vector<AxisStates> wanted;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    AxisStates states = are_indices[i] ? operands[i].states() : agreed;
    for (const auto& [axis, state] : agreed)
      if (state == State::varying) states.set(axis, State::varying);
    wanted.push_back(states);
  }
  return wanted;
}

AxisStates agreed_states_by_indices(const Types& operands, const AreIndices& are_indices) {
  std::vector<AxisStates> wanted = states_by_indices(operands, are_indices);
  AxisStates agreed;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    require(operands[i].states() == wanted[i], Code::state,
            "operand {} is {}, the others need it {}; cast it first", i, operands[i],
            operands[i].with(wanted[i]));
    if (!are_indices[i]) agreed = wanted[i];
  }
  return agreed;
}

void require_index(Type index, std::string_view label) {
  require(is_integer(index.dtype()), Code::dtype, "the index is {}, not an integer ({}); convert it: {}",
          index, label, conversion_to(DType::i32));
  require(index.dtype() == DType::i32 || index.dtype() == DType::i64, Code::dtype,
          "the index is {}; indices are i32 or i64 ({}); convert it: {}", index, label,
          conversion_to(DType::i64));
}

Jvp jvp_by_indices(const Op& op, const Arrays& operands, const Tangents& tangents,
                   const AreIndices& are_indices) {
  if (std::ranges::none_of(tangents, [](const auto& tangent) { return tangent.has_value(); }))
    return constant_jvp(op, operands);
  Arrays moved;
  for (std::size_t i = 0; i < operands.size(); ++i)
    moved.push_back(are_indices[i] ? operands[i]
                    : tangents[i]  ? *tangents[i]
                                   : zero_tangent(operands[i].type()));
  return {tutti::apply(op, operands), {apply_one(op, moved)}};
}

void require_known_indices(const LinearOperands& operands, const AreIndices& are_indices) {
  for (std::size_t i = 0; i < operands.size(); ++i)
    require(!are_indices[i] || !operands[i].linear(), Code::refused_rule,
            "transpose is refused: the op is not linear in its indices");
}

}  // namespace tutti
