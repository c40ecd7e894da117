// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "tutti/kernels/spec/collective_spec.hpp"

namespace tutti::kernels {

struct ElementRefusal {
  std::string why;
};

/// Returns the dtype in which a kernel moves or reduces elements of the named type. f8 types move as u8,
/// because Tutti has no f8 arithmetic. Refuses reductions of f8 types, types of 4 bits and unknown names.
std::variant<DType, ElementRefusal> element_type(std::string_view type_name, CollectiveKind kind);

}  // namespace tutti::kernels
