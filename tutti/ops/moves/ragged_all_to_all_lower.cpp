// SPDX-License-Identifier: Apache-2.0
// ragged_all_to_all in StableHLO: dense collectives, or the custom call of XLA.
#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/moves/ragged_all_to_all.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/transpose.hpp"

namespace tutti {
namespace {

/// Lanes go one after the other: [B, rows, ..] -> [B*rows, ..].
Array lanes_as_rows(const Array& x) {
  const Shape& shape = x.shape();
  return reshape(x, shape.erased(Dim{0}).with(Dim{0}, shape[0] * shape[1]));
}

/// A column of slices [B, K, 4] as [n*B*M]: for each of the n devices its slices of all lanes. A slice of
/// lane b is moved by b * `rows`.
Array slices_of_lanes(const Array& slices, SliceColumn column, int n, std::int64_t rows) {
  Array own = column_of(slices, column);
  const std::int64_t lanes = own.shape()[0], count = own.shape()[1];
  if (lanes == 1) return reshape(own, Shape{count});
  if (rows > 0) own = own + iota(own.shape(), own.dtype(), 0) * rows;
  Array by_device = tutti::transpose(reshape(own, Shape{lanes, n, count / n}), {1, 0, 2});
  return reshape(by_device, Shape{lanes * count});
}

/// Operands of XLA's custom call: operand, output, input_offsets, send_sizes, output_offsets, recv_sizes.
Arrays operands_of_call(const Arrays& x, int n) {
  auto column = [&](SliceColumn which, std::int64_t rows) { return slices_of_lanes(x[2], which, n, rows); };
  return {lanes_as_rows(x[0]),
          lanes_as_rows(x[1]),
          column(SliceColumn::from, x[0].shape()[1]),
          column(SliceColumn::size, 0),
          column(SliceColumn::to, x[1].shape()[1]),
          column(SliceColumn::expected, 0)};
}

}  // namespace

// XLA's call replaces rows, and needs a slice.
Lowered RaggedAllToAll::lower(Emitter& emitter, const Lowered& operands) const {
  const Types types = emitter.operand_types();
  const bool has_slices = types[2].elements() > 0;
  if (!emitter.calls_ragged_all_to_all() || landing == Landing::add || !has_slices)
    return emitter.lower(*by_gather(types), operands);
  Types local;
  for (Type type : types) local.push_back(type.with(AxisStates{}));
  const int n = group_size(groups, axes);
  TracedProgram call = trace(local, [&](const Arrays& x) { return operands_of_call(x, n); });
  const Type whole = emitter.result_types()[0], rows = call.program.type(call.program.outputs[1]);
  const stablehlo::Attributes exchange = emitter.collective(axes, false, groups);
  const auto& channel = std::get<stablehlo::Record>(exchange[1].value.value);
  stablehlo::Value result =
      emitter.emit("stablehlo.custom_call", emitter.lower(call.program, operands), rows,
                   {{"api_version", {stablehlo::Integer{4, "i32"}}},
                    {"backend_config",
                     {stablehlo::Dictionary{{{"channel_id", channel.fields[0].value}, exchange[0]}}}},
                    {"call_target_name", {std::string(name)}}});
  return {emitter.emit("stablehlo.reshape", {result}, whole)};
}

}  // namespace tutti
