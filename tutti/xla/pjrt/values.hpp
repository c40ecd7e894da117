// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/xla/pjrt/abi.hpp"

namespace tutti::xla {

/// The value of a plugin's option or attribute.
using Value = std::variant<std::string, std::int64_t, std::vector<std::int64_t>, float, bool>;
using Values = std::vector<std::pair<std::string, Value>>;

/// "cpu", "1", "[0, 2, 1]", "0.5", "true"
std::string to_string(const Value& value);
/// Makes structs that point into `values`, which must outlive them.
std::vector<NamedValue> named_values(const Values& values);
/// Copies a plugin's values. A value of an unknown kind becomes a text that says so.
Values values_of(const NamedValue* list, std::size_t count);
/// Copies a plugin's text, which is not null-terminated.
std::string text_of(const char* text, std::size_t bytes);

}  // namespace tutti::xla
