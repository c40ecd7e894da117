// SPDX-License-Identifier: Apache-2.0
// For sources: throws with formatted messages. Headers of the library do not include this file.
#pragma once

#include <fmt/core.h>

#include "tutti/base/error.hpp"

namespace tutti {

[[noreturn]] void throw_error(Code code, Where where, std::string message);

/// Throw Error{code} without a place; the builder adds the user's line.
template <class... A>
[[noreturn]] void fail(Code code, fmt::format_string<A...> format, A&&... values) {
  throw_error(code, {}, fmt::format(format, std::forward<A>(values)...));
}

/// A check of what users hand in: throw Error{code} unless `holds`.
template <class... A>
void require(bool holds, Code code, fmt::format_string<A...> format, A&&... values) {
  if (!holds) [[unlikely]]
    throw_error(code, {}, fmt::format(format, std::forward<A>(values)...));
}

/// A check of what we ourselves promise: its failure is our bug (I001).
template <class... A>
void ensure(bool holds, fmt::format_string<A...> format, A&&... values) {
  if (!holds) [[unlikely]]
    throw_error(Code::internal, {}, fmt::format(format, std::forward<A>(values)...));
}

}  // namespace tutti
