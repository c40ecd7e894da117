// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/array.hpp"
#include "tutti/plan/plan.hpp"

namespace tutti {

/// One step of a plan, by the ops of the program that is being traced.
/// x: local type of step.before -> local type of step.after. Differentiates, batches and lowers as these ops
/// do.
Array take(const PlanStep& step, const Array& x);

/// Makes the changes from one sharding to another that need no step: of reduced axes that only one side
/// names, and of axes of size 1.
/// x: local type of `from` -> local type of `to`, blocks of an array of shape `whole`.
Array take_without_steps(Array x, const Shape& whole, Sharding from, const Sharding& to);

/// The name of the op that a step becomes: "all_to_all" for an exchange between two dims, that of its
/// pattern for a move, else that of its kind.
std::string_view op_name(const PlanStep& step);

/// All steps of a plan. x: local type of request.from -> local type of request.to.
/// Reduced axes that only one side names, and axes of size 1, change before the first step or after the last
/// one.
/// Throws T015 for an x of another type, T005 for a plan of uneven blocks, T013 for one from one mesh to
/// another.
Array take(const ReshardPlan& plan, const Array& x);

/// Takes the plan, but joins consecutive steps that only move blocks into one exchange. A single process
/// does it by one copy. Lowering plans the exchange again, as steps.
Array take_at_once(const ReshardPlan& plan, const Array& x);

}  // namespace tutti
