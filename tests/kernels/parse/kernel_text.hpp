// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/error.hpp"
#include "tutti/mlir/lexer.hpp"

namespace tutti::kernels {

using mlir::Lexer;
using mlir::Token;
using mlir::TokenKind;

/// The text of kernels: its name in messages, and the code of its errors.
inline mlir::TextToRead text_of_kernel(std::string_view text) { return {text, "kernel text", Code::file}; }

}  // namespace tutti::kernels
