// SPDX-License-Identifier: Apache-2.0
// Compares the results of a peer with those of our runtime, for programs on the example mesh.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tests/support/oracle.hpp"
#include "tests/support/values.hpp"
#include "tutti/ir/program.hpp"

namespace tutti {

using Values = std::vector<Tensors>;  // [value][device]

/// The results of the lowered program. The test fails if the peer refuses it.
Values computed_by(Oracle& peer, const Program& program, const Values& inputs);

/// Whose trips the reference interpreter mixes up: what it says then.
bool communicates_in_a_loop(const Program& program);
inline constexpr std::string_view defect_of_loops =
    "known defect: a collective in a loop may get what a peer sent in an earlier trip";
inline constexpr std::string_view defect_of_triangles = "known defect: factors and triangles end the process";

/// How far two results may be apart, element by element.
using Bounds = std::function<double(std::size_t result, std::size_t device, std::int64_t element)>;
Bounds exact();
/// This many times the epsilon of each result's dtype; nothing for integers.
Bounds bounds_of_epsilons(const Values& results, double times);

/// The equation that makes output `k`.
const Equation& equation_of_result(const Program& program, std::size_t k);
/// The first element where `ours` and `theirs` differ by more than the bound; both NaN is no difference.
std::string difference(const Program& program, const Values& ours, const Values& theirs, const Bounds& bound);

}  // namespace tutti
