// SPDX-License-Identifier: Apache-2.0
// Programs that functions of whole arrays record, and what stands in them.
#pragma once

#include <functional>
#include <string_view>

#include "tutti/base/inside.hpp"
#include "tutti/ir/builder.hpp"

namespace tutti {

/// The program that `function` records with inputs of `types`, checked.
Program recorded(const Types& types, const std::function<Arrays(const Arrays&)>& function);
/// The gradient of a loss by all its inputs, checked.
Program gradient_of(const Types& types, const std::function<Array(const Arrays&)>& loss);

/// The equations of this op, in sub-programs as well.
int count(const Program& program, std::string_view op);

}  // namespace tutti
