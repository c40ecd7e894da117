// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/array.hpp"

namespace tutti::internal {

/// "bij,bjk->bik", with the line of the caller.
struct Subscripts {
  std::string text;
  Where where;

  Subscripts(const char* subscripts, Where caller = Where::here()) : text(subscripts), where(caller) {}
  Subscripts(std::string subscripts, Where caller = Where::here())
      : text(std::move(subscripts)), where(caller) {}
};

}  // namespace tutti::internal

namespace tutti {

/// numpy.einsum: the product of all operands, element by element, summed over the labels that the result has
/// not.
/// subscripts: a letter for each dim of each operand, "..." for the others, which broadcast; after "->" those
/// of the result. Without "->": the dims of "...", then in alphabetical order the letters that occur once. A
/// letter twice in one operand takes the diagonal. Dims of one letter have equal sizes, or 1, which
/// broadcasts.
/// Any dtype but bool, the same for all; numbers take that of the first array.
/// Cost: pairs of operands in the order with the fewest operations (more than 8: the pair first that shrinks
/// most), each one dot_general, or a product element by element where nothing is summed. No copies where
/// dot_general takes the layout.
/// Throws T005 where sizes, dims or operands do not fit the labels, T006 for labels that are none, T007,
/// T004.
/// Example:
///     Array product = einsum("ij,jk->ik", a, b);
///     Array diagonal = einsum("ii->i", a);
Array einsum(const internal::Subscripts& subscripts, const std::vector<Operand>& operands);

/// The same of operands one by one: arrays, or numbers.
template <class... X>
  requires(sizeof...(X) > 0 && (std::convertible_to<X, Operand> && ...))
Array einsum(const internal::Subscripts& subscripts, const X&... operands) {
  return einsum(subscripts, std::vector<Operand>{Operand(operands)...});
}
/// The same of a vector of arrays.
Array einsum(const internal::Subscripts& subscripts, const std::same_as<Arrays> auto& operands) {
  return einsum(subscripts, std::vector<Operand>(operands.begin(), operands.end()));
}

}  // namespace tutti
