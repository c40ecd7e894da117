// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tutti/ir/program.hpp"
#include "tutti/ops/exchange.hpp"

namespace tutti {

/// The steps of the cheapest plan for an exchange of a value of type `x`; none if the exchange is one step.
std::optional<Program> planned_exchange(const Exchange& exchange, Type x);

}  // namespace tutti
