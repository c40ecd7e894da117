// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/zeros_of.hpp"

#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/mask.hpp"

namespace tutti {
namespace {

Array everywhere(const Tensor& element, Type type) {
  Array filled = broadcast_to(constant(element), type.shape());
  Axes partial;
  AxisStates others;
  for (const auto& [axis, state] : type.states()) {
    if (state == State::unreduced) partial.push_back(axis);
    else others.set(axis, state);
  }
  filled = cast_to(filled, others);
  return partial.empty() ? filled : mask(filled, partial);
}

}  // namespace

Array zeros_of(Type type) { return everywhere(Tensor(type.dtype(), {}), type); }
Array ones_of(Type type) { return everywhere(Tensor::scalar_of(type.dtype(), std::int64_t{1}), type); }

}  // namespace tutti
