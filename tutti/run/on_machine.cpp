// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/on_machine.hpp"

#include <fmt/core.h>

#include <cstring>

#include "tutti/base/require.hpp"
#include "tutti/devices/block.hpp"
#include "tutti/devices/team.hpp"
#include "tutti/ops/moves/enter.hpp"
#include "tutti/ops/moves/leave.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/run/graph/address.hpp"
#include "tutti/transform/replay.hpp"

namespace tutti {
namespace {

/// The sharding of a whole array that stacks the values of the devices: one new leading dim for each axis
/// along which a value varies.
struct Border {
  Sharding sharding;
  Type part;  // one device's, with dims of size 1 for these axes
};

Border border_of(Type type, const Mesh& mesh) {
  Border border{{mesh, {}, {}, {}}, type};
  for (const Axis& axis : mesh.axes()) {
    if (type.at(axis) == State::unreduced) border.sharding.unreduced.push_back(axis);
    if (type.at(axis) == State::reduced) border.sharding.reduced.push_back(axis);
    if (type.at(axis) != State::varying) continue;
    border.sharding.dims.push_back({axis});
    border.part = border.part.inserted(Dim{0}, 1);
  }
  border.sharding.dims.resize(static_cast<std::size_t>(border.part.rank()));
  return border;
}

Program of_wholes(const Program& program, const Mesh& mesh) {
  Builder builder;
  PerVar<Array> values(program);
  for (Var var : program.inputs) {
    Type type = program.type(var);
    Border border = border_of(type, mesh);
    values[var] = reshape(enter(builder.input(global_type(border.part, border.sharding)), border.sharding),
                          type.shape());
  }
  for (const Equation& equation : program.equations) {
    Arrays results = repeat(equation, values.of(equation.operands));
    for (std::size_t i = 0; i < results.size(); ++i) values[equation.results[i]] = results[i];
  }
  Arrays outputs;
  for (Var var : program.outputs) {
    Border border = border_of(program.type(var), mesh);
    outputs.push_back(leave(reshape(values[var], border.part.shape()), border.sharding));
  }
  return builder.finish(outputs);
}

/// The device of the whole mesh at a position of the box.
int device_of(const Processes& processes, int own) {
  const std::vector<std::int64_t> at = coordinates(processes.box(), ~AxisSet{0}, own);
  std::int64_t device = 0;
  for (std::size_t axis = 0; axis < at.size(); ++axis)
    device = device * processes.whole().axes()[axis].size + processes.first(axis) + at[axis];
  return static_cast<int>(device);
}

/// Holds the shards of own devices.
std::shared_ptr<const GlobalArray> whole_of(Type type, const Processes& processes, const Tensors& parts) {
  for (const Tensor& part : parts)
    ensure(part.shape() == type.shape() && part.dtype() == type.dtype(), "a value of an input {} is {}", type,
           Type(part.dtype(), part.shape()));
  Border border = border_of(type, processes.whole());
  const Mesh& mesh = processes.box();
  Layout layout(mesh, Storage::by_type, {}, {});
  // The plan's stride, so that the call copies nothing: a copy would sum the terms of an unreduced value.
  std::size_t stride = shard_stride(type.bytes());
  std::shared_ptr<std::byte> shards = allocate_block(static_cast<std::size_t>(layout.shards(type)) * stride);
  for (int device = 0; device < mesh.devices(); ++device)
    std::memcpy(shards.get() + static_cast<std::size_t>(layout.shard(type, device)) * stride,
                parts[static_cast<std::size_t>(device_of(processes, device))].data(), type.bytes());
  return std::make_shared<const GlobalArray>(global_type(border.part, border.sharding), border.sharding,
                                             ShardedBuffer{shards, stride, processes.drivers()});
}

GlobalArrays wholes_of(const Program& program, const Processes& processes,
                       const std::vector<Tensors>& inputs) {
  GlobalArrays wholes;
  for (std::size_t k = 0; k < inputs.size(); ++k)
    wholes.push_back(whole_of(program.type(program.inputs[k]), processes, inputs[k]));
  return wholes;
}

std::vector<Tensors> parts_of(const Program& program, const Mesh& mesh, const GlobalArrays& wholes) {
  std::vector<Tensors> results;
  for (const std::shared_ptr<const GlobalArray>& whole : wholes) {
    Type type = program.type(program.outputs[results.size()]);
    Tensors& parts = results.emplace_back();
    for (int device = 0; device < mesh.devices(); ++device)
      parts.push_back(whole->shard(device).reshaped(type.shape()));
  }
  return results;
}

std::vector<Tensors> own_parts_of(const Program& program, const Mesh& box, const GlobalArrays& wholes) {
  const Layout layout(box, Storage::by_type, {}, {});
  std::vector<Tensors> results;
  for (const std::shared_ptr<const GlobalArray>& whole : wholes) {
    const Type type = program.type(program.outputs[results.size()]);
    Tensors& parts = results.emplace_back();
    for (int device = 0; device < box.devices(); ++device) {
      const std::size_t shard = static_cast<std::size_t>(layout.shard(type, device));
      parts.emplace_back(type.shape(), type.dtype());
      std::memcpy(parts.back().mutable_bytes(),
                  whole->buffer().base.get() + shard * whole->buffer().shard_stride, type.bytes());
    }
  }
  return results;
}

}  // namespace

std::vector<Tensors> run_on_machine(const Program& program, const Processes& processes,
                                    const std::vector<Tensors>& inputs, Team& team,
                                    const CompileOptions& options) {
  Executable executable(of_wholes(program, processes.whole()), processes, team, options);
  return own_parts_of(program, processes.box(), executable.run(wholes_of(program, processes, inputs)));
}

std::vector<Tensors> run_on_machine(const Program& program, const Mesh& mesh,
                                    const std::vector<Tensors>& inputs, const CompileOptions& options) {
  Team team(2);
  return run_on_machine(program, mesh, inputs, team, options);
}

std::vector<Tensors> run_on_machine(const Program& program, const Mesh& mesh,
                                    const std::vector<Tensors>& inputs, Team& team,
                                    const CompileOptions& options) {
  Executable executable(of_wholes(program, mesh), mesh, team, options);
  return parts_of(program, mesh, executable.run(wholes_of(program, mesh, inputs)));
}

std::vector<Tensors> run_on_machine(const Program& program, const std::vector<Tensors>& inputs,
                                    Backend& machine) {
  const Mesh& mesh = machine.mesh();
  CompileRequest request;
  for (std::size_t k = 0; k < inputs.size(); ++k)
    request.input_names.push_back(fmt::format("argument {}", k));
  const std::unique_ptr<Runnable> runnable = machine.compile(of_wholes(program, mesh), request);
  return parts_of(program, mesh, runnable->run(wholes_of(program, mesh, inputs), {}));
}

}  // namespace tutti
