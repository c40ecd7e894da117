// SPDX-License-Identifier: Apache-2.0
// What the library says to a program that it refuses, and whether it says so for the line that is wrong.
#pragma once

#include <functional>
#include <string>

#include "tutti/api/shard_map.hpp"

namespace tutti {

/// "T004 {file}:{line}: add: ..": code and text of the Error that `program` throws. {file}:{line} stands for the line
/// of the calling test that ends with `// refused`; any other place is printed as it is. "accepted" if none is thrown.
std::string refusal(const std::function<void()>& program, Where test = Where::here());

/// The text of a line of a source file.
std::string source_line(const Where& where);

/// Traces `body` on one argument, f32[4].
std::function<void()> traced(std::function<Array(Array)> body);
/// Traces `body` on one device of the mesh data=4, model=2; its argument is f32[2]{V:data}, its result whatever it is.
std::function<void()> on_devices(std::function<Array(Array)> body);

}  // namespace tutti
