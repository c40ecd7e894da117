// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/control/boundary.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/run/watch/report.hpp"

namespace tutti {

/// The rows of a program, with those of its sub-programs. `mesh`: of its axes.
Report report_of(const Program& program, const Mesh& mesh);

/// Adds how arguments and results lie.
void add_shardings(Report& report, const LocalProgram& local);
/// The rows that were traced until `error`, which ended the trace. Without rows if it did not end one.
Report refused_report(const Error& error);

}  // namespace tutti
