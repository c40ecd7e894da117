// SPDX-License-Identifier: Apache-2.0
#include "tutti/ir/refused_trace.hpp"

namespace tutti {

const RefusedTrace* refused_trace(const Error& error) {
  return dynamic_cast<const RefusedTrace*>(error.evidence().get());
}

Error with_refused_op(const Error& error, const Op& op, std::vector<Var> operands) {
  if (error.evidence()) return error;
  auto trace = std::make_shared<RefusedTrace>();
  trace->op = RefusedTrace::RefusedOp{op, std::move(operands)};
  return error.with(std::move(trace));
}

Error with_program(const Error& error, Program program) {
  auto trace = std::make_shared<RefusedTrace>();
  if (const RefusedTrace* before = refused_trace(error)) {
    trace->op = before->op;
    trace->programs = before->programs;
  }
  trace->programs.push_back(std::move(program));
  return error.with(std::move(trace));
}

}  // namespace tutti
