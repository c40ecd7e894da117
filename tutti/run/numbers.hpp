// SPDX-License-Identifier: Apache-2.0
// The numbers of every equation of a program, for reports.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "tutti/run/backend.hpp"

namespace tutti {

/// The elements in one line; of more than `all_elements` the ends.
std::string in_one_line(const Tensor& value, std::int64_t all_elements);

/// Runs the equations of a program one after the other, on virtual devices, and adds the numbers of its
/// inputs and of each result to the rows. inputs[k][d] is input k on device d. A collective that was started
/// has its result at once. Inside of a scan the rows show its last trip; inside of a switch only the branch
/// that all devices take. Throws the errors of equations. Rows before a failing one keep their numbers.
void add_numbers(Report::Part& part, const Program& program, const Mesh& mesh,
                 const std::vector<Tensors>& inputs, const std::stop_token& stop = {});

/// The same program, which keeps the numbers of its last call for the report. `stop` ends that as it ends a
/// call. Throws T015 if an input has more than 64 elements.
std::unique_ptr<Runnable> with_numbers(std::unique_ptr<Runnable> run, const Program& program,
                                       const Mesh& mesh, const CompileRequest& request,
                                       const std::stop_token& stop);

}  // namespace tutti
