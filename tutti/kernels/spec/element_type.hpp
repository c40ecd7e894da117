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

/// The dtype with which elements of a named type move or are reduced: f8 types, which Tutti does not compute with, move as
/// u8. Refused: reductions of them, types of 4 bits and names that are unknown.
std::variant<DType, ElementRefusal> element_type(std::string_view type_name, CollectiveKind kind);

}  // namespace tutti::kernels
