// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/run/machine.hpp"
#include "tutti/run/watch/report.hpp"

namespace tutti {

/// All of a report as JSON; docs/page_format.md describes the members. Has the source lines that rows stand
/// on, if the files can be read.
std::string to_json(const Report& report);

/// Writes a page for a browser: one file, without a network. It shows each row of the program with the states
/// of its values, the devices that share a value, the bytes of collectives, the source with its costs, and
/// the plan of the machine with its memory. Times are measured ones if the machine measures and the program
/// has run, else estimates.
/// Throws R001 for a file that cannot be written.
void save_page(const std::string& path, const Report& report, Where where = Where::here());
template <class Result, class... A>
void save_page(const std::string& path, const Compiled<Result, A...>& program, Where where = Where::here()) {
  save_page(path, program.report(), where);
}
/// The page of a program that was refused: the rows until then, the op that was refused, and the message.
void save_page(const std::string& path, const Error& error, Where where = Where::here());

}  // namespace tutti
