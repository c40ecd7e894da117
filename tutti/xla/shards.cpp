// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/shards.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "tutti/base/require.hpp"

namespace tutti::xla {

bool Shards::holds(int device) const { return std::ranges::binary_search(buffers_.devices()->local, device); }

Tensors Shards::download(std::span<const int> devices) const try {
  const std::vector<int>& local = buffers_.devices()->local;
  std::vector<int> places;
  for (const int device : devices) {
    const auto found = std::ranges::lower_bound(local, device);
    ensure(found != local.end() && *found == device, "this process does not drive device {}", device);
    places.push_back(static_cast<int>(found - local.begin()));
  }
  Tensors parts;
  const auto bytes = static_cast<std::int64_t>(buffers_.type().bytes() * places.size());
  const auto download = [&] { parts = buffers_.download(places); };
  if (const std::shared_ptr<Trace> trace = trace_.lock())
    trace->record({to_string(buffers_.type()), "download", origin_.line, bytes}, download);
  else download();
  return parts;
} catch (const Error& error) {
  throw error.at(origin_.line, origin_.step);
}

Buffers* buffers_of(const GlobalArray& array, const Client& client, const DeviceList& devices,
                    const Sharding& sharding) {
  const auto* shards = dynamic_cast<const Shards*>(array.remote().get());
  if (!shards || !(array.sharding() == sharding)) return nullptr;
  Buffers& buffers = shards->buffers();
  return &buffers.client() == &client && buffers.devices()->ids == devices.ids ? &buffers : nullptr;
}

std::shared_ptr<const GlobalArray> array_of(Type type, const Sharding& sharding, Buffers buffers,
                                            const Origin& origin, const std::shared_ptr<Trace>& trace) {
  return std::make_shared<const GlobalArray>(type, sharding,
                                             std::make_shared<const Shards>(std::move(buffers), origin,
                                                                            trace));
}

}  // namespace tutti::xla
