// SPDX-License-Identifier: Apache-2.0
#include "tutti/lower/apart.hpp"

#include "tutti/control/flow/switch.hpp"
#include "tutti/control/flow/while.hpp"
#include "tutti/control/parts/sub_programs.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/own_block.hpp"
#include "tutti/ops/stacking.hpp"

namespace tutti {

Axes divergent_axes(const Op& op, const Types& operands) {
  if (op.as<Switch>()) return varying_axes(operands[0]);
  if (const auto* loop = op.as<While>()) return varying_axes(loop->test->type(loop->test->outputs[0]));
  return {};
}

Program permute_by_gather(const Permute& permute, Type x) {
  const std::vector<int> sources = sources_of(permute.pairs, joint_size(permute.axes));
  auto body = [&](const Arrays& in) -> Arrays {
    Array all = all_gather(in[0], permute.axes, Dim{0}, Stacking::new_dim, State::invariant);
    return {own_block(take_rows(all, sources), permute.axes, Dim{0}, Stacking::new_dim)};
  };
  return trace({x}, body).program;
}

}  // namespace tutti
