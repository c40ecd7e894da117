// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/linearity.hpp"

#include <algorithm>

#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/zero_tangent.hpp"

namespace tutti {

Jvp ops::linear_jvp(const Op& op, const Arrays& operands, const Tangents& tangents) {
  Arrays filled;
  for (std::size_t i = 0; i < operands.size(); ++i)
    filled.push_back(tangents[i] ? *tangents[i] : zero_tangent(operands[i].type()));
  Jvp result{tutti::apply(op, operands), {}};
  for (const Array& tangent : tutti::apply(op, filled)) result.tangents.emplace_back(tangent);
  return result;
}

Jvp ops::bilinear_jvp(const Op& op, const Arrays& operands, const Tangents& tangents) {
  Jvp result{tutti::apply(op, operands), {std::nullopt}};
  for (std::size_t i = 0; i < 2; ++i) {
    if (!tangents[i]) continue;
    Arrays with_tangent = operands;
    with_tangent[i] = *tangents[i];
    result.tangents[0] = sum_of(result.tangents[0], apply_one(op, with_tangent));
  }
  return result;
}

Jvp ops::constant_jvp(const Op& op, const Arrays& operands) {
  Arrays results = tutti::apply(op, operands);
  return {results, Tangents(results.size())};
}

BatchedArrays ops::elementwise_batch(const Op& op, const Axis& axis, const BatchedArrays& operands) {
  bool any = std::ranges::any_of(operands, &Batched::batched);
  Arrays arrays;
  for (const Batched& x : operands) arrays.push_back(any ? materialised(x, axis) : x.array);
  return {{apply_one(op, arrays), any}};
}

Array ops::materialised(const Batched& x, const Axis& axis) {
  return x.batched ? x.array : insert_dim(x.array, Dim{0}, axis.size);
}

std::optional<Array> ops::sum_of(const std::optional<Array>& a, const std::optional<Array>& b) {
  if (a && b) return *a + *b;
  return a ? a : b;
}

}  // namespace tutti
