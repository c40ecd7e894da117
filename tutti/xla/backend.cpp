// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/backend.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/xla/program.hpp"
#include "tutti/xla/shards.hpp"

namespace tutti::xla {

XlaBackend::XlaBackend(const Mesh& mesh, std::shared_ptr<const Client> client, const std::vector<int>& ids,
                       const XlaOptions& options)
    : Backend(mesh),
      client_(std::move(client)),
      devices_(client_->choose(ids)),
      options_(options),
      trace_(std::make_shared<Trace>(options.trace,
                                     "tutti on " + client_->platform() + " devices, " + to_string(mesh))) {
  require(!devices_->local.empty(), Code::device,
          "process {} drives no device of the mesh {}; name devices of every process with .devices, or open "
          "a larger "
          "mesh ({})",
          client_->process(), mesh, client_->plugin().description());
  for (int position = 0; position < mesh.devices(); ++position)
    id_of_[mesh.device_id(position)] = ids[static_cast<std::size_t>(position)];
}

std::unique_ptr<Runnable> XlaBackend::compile(const Program& program, const CompileRequest& request) {
  return std::make_unique<XlaProgram>(*this, program, request);
}

std::shared_ptr<const DeviceList> XlaBackend::devices_of(const Mesh& mesh) const {
  if (mesh == this->mesh()) return devices_;
  std::vector<int> ids;
  for (int position = 0; position < mesh.devices(); ++position)
    ids.push_back(id_of_.at(mesh.device_id(position)));  // Machine::place has checked the ids
  return client_->choose(ids);
}

Buffers XlaBackend::recorded_upload(const std::string& name, std::size_t bytes, const Where& where,
                                    const std::function<Buffers()>& work) {
  uploads_.drop_dead();
  std::optional<Buffers> copy;
  trace_->record({name, "upload", where, static_cast<std::int64_t>(bytes)}, [&] {
    try {
      copy = work();
    } catch (const Error& error) {
      if (error.code() != Code::memory || !uploads_.drop_all()) throw;
      copy = work();
    }
  });
  return *std::move(copy);
}

Buffers XlaBackend::upload(const GlobalArray& array, const Sharding& sharding, const std::string& name,
                           const Where& where) {
  const std::shared_ptr<const DeviceList> devices = devices_of(sharding.mesh);
  const std::size_t bytes = padded_local_type(array.type(), sharding).bytes() * devices->local.size();
  return recorded_upload(name, bytes, where, [&] { return uploaded(array, sharding, client_, devices); });
}

std::shared_ptr<const GlobalArray> XlaBackend::place(const std::shared_ptr<const GlobalArray>& array,
                                                     const Sharding& sharding, const Where& where) {
  if (buffers_of(*array, *client_, *devices_of(sharding.mesh), sharding)) return array;
  const std::scoped_lock locked(turn_);
  Buffers copy = upload(*array, sharding, to_string(array->type()), where);
  return array_of(array->type(), sharding, std::move(copy), {"place", where}, trace_);
}

bool XlaBackend::drives(int position) const { return std::ranges::binary_search(devices_->local, position); }

std::shared_ptr<const GlobalArray> XlaBackend::assemble(Type type, const Sharding& sharding,
                                                        const Tensors& parts, const Where& where) {
  const std::scoped_lock locked(turn_);
  const Type part = local_type(type, sharding);
  std::vector<const std::byte*> data;
  for (const Tensor& tensor : parts) data.push_back(tensor.data());
  Buffers copy = recorded_upload(to_string(type), part.bytes() * parts.size(), where,
                                 [&] { return Buffers::upload(client_, devices_, part, data); });
  return array_of(type, sharding, std::move(copy), {"from_shards", where}, trace_);
}

std::string XlaBackend::description() const {
  const std::string all =
      fmt::format("{} of XLA ({})", counted(mesh().devices(), client_->platform() + " device"),
                  to_string(mesh()));
  const int ours = static_cast<int>(std::ssize(devices_->local));
  return ours == mesh().devices() ? all : fmt::format("{}, {} of them of this process", all, ours);
}

}  // namespace tutti::xla
