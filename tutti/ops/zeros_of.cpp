// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/zeros_of.hpp"

#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/collectives/mask.hpp"
#include "tutti/ops/constant.hpp"

namespace tutti {
namespace {

Array everywhere(const Tensor& element, Type type) {
  return in_states(broadcast_to(constant(element), type.shape()), type.states());
}

}  // namespace

Array in_states(const Array& x, const AxisStates& states) {
  Axes partial;
  AxisStates others;
  for (const auto& [axis, state] : states) {
    if (state == State::unreduced) partial.push_back(axis);
    else others.set(axis, state);
  }
  Array cast = cast_to(x, others);
  return partial.empty() ? cast : mask(cast, partial);
}

Array zeros_of(Type type) { return everywhere(Tensor({}, type.dtype()), type); }
Array ones_of(Type type) { return everywhere(Tensor::scalar_of(type.dtype(), std::int64_t{1}), type); }

}  // namespace tutti
