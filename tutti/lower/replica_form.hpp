// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tutti/lower/function_emitter.hpp"
#include "tutti/lower/options.hpp"

namespace tutti {

/// Rewrites the operations of one device from partitions to replicas: replica_id, groups of replicas, no
/// channels.
/// Products of f32 and complex64 get `precision`. Integer divisors are guarded against zero, because XLA
/// crashes when it folds a division by a constant zero. `emitter` numbers the new values.
std::vector<stablehlo::Operation> in_replica_form(std::vector<stablehlo::Operation> operations,
                                                  FunctionEmitter& emitter, Precision precision);

}  // namespace tutti
