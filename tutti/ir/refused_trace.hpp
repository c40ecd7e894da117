// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tutti/base/error.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ir/program.hpp"

namespace tutti {

/// The programs that were being traced when an error was thrown.
class RefusedTrace : public Evidence {
 public:
  /// An op that does not take its operands.
  struct RefusedOp {
    Op op;
    std::vector<Var> operands;  // of the innermost program
  };
  std::optional<RefusedOp> op;    // none: no op was refused
  std::vector<Program> programs;  // the innermost first; each was traced inside the next one
};

/// The error with `op` as its evidence, unless it has evidence already.
Error with_refused_op(const Error& error, const Op& op, std::vector<Var> operands);
/// The error with `program` around the programs of its evidence.
Error with_program(const Error& error, Program program);
/// Calls `function`, which records in `inner`, and finishes the program. Errors get the equations until then
/// as evidence. Throws T016 as require_finished does.
Program finished_program(Builder& inner, const std::function<Arrays()>& function);
/// The evidence of an error of a trace; null for others.
const RefusedTrace* refused_trace(const Error& error);

}  // namespace tutti
