// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>

#include "tutti/devices/global_array.hpp"
#include "tutti/xla/pjrt/buffers.hpp"

namespace tutti::xla {

/// Copies an array from the host, or from the devices of another machine, to devices of a client. Device i of
/// the list gets the part at position i of the sharding's mesh. Throws R003 if a device has not enough
/// memory.
Buffers uploaded(const GlobalArray& array, const Sharding& sharding,
                 const std::shared_ptr<const Client>& client, std::shared_ptr<const DeviceList> devices);

/// Caches uploaded arrays. The copy on the devices is kept while its array lives, so that later calls upload
/// nothing.
/// Not thread-safe.
class Uploads {
 public:
  /// Returns the copy of `array` with this sharding. Null if there is none, or the array was overwritten
  /// since.
  std::shared_ptr<Buffers> find(const std::shared_ptr<const GlobalArray>& array, const Sharding& sharding);
  /// Drops the copies of an array that a call gives away. Whoever has one from find() keeps it.
  void forget(const std::shared_ptr<const GlobalArray>& array);
  /// Keeps a copy. Does not keep `array` alive.
  void keep(const std::shared_ptr<const GlobalArray>& array, const Sharding& sharding,
            std::shared_ptr<Buffers> copy);
  /// Frees the copies of arrays that no longer exist.
  void drop_dead();
  /// Frees all copies. Returns false if there was none.
  bool drop_all();
  std::int64_t bytes() const;

 private:
  struct Entry {
    std::weak_ptr<const GlobalArray> array;
    std::uint64_t rewrites;  // of the array when it was copied
    Sharding sharding;
    std::shared_ptr<Buffers> copy;
  };
  std::unordered_multimap<const GlobalArray*, Entry> entries_;  // the keys are never dereferenced
};

}  // namespace tutti::xla
