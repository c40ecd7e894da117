// SPDX-License-Identifier: Apache-2.0
#include "tutti/lower/apart.hpp"

#include <algorithm>

#include "tutti/control/switch.hpp"
#include "tutti/control/while.hpp"
#include "tutti/ops/all_gather.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/axis_index.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/gather.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/zeros_of.hpp"

namespace tutti {
namespace {

bool differs(Type type) {
  return std::ranges::any_of(type.states(), [](const auto& axis_and_state) {
    return is_stored_per_device(axis_and_state.second);
  });
}

}  // namespace

bool devices_choose(const Op& op, const Types& operands) {
  if (op.as<Switch>()) return differs(operands[0]);
  if (const auto* loop = op.as<While>()) return differs(loop->test->type(loop->test->outputs[0]));
  return false;
}

Program permute_by_gather(const Permute& permute, Type x) {
  const Shape positions{joint_size(permute.axes)};
  Tensor sources(DType::i32, positions), received(DType::boolean, positions);
  for (auto [source, target] : permute.pairs) {
    sources.mutable_data<std::int32_t>()[target] = source;
    received.mutable_data<bool>()[target] = true;
  }
  auto body = [&](const Arrays& in) -> Arrays {
    Array all = all_gather(in[0], permute.axes, Dim{0}, Stacking::new_dim, State::invariant);
    Array own = apply_one(AxisIndex{permute.axes}, {});
    Array sent = take(all, take(constant(sources), own, 0), 0);
    Array receives = broadcast_to(take(constant(received), own, 0), x.shape());
    return {select(receives, sent, zeros_of(sent.type()))};
  };
  return trace({x}, body).program;
}

}  // namespace tutti
