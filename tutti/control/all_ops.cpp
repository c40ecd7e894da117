// SPDX-License-Identifier: Apache-2.0
#include "tutti/control/all_ops.hpp"

#include <algorithm>
#include <map>

#include "tutti/base/error.hpp"
#include "tutti/base/never_destroyed.hpp"
#include "tutti/control/flow/scan.hpp"
#include "tutti/control/flow/switch.hpp"
#include "tutti/control/flow/while.hpp"
#include "tutti/control/wrapped/custom_rules.hpp"
#include "tutti/control/wrapped/remat.hpp"
#include "tutti/control/wrapped/start.hpp"
#include "tutti/ops/arg_reduce.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/bitcast_convert.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/checkpoint_name.hpp"
#include "tutti/ops/clamp.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/all_to_all.hpp"
#include "tutti/ops/collectives/assume_invariant.hpp"
#include "tutti/ops/collectives/axis_index.hpp"
#include "tutti/ops/collectives/broadcast.hpp"
#include "tutti/ops/collectives/mask.hpp"
#include "tutti/ops/collectives/own_block.hpp"
#include "tutti/ops/collectives/permute.hpp"
#include "tutti/ops/collectives/reduce_scatter.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/concatenate.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/cumulative.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/dynamic_slice.hpp"
#include "tutti/ops/dynamic_update_slice.hpp"
#include "tutti/ops/effects/check.hpp"
#include "tutti/ops/effects/check_numbers.hpp"
#include "tutti/ops/effects/debug_print.hpp"
#include "tutti/ops/fft.hpp"
#include "tutti/ops/gather.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/linalg/cholesky.hpp"
#include "tutti/ops/linalg/eigh.hpp"
#include "tutti/ops/linalg/lu.hpp"
#include "tutti/ops/linalg/qr.hpp"
#include "tutti/ops/linalg/svd.hpp"
#include "tutti/ops/linalg/triangular_solve.hpp"
#include "tutti/ops/moves/enter.hpp"
#include "tutti/ops/moves/exchange.hpp"
#include "tutti/ops/moves/leave.hpp"
#include "tutti/ops/moves/ragged_all_to_all.hpp"
#include "tutti/ops/moves/ragged_copy.hpp"
#include "tutti/ops/optimization_barrier.hpp"
#include "tutti/ops/pad.hpp"
#include "tutti/ops/random_bits.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/reduce_precision.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/reverse.hpp"
#include "tutti/ops/scatter.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/sort.hpp"
#include "tutti/ops/stop_gradient.hpp"
#include "tutti/ops/top_k.hpp"
#include "tutti/ops/transpose.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/ops/windows/convolution.hpp"
#include "tutti/ops/windows/reduce_window.hpp"
#include "tutti/ops/windows/selected.hpp"
#include "tutti/ops/zero_tangent.hpp"

namespace tutti {
namespace {

bool accepts(const Op& op, const std::vector<ExampleOperand>& operands) {
  Types types;
  for (const ExampleOperand& operand : operands) types.push_back(operand.type);
  try {
    op->infer(types);
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool has_operand(const Example& example, DType dtype) {
  return std::ranges::any_of(example.operands,
                             [&](const ExampleOperand& operand) { return operand.type.dtype() == dtype; });
}

/// The example with `to` in place of the dtype of its first operand that is not bool.
Example in_dtype(Example example, DType to) {
  DType from = DType::boolean;
  for (const ExampleOperand& operand : example.operands)
    if (from == DType::boolean) from = operand.type.dtype();
  for (ExampleOperand& operand : example.operands) {
    if (operand.type.dtype() != from || from == DType::boolean) continue;
    operand.type = operand.type.with(to);
    if (is_unsigned(to) && operand.low < 0) operand.high = std::max(operand.high, -operand.low);
    if (is_unsigned(to)) operand.low = std::max(operand.low, 0.0);
  }
  return example;
}

/// Ops for which the dtype makes no difference leave these to us: the first example that may have it gets it.
void add_more_dtypes(std::vector<Example>& examples) {
  const std::vector<Example> own = examples;
  for (DType dtype : more_dtypes()) {
    auto has_it = [&](const Example& example) { return has_operand(example, dtype); };
    if (std::ranges::any_of(own, has_it)) continue;
    for (const Example& example : own) {
      Example other = in_dtype(example, dtype);
      if (!has_operand(other, dtype) || !accepts(other.op, other.operands)) continue;
      examples.push_back(std::move(other));
      break;
    }
  }
}

template <class... Ops>
std::vector<OpRow> rows() {
  std::map<std::string, std::vector<Example>> by_name;
  auto add = [&](const std::vector<Example>& examples) {
    for (const Example& example : examples) by_name[std::string(example.op->name())].push_back(example);
  };
  (add(Ops::examples()), ...);
  std::vector<OpRow> all;
  for (auto& [name, examples] : by_name) {
    add_more_dtypes(examples);
    all.push_back({name, std::move(examples)});
  }
  return all;
}

}  // namespace

const std::vector<OpRow>& ops::all_ops() {
  static const NeverDestroyed all(
      rows<AllGather, AllReduce, AllToAll, ArgReduce, AssumeInvariant, AxisIndex, Binary, BitcastConvert,
           Broadcast, BroadcastInDim, Cast, Check, CheckNumbers, CheckpointName, Cholesky, Clamp, Compare,
           Concatenate, Constant, Convert, Convolution, Cumulative, CustomJvp, CustomTangent, CustomVjp,
           DebugPrint, Done, DotGeneral, DynamicSlice, DynamicUpdateSlice, Eigh, Enter, Exchange, Fft, Gather,
           Iota, Leave, Lu, Mask, OptimizationBarrier, OwnBlock, Pad, Permute, Qr, RaggedAllToAll, RaggedCopy,
           RandomBits, Reduce, ReducePrecision, ReduceScatter, ReduceWindow, Remat, Reshape, Reverse, Scan,
           Scatter, Select, SelectAndGather, SelectAndScatter, Slice, Sort, Start, StopGradient, Svd, Switch,
           TopK, Transpose, TriangularSolve, Unary, While, ZeroTangent>());
  return *all;
}

}  // namespace tutti
