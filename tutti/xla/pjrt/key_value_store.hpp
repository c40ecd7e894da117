// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tutti/xla/pjrt/failure.hpp"

namespace tutti::xla {

/// A value, or the reason why there is none.
struct StoreAnswer {
  std::string value;
  std::optional<Failure> failure = std::nullopt;
};

/// Bytes by key, shared by the processes of one job. Through it, a plugin exchanges descriptions of devices
/// and ids of communicators, so it must work as long as the client lives. Keys and values are any bytes, and
/// may be empty.
/// A key never changes its value. All functions may be called by several threads at once. They return
/// failures.
/// Each job and each client needs a store of its own: clients of one plugin use the same keys.
class KeyValueStore {
 public:
  KeyValueStore() = default;
  KeyValueStore(const KeyValueStore&) = delete;
  KeyValueStore& operator=(const KeyValueStore&) = delete;
  virtual ~KeyValueStore() = default;

  /// Waits until some process has put the key. A negative timeout means longest_wait, which is also the
  /// longest.
  /// Fails with deadline_exceeded if nobody puts the key in time.
  virtual StoreAnswer get(std::string_view key, std::chrono::milliseconds timeout) = 0;
  /// Fails with not_found if nobody has put the key yet.
  virtual StoreAnswer try_get(std::string_view key) = 0;
  /// Fails with already_exists if the key has another value. Putting the same value again changes nothing.
  virtual std::optional<Failure> put(std::string_view key, std::string_view value) = 0;
};

inline constexpr std::size_t most_key_bytes = std::size_t{64} << 10;
inline constexpr std::size_t most_value_bytes = std::size_t{64} << 20;
inline constexpr std::chrono::milliseconds longest_wait = std::chrono::hours(1);

}  // namespace tutti::xla
