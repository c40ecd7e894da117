// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tutti/lower/function_emitter.hpp"
#include "tutti/lower/options.hpp"

namespace tutti {

/// The operations of one device, written for partitions, as replicas run them: replica_id, groups of replicas, no
/// channels. Products of f32 get their precision. A divisor of integers is never zero, as XLA crashes when it folds a
/// division by a constant zero. `emitter` numbers the new values.
std::vector<stablehlo::Operation> in_replica_form(std::vector<stablehlo::Operation> operations,
                                                  FunctionEmitter& emitter, Precision precision);

}  // namespace tutti
