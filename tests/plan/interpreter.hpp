// SPDX-License-Identifier: Apache-2.0
// Plans run on numbers that tell elements and terms apart, with buffers as devices have them.
#pragma once

#include <string>

#include "tests/support/shardings.hpp"
#include "tutti/plan/plan.hpp"

namespace tutti {

/// Runs the steps of `plan`, each by its kind, its two shardings and its groups; members of a group know each
/// other by their order in it. Empty if each device then holds its block of the request's target, in order,
/// of the sum of all terms; else what is wrong.
/// Unpack::no leaves received parts one after another in the buffer, as a flat exchange does.
enum class Unpack { yes, no };
std::string wrong_data(const ReshardPlan& plan, Unpack unpack = Unpack::yes);

/// A number for term `term` of an element. Sums of some of them are not sums of others.
std::uint64_t value(const std::vector<std::int64_t>& element, std::uint64_t term);

}  // namespace tutti
