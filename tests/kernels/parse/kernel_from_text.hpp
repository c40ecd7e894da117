// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

/// Parses a module's kernels: text of triton_text(), mlir_generic_text(), or Triton 3.9.0's print of either.
/// - Values get the builder's numbers, whatever their names in the text. Locations and comments are ignored.
/// - Loads and stores have Memory::peer unless they carry {tutti.own}.
/// - Inline assembly must be exactly that of ThreadId, ThreadSignal or ThreadWait (asm_text.hpp).
/// Throws R001 with line, column and the line itself for other text and for kernels that verify() refuses.
std::vector<Function> kernels_from_text(std::string_view text);

/// Parses a module of one kernel. Also throws R001 if there are none or several.
Function kernel_from_text(std::string_view text);

}  // namespace tutti::kernels
