// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tutti/base/inside.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/ops/moves/exchange.hpp"

namespace tutti {

/// The steps of an exchange, along axes of `mesh`: the mesh of the function, refined if steps are along parts
/// of its axes.
struct PlannedExchange {
  Program steps;
  Mesh mesh;
};

/// The cheapest plan for an exchange of a value of type `x` in a function on `mesh`; none if the exchange is
/// one step.
std::optional<PlannedExchange> planned_exchange(const Exchange& exchange, Type x, const Mesh& mesh);

}  // namespace tutti
