// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/backend.hpp"

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/xla/program.hpp"
#include "tutti/xla/shards.hpp"

namespace tutti::xla {

XlaBackend::XlaBackend(const Mesh& mesh, std::shared_ptr<const Client> client, const std::vector<int>& ids,
                       const XlaOptions& options)
    : Backend(mesh), client_(std::move(client)), devices_(client_->choose(ids)), options_(options) {
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
    ids.push_back(id_of_.at(mesh.device_id(position)));  // Machine::place has looked at them
  return client_->choose(ids);
}

Buffers XlaBackend::upload(const GlobalArray& array, const Sharding& sharding) {
  const std::shared_ptr<const DeviceList> devices = devices_of(sharding.mesh);
  try {
    return uploaded(array, sharding, client_, devices);
  } catch (const Error& error) {
    if (error.code() != Code::memory || !uploads_.drop_all()) throw;
    return uploaded(array, sharding, client_, devices);
  }
}

std::shared_ptr<const GlobalArray> XlaBackend::place(const std::shared_ptr<const GlobalArray>& array,
                                                     const Sharding& sharding, const Where& where) {
  if (buffers_of(*array, *client_, *devices_of(sharding.mesh), sharding)) return array;
  const std::scoped_lock locked(turn_);
  return array_of(array->type(), sharding, upload(*array, sharding), where);
}

std::string XlaBackend::description() const {
  return fmt::format("{} of XLA ({})", counted(mesh().devices(), client_->platform() + " device"),
                     to_string(mesh()));
}

}  // namespace tutti::xla
