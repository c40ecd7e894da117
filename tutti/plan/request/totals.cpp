// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/request/totals.hpp"
#include "tutti/base/inside.hpp"

namespace tutti {

std::string_view name(StepKind kind) {
  switch (kind) {
    case StepKind::slice: return "slice";
    case StepKind::gather: return "all_gather";
    case StepKind::exchange: return "exchange";
    case StepKind::permute: return "permute";
    case StepKind::all_reduce: return "psum";
    case StepKind::reduce_scatter: return "psum_scatter";
    case StepKind::mask: return "mask";
    case StepKind::move: return "move";
  }
  return {};
}

std::string_view name(PlanObjective objective) {
  switch (objective) {
    case PlanObjective::time: return "time";
    case PlanObjective::bytes: return "bytes";
    case PlanObjective::steps: return "steps";
  }
  return {};
}

}  // namespace tutti
