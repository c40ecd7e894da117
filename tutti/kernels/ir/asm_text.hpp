// SPDX-License-Identifier: Apache-2.0
// PTX of the ops that run in each thread. Triton takes it as inline assembly.
#pragma once

#include <string>

#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

struct AsmText {
  std::string text;         // $0 is the result, $1 the first operand
  std::string constraints;  // LLVM's: "=r,l,r"
  bool pure = false;
};

AsmText asm_text(const ThreadId& id);
AsmText asm_text(const ThreadSignal& signal);
AsmText asm_text(const ThreadWait& wait);

}  // namespace tutti::kernels
