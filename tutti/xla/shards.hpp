// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tutti/devices/global_array.hpp"
#include "tutti/xla/pjrt/buffers.hpp"
#include "tutti/xla/trace.hpp"

namespace tutti::xla {

/// The parts of a Tutti array on the devices of a client. Replica i of the buffers is position i of the array's mesh.
class Shards : public RemoteShards {
 public:
  /// `call`: the user's line that computes or uploads the parts.
  Shards(Buffers buffers, Where call, std::shared_ptr<Trace> trace)
      : buffers_(std::move(buffers)), call_(call), trace_(std::move(trace)) {}

  bool holds(int device) const override;
  Tensors download(std::span<const int> devices) const override;
  /// Not const: a call may overwrite a donated array.
  Buffers& buffers() const { return buffers_; }

 private:
  mutable Buffers buffers_;
  Where call_;
  std::shared_ptr<Trace> trace_;
};

/// Returns the buffers of an array that is on these devices of this client with this sharding, else null.
/// Compares devices, because machines with equal meshes may have different ones.
Buffers* buffers_of(const GlobalArray& array, const Client& client, const DeviceList& devices,
                    const Sharding& sharding);
/// Makes an array of these buffers. `type`: of the whole array.
std::shared_ptr<const GlobalArray> array_of(Type type, const Sharding& sharding, Buffers buffers,
                                            const Where& call, const std::shared_ptr<Trace>& trace);

}  // namespace tutti::xla
