// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

/// The kernel as a module that Triton 3.9.0 compiles (a file whose name ends in .ttir).
/// Its clean-up passes do not run on a file: it compiles what stands here.
std::string triton_text(const Function& function);

/// The same module in MLIR's generic form, for tools that know only the dialects' definitions.
/// Triton 3.9.0 reads it as the same module.
std::string mlir_generic_text(const Function& function);

}  // namespace tutti::kernels
