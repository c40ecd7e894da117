// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tutti/read/source.hpp"

namespace tutti {

/// Operations whose operands, regions or region arguments are fewer or more than their kind has, and blocks
/// that do not end in one return of the right number of values. S001, each at its operation. The other parts
/// of `read` rely on it.
std::vector<Error> errors_of_structure(const SourceModule& source);

/// None: an operation with so many operands is one of this kind. Otherwise: "has 3 operands; it takes 2".
std::optional<std::string> error_of_operands(std::string_view name, std::size_t operands);

bool is_terminator(std::string_view name);

}  // namespace tutti
