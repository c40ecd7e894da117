// SPDX-License-Identifier: Apache-2.0
// Collectives that begin at one place of the text and end at another.
#pragma once

#include <optional>
#include <span>

#include "tutti/control/wrapped/call.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/lower/options.hpp"
#include "tutti/stablehlo/tree.hpp"

namespace tutti {

/// The index of the one operation that communicates. None if several do, also inside of regions, or if
/// stablehlo.async_start does not take it.
std::optional<std::size_t> only_collective(std::span<const stablehlo::Operation> operations);

/// True if some device of a collective_permute gets back what it sends, directly or through others.
bool sends_in_a_cycle(const stablehlo::Operation& permute);

/// `options` for this program. If a future passes an optimization_barrier, futures are written in the plain
/// form:
/// stablehlo.optimization_barrier does not take them.
LowerOptions options_for(const Program& program, LowerOptions options);

/// The ops that have a form of their own under these options, or are lowered better as they are than inlined.
Uninlined kept_by(const LowerOptions& options);

}  // namespace tutti
