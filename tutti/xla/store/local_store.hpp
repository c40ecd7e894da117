// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "tutti/xla/pjrt/key_value_store.hpp"

namespace tutti::xla {

inline constexpr std::size_t most_store_bytes = std::size_t{1} << 30;

/// A key-value store in the memory of this process. A StoreServer lets other processes use it.
class LocalStore final : public KeyValueStore {
 public:
  /// A value that several readers share.
  using Value = std::shared_ptr<const std::string>;

  /// `most_bytes` bounds the sum of all keys, values and reserved bytes.
  explicit LocalStore(std::size_t most_bytes = most_store_bytes) : most_bytes_(most_bytes) {}

  StoreAnswer get(std::string_view key, std::chrono::milliseconds timeout) override;
  StoreAnswer try_get(std::string_view key) override;
  /// Fails with invalid_argument if key or value is too large, with resource_exhausted if the store is full.
  std::optional<Failure> put(std::string_view key, std::string_view value) override;

  /// The key's value. Null if nobody has put it.
  Value find(std::string_view key);
  /// Counts bytes that are on their way here as if they were stored. False, without counting, if there is no
  /// space.
  bool reserve(std::size_t bytes);
  void release(std::size_t bytes);
  /// The failure of a put for which there is no space.
  Failure no_space(std::size_t bytes, std::string_view key) const;

  /// Calls `then` with the key's value: at once, or later on the thread that puts it. `then` must neither
  /// wait nor call the store. Returns a number for forget().
  using Then = std::function<void(const Value& value)>;
  std::uint64_t watch(std::string_view key, Then then);
  /// Ends a watch(): its function is not called afterwards. Ignores unknown numbers.
  void forget(std::uint64_t watch);

 private:
  using Map = std::map<std::string, Value, std::less<>>;
  struct Watcher {
    std::string key;
    Then then;
  };

  std::mutex lock_;
  std::condition_variable changed_;
  Map values_;
  const std::size_t most_bytes_;
  std::size_t bytes_ = 0;  // of keys and values, and reserved ones
  std::map<std::uint64_t, Watcher> watchers_;
  std::uint64_t last_watch_ = 0;
};

/// The timeout that a store applies: at most longest_wait, which a negative one means.
std::chrono::milliseconds bounded(std::chrono::milliseconds timeout);
/// The failure of put if key or value is too large. None if they fit.
std::optional<Failure> too_large(std::size_t key_bytes, std::size_t value_bytes);
/// The failure of try_get if nobody has put the key.
Failure not_put_yet(std::string_view key);
/// The failure of get if nobody has put the key in time.
Failure not_put_in_time(std::string_view key, std::chrono::milliseconds timeout);
/// A key as messages show it: its first 100 bytes, in quotes, without control characters.
std::string shown(std::string_view key);

}  // namespace tutti::xla
