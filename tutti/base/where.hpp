// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tutti/base/namespaces.hpp"

namespace tutti {

/// A place in a user's source or program text. Lines and columns count from 1; 0 = not known.
/// `file` points to storage that lives as long as the process: a literal, or `intern_name`.
struct Where {
  const char* file = nullptr;
  int line = 0;
  int column = 0;

  /// The place of the caller, when used as a default argument.
  static constexpr Where here(const char* caller_file = __builtin_FILE(),
                              int caller_line = __builtin_LINE()) {
    return {caller_file, caller_line, 0};
  }
  /// False for a place that nobody named.
  constexpr bool known() const { return line > 0; }
};

/// "file:line" or "file:line:column"; empty if unknown.
std::string to_string(const Where& where);

}  // namespace tutti

namespace tutti::internal {

/// A copy of `name` (a file, an axis) that lives as long as the process; equal names share it.
const char* intern_name(std::string_view name);

}  // namespace tutti::internal
