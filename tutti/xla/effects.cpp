// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/effects.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "tutti/base/require.hpp"

namespace tutti::xla {
namespace {

std::int32_t number_at(const std::byte* scalar) {
  std::int32_t number = 0;
  std::memcpy(&number, scalar, sizeof number);
  return number;
}

/// "i=1, j=0"
std::string place_of(const Mesh& mesh, int device, const Axes& axes) {
  std::string place;
  for (const Axis& axis : axes)
    place += fmt::format("{}{}={}", place.empty() ? "" : ", ", axis.name, mesh.coordinate(device, axis));
  return place;
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

// As the local machine does it: the kernel is compiled for the devices at one position along the axes that are decided.
Effects::Call Effects::prepared(const CallBack& call, const Mesh& mesh) try {
  Axes decided;
  for (const CallBack::Around& each : call.around)
    decided.insert(decided.end(), each.decided.begin(), each.decided.end());
  const Mesh inner = mesh.without(decided);
  const Layout layout(inner, Storage::by_type, at_position(call.operands, decided),
                      at_position(call.results, decided));
  Kernel kernel = call.op->kernel(layout);
  auto* opaque = std::get_if<kernel::Opaque>(&kernel);
  require(opaque, Code::refused_rule, "XLA cannot call back a kernel that is part of others; leave it out");
  Call prepared{call, std::move(*opaque), {}};
  const Type effect = layout.results()[0];
  for (int device = 0; device < mesh.devices(); ++device) {
    Part part;
    const int at = mesh.position(device, inner.axes());
    part.unit = layout.shard(effect, at);
    part.is_first = true;
    for (int before = 0; before < at; ++before)
      part.is_first = part.is_first && layout.shard(effect, before) != part.unit;
    for (const CallBack::Around& each : call.around) {
      part.positions.push_back(mesh.position(device, each.decided));
      part.places.push_back(place_of(mesh, device, each.decided));
    }
    prepared.parts.push_back(std::move(part));
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
  std::vector<Trip> trips(around);
  for (std::size_t i = 0; i < around; ++i)
    trips[i] = {.outer = i > 0 ? &trips[i - 1] : nullptr,
                .equation = in_text.around[i].place,
                .position = part.positions[i],
                .place = &part.places[i],
                .number = number_at(operands.operands[2 + i])};
  const Trip* trip = around > 0 ? &trips.back() : nullptr;
  StepPrinter printer(&log_, trip, in_text.place);
  printer.unit = part.unit;
  std::vector<std::byte> scratch(call.kernel.scratch_bytes + 64);
  void* aligned = scratch.data();
  std::size_t room = scratch.size();
  std::align(64, call.kernel.scratch_bytes, aligned, room);
  try {
    call.kernel.run({std::span(operands.operands).subspan(2 + around), operands.results,
                     static_cast<std::byte*>(aligned), part.unit, &printer});
  } catch (const Error& error) {
    log_.add_failure(trip, in_text.place, part.unit, error.at(in_text.where, in_text.op->name()));
  }
}

}  // namespace tutti::xla
