// SPDX-License-Identifier: Apache-2.0
// Collectives, as a FunctionEmitter writes them: their groups, pairs and channels, and their two halves.
#include <algorithm>
#include <utility>

#include "tutti/base/require.hpp"
#include "tutti/devices/layout.hpp"
#include "tutti/lower/function_emitter.hpp"
#include "tutti/lower/in_flight.hpp"
#include "tutti/stablehlo/attribute_text.hpp"

namespace tutti {

// --- Groups and pairs --------------------------------------------------------------------------------------

stablehlo::Attributes FunctionEmitter::collective(const Axes& axes, bool global_ids, const Groups& groups) {
  Layout layout(mesh_, Storage::per_device, {}, {});
  Groups all = written_out(groups, axes);
  std::size_t longest = std::ranges::max_element(all, {}, &std::vector<int>::size)->size();
  std::vector<std::int64_t> rows;
  for (int device = 0; device < mesh_.devices(); ++device) {
    if (layout.position(axes, device) != 0) continue;
    for (const std::vector<int>& group : all) {
      for (int position : group) rows.push_back(layout.peer(axes, device, position));
      rows.insert(rows.end(), longest - group.size(), -1);
    }
  }
  auto row = static_cast<std::int64_t>(longest);
  stablehlo::Attributes attributes{
      {"replica_groups", stablehlo::dense_i64({static_cast<std::int64_t>(rows.size()) / row, row}, rows)},
      {"channel_handle", fresh_channel()}};
  if (global_ids) attributes.push_back({"use_global_device_ids", {stablehlo::Unit{}}});
  return attributes;
}

stablehlo::Attributes FunctionEmitter::permutation(const Axes& axes, const Pairs& pairs) {
  Layout layout(mesh_, Storage::per_device, {}, {});
  std::vector<std::int64_t> rows;
  for (int device = 0; device < mesh_.devices(); ++device) {
    if (layout.position(axes, device) != 0) continue;
    for (auto [source, target] : pairs) {
      rows.push_back(layout.peer(axes, device, source));
      rows.push_back(layout.peer(axes, device, target));
    }
  }
  return {{"source_target_pairs",
           stablehlo::dense_i64({static_cast<std::int64_t>(rows.size()) / 2, 2}, rows)},
          {"channel_handle", fresh_channel()}};
}

stablehlo::Attribute FunctionEmitter::fresh_channel() {
  return stablehlo::record("channel_handle",
                           {{"handle", stablehlo::integer(++channels_)}, {"type", stablehlo::integer(1)}});
}

// --- What was started --------------------------------------------------------------------------------------

stablehlo::Value FunctionEmitter::start(std::size_t first, stablehlo::Value result) {
  std::vector<stablehlo::Operation>& all = written_.operations;
  std::optional<std::size_t> found = only_collective(std::span(all).subspan(first));
  if (!found) return result;
  auto at = all.begin() + static_cast<std::ptrdiff_t>(first + *found);
  const bool is_permute = at->name == "stablehlo.collective_permute";
  const bool sends = options_.send_recv && is_permute && !sends_in_a_cycle(*at);
  if (!sends && !options_.async) return result;
  InFlight op;
  op.result = result;
  op.end.push_back(std::move(*at));
  op.end.insert(op.end.end(), std::make_move_iterator(at + 1), std::make_move_iterator(all.end()));
  all.erase(at, all.end());
  stablehlo::Value started = sends ? send(op.end[0]) : async_start(op.end[0]);
  in_flight_.emplace(started.id, std::move(op));
  return started;
}

stablehlo::Value FunctionEmitter::end(stablehlo::Value started) {
  auto found = in_flight_.find(started.id);
  if (found == in_flight_.end()) return started;  // in plain form: the result
  InFlight& op = found->second;
  op.end[0].location = place_;
  for (stablehlo::Operation& operation : op.end) append(std::move(operation));
  return op.result;
}

stablehlo::Value FunctionEmitter::async_start(stablehlo::Operation& collective) {
  const stablehlo::ValueType future =
      stablehlo::FutureType{std::get<stablehlo::TensorType>(collective.result_types[0])};
  stablehlo::Operation begin = operation("stablehlo.async_start", collective.operands, future, {});
  stablehlo::Operation done =
      operation("stablehlo.async_done", begin.results, collective.result_types[0], {});
  begin.location = collective.location;
  std::swap(done.results, collective.results);
  // The region sees nothing but its arguments.
  stablehlo::Block inside;
  for (const stablehlo::ValueType& type : collective.operand_types)
    inside.arguments.push_back(new_value(type));
  inside.argument_types = collective.operand_types;
  collective.operands = inside.arguments;
  stablehlo::Operation leave = returned(collective.results, collective.result_types);
  inside.operations = {std::exchange(collective, std::move(done)), std::move(leave)};
  begin.regions.push_back(std::move(inside));
  return append(std::move(begin));
}

stablehlo::Value FunctionEmitter::send(stablehlo::Operation& permute) {
  const stablehlo::ValueType token = stablehlo::TokenType{};
  stablehlo::Attributes attributes = permute.attributes;
  attributes.push_back({"is_host_transfer", {false}});
  stablehlo::Operation create = operation("stablehlo.create_token", {}, token, {});
  stablehlo::Operation begin =
      operation("stablehlo.send", {permute.operands[0], create.results[0]}, token, attributes);
  stablehlo::Operation receive = operation("stablehlo.recv", begin.results, token, attributes);
  create.location = begin.location = permute.location;
  receive.results.insert(receive.results.begin(), permute.results[0]);
  receive.result_types.insert(receive.result_types.begin(), permute.result_types[0]);
  permute = std::move(receive);
  append(std::move(create));
  return append(std::move(begin));
}

}  // namespace tutti
