// SPDX-License-Identifier: Apache-2.0
#include "tutti/lower/planned_exchange.hpp"

#include "tutti/ir/builder.hpp"
#include "tutti/plan/take_step.hpp"

namespace tutti {

std::optional<Program> planned_exchange(const Exchange& exchange, Type x) {
  const std::shared_ptr<const ReshardPlan> found = shared_plan(request_for(x, exchange.from, exchange.to));
  if (found->steps.size() < 2) return std::nullopt;
  return trace({x}, [&](const Arrays& part) { return Arrays{take(*found, part[0])}; }).program;
}

}  // namespace tutti
