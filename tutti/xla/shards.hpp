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
  /// `call`: the line of the call that computes them, or of the place that uploads them.
  Shards(Buffers buffers, Where call, std::shared_ptr<Trace> trace)
      : buffers_(std::move(buffers)), call_(call), trace_(std::move(trace)) {}

  bool holds(int device) const override;
  Tensors download(std::span<const int> devices) const override;
  /// Writable: a call may take the memory of an array that was given away.
  Buffers& buffers() const { return buffers_; }

 private:
  mutable Buffers buffers_;
  Where call_;
  std::shared_ptr<Trace> trace_;
};

/// The buffers of an array on these devices of a client, which lies like this; null if it lies otherwise or elsewhere. The
/// devices of two machines with equal meshes may differ.
Buffers* buffers_of(const GlobalArray& array, const Client& client, const DeviceList& devices,
                    const Sharding& sharding);
/// An array of these buffers; `type` is of the whole.
std::shared_ptr<const GlobalArray> array_of(Type type, const Sharding& sharding, Buffers buffers,
                                            const Where& call, const std::shared_ptr<Trace>& trace);

}  // namespace tutti::xla
