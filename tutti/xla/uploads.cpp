// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/uploads.hpp"

#include <utility>
#include <vector>

#include "tutti/devices/layout.hpp"

namespace tutti::xla {
namespace {

/// Returns the array on the host in shards of this sharding. Copies it unless it is stored so already.
GlobalArray in_shards(const GlobalArray& array, const Sharding& sharding, int shards) {
  if (!array.remote() && !array.drivers() && array.sharding() == sharding) return array;
  const bool is_whole = !array.sharding() && shards == 1;
  return is_whole ? array : GlobalArray::distributed(array, sharding);
}

}  // namespace

Buffers uploaded(const GlobalArray& array, const Sharding& sharding,
                 const std::shared_ptr<const Client>& client, std::shared_ptr<const DeviceList> devices) {
  const Type part = padded_local_type(array.type(), sharding);
  const Layout layout(sharding.mesh, Storage::by_type, {}, {});
  const GlobalArray host = in_shards(array, sharding, layout.shards(part));
  std::vector<const std::byte*> parts;
  for (const int position : devices->local)
    parts.push_back(host.buffer().base.get() +
                    static_cast<std::size_t>(layout.shard(part, position)) * host.buffer().shard_stride);
  return Buffers::upload(client, std::move(devices), part, parts);
}

std::shared_ptr<Buffers> Uploads::find(const std::shared_ptr<const GlobalArray>& array,
                                       const Sharding& sharding) {
  const auto [first, last] = entries_.equal_range(array.get());
  const auto is_current =
      [&](const Entry& entry) {  // no lock(): the array would have one more owner meanwhile
        return !entry.array.owner_before(array) && !array.owner_before(entry.array) &&
               entry.rewrites == array->rewrites() && entry.sharding == sharding;
      };
  for (auto entry = first; entry != last; ++entry)
    if (is_current(entry->second)) return entry->second.copy;
  return nullptr;
}

void Uploads::forget(const std::shared_ptr<const GlobalArray>& array) { entries_.erase(array.get()); }

void Uploads::keep(const std::shared_ptr<const GlobalArray>& array, const Sharding& sharding,
                   std::shared_ptr<Buffers> copy) {
  const auto [first, last] = entries_.equal_range(array.get());
  for (auto entry = first; entry != last;)  // copies of what the array held before it was overwritten
    entry = entry->second.rewrites == array->rewrites() ? std::next(entry) : entries_.erase(entry);
  entries_.emplace(array.get(), Entry{array, array->rewrites(), sharding, std::move(copy)});
}

void Uploads::drop_dead() {
  std::erase_if(entries_, [](const auto& item) { return item.second.array.expired(); });
}

bool Uploads::drop_all() {
  const bool had_any = !entries_.empty();
  entries_.clear();
  return had_any;
}

std::int64_t Uploads::bytes() const {
  std::int64_t bytes = 0;
  for (const auto& [array, entry] : entries_) bytes += entry.copy->bytes();
  return bytes;
}

}  // namespace tutti::xla
