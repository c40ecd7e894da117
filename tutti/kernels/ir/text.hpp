// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

/// Prints the kernel as a module that Triton 3.9.0 compiles (a file whose name ends in .ttir).
/// Triton runs no clean-up passes on a file: it compiles exactly this text.
std::string triton_text(const Function& function);

/// Prints the same module in MLIR's generic form, for tools that know only the dialects' definitions.
/// Triton 3.9.0 reads both texts as the same module.
std::string mlir_generic_text(const Function& function);

}  // namespace tutti::kernels
