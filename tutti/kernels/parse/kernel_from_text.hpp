// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

/// The kernels of a module: text of triton_text() or mlir_generic_text(), or what Triton 3.9.0 prints for it.
/// - Values are numbered as the builder does, whatever their names. Locations and comments are left out.
/// - Loads and stores are of Memory::peer unless they carry {tutti.own}.
/// - Inline assembly must be that of an op of threads (asm_text.hpp).
/// Throws R001 with line, column and the line itself for anything else, also for a kernel that verify() refuses.
std::vector<Function> kernels_from_text(std::string_view text);

/// The only kernel of a module. Throws R001 also if there are none or several.
Function kernel_from_text(std::string_view text);

}  // namespace tutti::kernels
