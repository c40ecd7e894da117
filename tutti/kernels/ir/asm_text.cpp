// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/ir/asm_text.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>

namespace tutti::kernels {
namespace {

// PTX and our enums spell orders and scopes in the same way.
std::string access(std::string_view what, Order order, Scope scope) {
  return fmt::format("{}.{}.{}.global.u32", what, to_string(order), to_string(scope));
}

}  // namespace

AsmText asm_text(const ThreadId&) { return {"mov.u32 $0, %tid.x;", "=r", true}; }

AsmText asm_text(const ThreadSignal& signal) {
  const std::string store = access("st", signal.order, signal.scope);
  return {fmt::format("{} [$1], $2;\nmov.u32 $0, 0;", store), "=r,l,r,~{memory}", false};
}

// The braces make the label local, so that a kernel may contain the text twice. A limit of 0 wraps around and
// allows 2^64 polls.
AsmText asm_text(const ThreadWait& wait) {
  const std::string missing =
      wait.reached == IntPredicate::eq ? "setp.ne.s32 missing, ahead, 0;" : "setp.lt.s32 missing, ahead, 0;";
  return {fmt::format("{{\n"
                      ".reg .pred missing, again;\n"
                      ".reg .b32 seen, ahead;\n"
                      ".reg .b64 polls;\n"
                      "mov.u64 polls, $3;\n"
                      "poll:\n"
                      "{} seen, [$1];\n"
                      "sub.s32 ahead, seen, $2;\n"
                      "{}\n"
                      "sub.u64 polls, polls, 1;\n"
                      "setp.ne.u64 again, polls, 0;\n"
                      "and.pred again, again, missing;\n"
                      "@again bra poll;\n"
                      "@missing st.global.v2.u32 [$4], {{1, $2}};\n"
                      "selp.u32 $0, 0, 1, missing;\n"
                      "}}",
                      access("ld", wait.order, wait.scope), missing),
          "=&r,l,r,l,l,~{memory}", false};
}

}  // namespace tutti::kernels
