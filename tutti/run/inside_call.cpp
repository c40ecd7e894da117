// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/inside_call.hpp"
#include "tutti/base/inside.hpp"

#include "tutti/base/require.hpp"

namespace tutti {
namespace {

thread_local const InsideCall* innermost = nullptr;

}  // namespace

InsideCall::InsideCall(const void* program) : program_(program), outer_(innermost) {
  require_outside(program);
  innermost = this;
}

InsideCall::~InsideCall() { innermost = outer_; }

bool InsideCall::is_nested() { return innermost && innermost->outer_; }

void InsideCall::require_outside(const void* program) {
  for (const InsideCall* call = innermost; call; call = call->outer_)
    require(call->program_ != program, Code::device,
            "the program is used by a function that it calls, such as the one that takes the lines of "
            "debug_print: it "
            "would wait for itself; keep the lines, and use the program after the call");
}

}  // namespace tutti
