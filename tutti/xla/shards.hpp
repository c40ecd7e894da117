// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tutti/devices/global_array.hpp"
#include "tutti/xla/pjrt/buffers.hpp"
#include "tutti/xla/trace.hpp"

namespace tutti::xla {

/// The step that made an array, "call" or "place", and its line in the user's code.
struct Origin {
  const char* step = "";
  Where line = {};
};

/// The parts of a Tutti array on the devices of a client. Replica i of the buffers is position i of the
/// array's mesh.
class Shards : public RemoteShards {
 public:
  Shards(Buffers buffers, Origin origin, const std::shared_ptr<Trace>& trace)
      : buffers_(std::move(buffers)), origin_(origin), trace_(trace) {}

  bool holds(int device) const override;
  Tensors download(std::span<const int> devices) const override;
  /// Not const: a call may overwrite a donated array.
  Buffers& buffers() const { return buffers_; }

 private:
  mutable Buffers buffers_;
  Origin origin_;
  std::weak_ptr<Trace> trace_;  // of the machine, if it is still open
};

/// Returns the buffers of an array that is on these devices of this client with this sharding, else null.
/// Compares devices, because machines with equal meshes may have different ones.
Buffers* buffers_of(const GlobalArray& array, const Client& client, const DeviceList& devices,
                    const Sharding& sharding);
/// Makes an array of these buffers. `type`: of the whole array.
std::shared_ptr<const GlobalArray> array_of(Type type, const Sharding& sharding, Buffers buffers,
                                            const Origin& origin, const std::shared_ptr<Trace>& trace);

}  // namespace tutti::xla
