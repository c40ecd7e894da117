// SPDX-License-Identifier: Apache-2.0
// The message for a program that is refused, and a check that it names the wrong line.
#pragma once

#include <functional>
#include <string>

#include "tutti/api/shard_map.hpp"

namespace tutti {

/// Fails unless `program` throws an Error whose code and text are `expected`: "T004 {file}:{line}: add: ..",
/// where {file}:{line} is a line of the test's own file that ends with `// refused`. (A function: what stands
/// in the arguments of a macro has the macro's line.)
void expect_refused(const std::function<void()>& program, std::string_view expected,
                    Where test = Where::here());
/// Code and text of the Error that `program` throws, "accepted" if none; {file}:{line} as above.
std::string refusal(const std::function<void()>& program, Where test = Where::here());

/// The message of a function that needs a trace, called outside of one; it follows the name.
inline const std::string nothing_traced =
    "nothing is traced here; call it in a function that a machine compiles: auto run = "
    "machine.compile([](Array x) { return x + x; }, x); Array y = run(x)";

/// The text of a line of a source file.
std::string source_line(const Where& where);

/// Traces `body` on one argument, f32[4].
std::function<void()> traced(std::function<Array(Array)> body);
/// Traces `body` on one device of the mesh data=4, model=2; its argument is f32[2]{V:data}, its result
/// whatever it is.
std::function<void()> on_devices(std::function<Array(Array)> body);

}  // namespace tutti
