// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/effects.hpp"

#include <cstring>
#include <utility>

#include "tutti/base/require.hpp"
#include "tutti/devices/block.hpp"

namespace tutti::xla {
namespace {

std::int32_t number_at(const std::byte* scalar) {
  std::int32_t number = 0;
  std::memcpy(&number, scalar, sizeof number);
  return number;
}

/// The types at one position along `axes`.
Types at_position(Types types, const Axes& axes) {
  for (Type& type : types)
    for (const Axis& axis : axes) type = type.with(axis, State::invariant);
  return types;
}

}  // namespace

Effects::Effects(const CallBacks& calls, const Mesh& mesh) {
  for (const CallBack& call : calls) calls_.push_back(prepared(call, mesh));
}

// As the local machine does it: the kernel is compiled for the devices at one position along the axes that
// are decided.
Effects::Call Effects::prepared(const CallBack& call, const Mesh& mesh) try {
  Axes divergent;
  for (const CallBack::EnclosingOp& each : call.around)
    divergent.insert(divergent.end(), each.divergent.begin(), each.divergent.end());
  const Mesh inner = mesh.without(divergent);
  const Layout layout(inner, Storage::by_type, at_position(call.operands, divergent),
                      at_position(call.results, divergent));
  Kernel kernel = call.op->kernel(layout);
  auto* opaque = std::get_if<kernel::Opaque>(&kernel);
  require(opaque, Code::refused_rule, "XLA cannot call back a kernel that is part of others; leave it out");
  Call prepared{call, std::move(*opaque), std::vector<Part>(static_cast<std::size_t>(mesh.devices()))};
  const Type effect = layout.results()[0];
  std::vector<int> first(static_cast<std::size_t>(layout.shards(effect)));  // per unit: the first holder
  for (int at = inner.devices(); at-- > 0;) first[static_cast<std::size_t>(layout.shard(effect, at))] = at;
  for (int device = 0; device < mesh.devices(); ++device) {
    Part& part = prepared.parts[static_cast<std::size_t>(device)];
    const int at = mesh.position(device, inner.axes());
    part.unit = layout.shard(effect, at);
    part.is_first = first[static_cast<std::size_t>(part.unit)] == at;
  }
  const Layout outer(mesh, Storage::by_type, {}, {});
  for (const CallBack::EnclosingOp& each : call.around) {
    const Type chooser = Type(DType::boolean, {}).with(each.divergent, State::varying);
    const std::vector<std::string> places = outer.holders(chooser);
    for (int device = 0; device < mesh.devices(); ++device) {
      const int position = outer.shard(chooser, device);
      Part& part = prepared.parts[static_cast<std::size_t>(device)];
      part.positions.push_back(position);
      part.places.push_back(places[static_cast<std::size_t>(position)]);
    }
  }
  return prepared;
} catch (const Error& error) {
  throw error.at(call.where, call.op->name());
}

void Effects::run(const CallOperands& operands) {
  const Call& call = calls_[static_cast<std::size_t>(number_at(operands.operands[0]))];
  const CallBack& in_text = call.in_text;
  const Part& part = call.parts[static_cast<std::size_t>(number_at(operands.operands[1]))];
  const std::size_t around = in_text.around.size();
  for (std::size_t i = 0; i < in_text.results.size(); ++i)
    std::memset(operands.results[i], 0, in_text.results[i].bytes());
  if (!part.is_first) return;
  std::vector<Iteration> iterations(around);
  for (std::size_t i = 0; i < around; ++i)
    iterations[i] = {.outer = i > 0 ? &iterations[i - 1] : nullptr,
                     .equation = in_text.around[i].place,
                     .position = part.positions[i],
                     .place = &part.places[i],
                     .number = number_at(operands.operands[2 + i])};
  const Iteration* iteration = around > 0 ? &iterations.back() : nullptr;
  StepPrinter printer(&log_, iteration, in_text.place);
  printer.unit = part.unit;
  const std::size_t bytes = call.kernel.scratch_bytes;
  try {
    const std::shared_ptr<std::byte> scratch = bytes > 0 ? allocate_block(bytes) : nullptr;
    call.kernel.run({std::span(operands.operands).subspan(2 + around), operands.results, scratch.get(),
                     part.unit, &printer});
  } catch (const Error& error) {
    log_.add_failure(iteration, in_text.place, part.unit, error.at(in_text.where, in_text.op->name()));
  }
}

}  // namespace tutti::xla
