// SPDX-License-Identifier: Apache-2.0
// For tests of ops: the program that a function records, the refusal, the results of a kernel.
#pragma once

#include <functional>
#include <string>

#include "tutti/base/inside.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ir/example.hpp"

namespace tutti {

/// "T005: reshape: f32[2] has .." of the Error that `body` throws, without its place; "accepted" if none.
std::string refusal_of(const std::function<void()>& body);
/// The same of an op that infers its result from these operands; without the op's name.
std::string refusal_of(const Op& op, const Types& operands);

/// The program, checked, one equation a line, without places.
std::string text_of(Program program);
/// The program that `function` records with inputs of `types`: checked, one equation a line, without places.
std::string program_text(const Types& types, const std::function<Array(const Arrays&)>& function);

/// The kernel of an op on the example mesh.
Kernel kernel_of(const Op& op, const Types& operands);
/// "2: d0*6 > d0, 6: d0 > nowhere from [1]" or "reshape".
std::string to_string(const kernel::View& view);
/// `x` seen through a view that names no mesh axis.
Tensor viewed(const kernel::View& view, const Tensor& x, const Shape& result);

/// 1, 2, 3, ..; of bool 1, 0, 1, ..
Tensor counted(DType dtype, const Shape& shape);

}  // namespace tutti
