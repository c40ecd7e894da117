// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tutti/xla/abi.hpp"

namespace tutti::xla {

/// A value that a plugin takes as an option, or tells as an attribute.
using Value = std::variant<std::string, std::int64_t, std::vector<std::int64_t>, float, bool>;
using Values = std::vector<std::pair<std::string, Value>>;

/// "cpu", "1", "[0, 2, 1]", "0.5", "true"
std::string to_string(const Value& value);
/// As a plugin takes them. They point into `values`, which must outlive them.
std::vector<NamedValue> named_values(const Values& values);
/// Copies of a plugin's values. One of an unknown kind becomes a text that says so.
Values values_of(const NamedValue* list, std::size_t count);
/// A plugin's text, which does not end with 0.
std::string text_of(const char* text, std::size_t bytes);

}  // namespace tutti::xla
