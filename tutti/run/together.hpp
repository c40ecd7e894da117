// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <type_traits>

#include "tutti/devices/transport.hpp"

namespace tutti {

/// Serialises the operations that all processes of a machine do together.
class Turn {
 public:
  explicit Turn(Transport& transport) : transport_(transport) {}

  /// Runs `f`. All processes call this. If `f` throws here, the other processes are told, so that they do not
  /// wait. Throws R004 if called inside another `f`, R007 once the machine has failed.
  void take(const std::function<void()>& f);

 private:
  Transport& transport_;
  std::recursive_mutex lock_;
  bool is_taken_ = false;
};

/// Does `f` in `turn`; without one there are no other processes.
template <class F>
auto done_together(Turn* turn, const F& f) {
  using Result = decltype(f());
  if (!turn) return f();
  if constexpr (std::is_void_v<Result>) {
    turn->take(f);
  } else {
    Result result{};
    turn->take([&] { result = f(); });
    return result;
  }
}

}  // namespace tutti
