// SPDX-License-Identifier: Apache-2.0
// Exit status, error line and lost output of the tool and the examples.
#pragma once

#include <functional>
#include <string_view>

namespace tutti::cli {

/// Runs a program, all that its main does, and ends the process: with the exit status of `run`, or with that
/// of the error in base/error.cpp and one line on stderr: "tutti: error[R003]: out of memory". Lost output is
/// R001. Objects of static storage are destroyed unless memory is short.
/// A closed descriptor 0, 1 or 2 is held by /dev/null, opened the wrong way round: no file that is opened
/// later gets its number, and using it still fails. Writing more than the limit on the size of files fails
/// (SIGXFSZ is ignored).
[[noreturn]] void run_program(std::string_view name, const std::function<int()>& run);

}  // namespace tutti::cli
