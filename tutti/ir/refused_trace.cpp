// SPDX-License-Identifier: Apache-2.0
#include "tutti/ir/refused_trace.hpp"

#include "tutti/ir/pending.hpp"

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

Program finished_program(Builder& inner, const std::function<Arrays()>& function) {
  Program program;
  bool is_finished = false;
  try {
    program = inner.finish(function());
    is_finished = true;
    require_finished(program);
    return program;
  } catch (const Error& error) {
    throw with_program(error, is_finished ? std::move(program) : inner.abandoned());
  }
}

}  // namespace tutti
