// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

#include "tutti/base/namespaces.hpp"

namespace tutti::internal {

/// The slots that no call is using, without locks. Each of the first 16 threads of the process has its own
/// place and finds its own slot there, so that race detectors (make race) see two threads in one slot only if
/// two share it.
/// Later threads share places; a thread that finds its place empty takes a slot from another place.
template <class Slot>
class IdleSlots {
 public:
  ~IdleSlots() {
    for (auto& place : places_) delete place.load();
  }
  template <class Make>
  void fill(const Make& make) {
    for (auto& place : places_) place.store(make().release(), std::memory_order_release);
  }
  /// Takes a slot out; null if all are in use.
  std::unique_ptr<Slot> take() {
    const std::size_t own = own_place();
    for (std::size_t i = 0; i < places; ++i)
      if (Slot* slot = places_[(own + i) % places].exchange(nullptr, std::memory_order_acq_rel))
        return std::unique_ptr<Slot>(slot);
    return nullptr;
  }
  /// Puts a slot back, or deletes the slot if all places are full.
  void put(std::unique_ptr<Slot> slot) {
    Slot* const given = slot.release();
    const std::size_t own = own_place();
    for (std::size_t i = 0; i < places; ++i) {
      Slot* empty = nullptr;
      if (places_[(own + i) % places].compare_exchange_strong(empty, given, std::memory_order_acq_rel))
        return;
    }
    delete given;
  }

 private:
  static constexpr std::size_t places = 16;  // further calls at the same time make slots of their own

  static std::size_t own_place() {
    static std::atomic<std::size_t> threads{0};
    thread_local const std::size_t thread = threads.fetch_add(1, std::memory_order_relaxed);
    return thread % places;
  }

  std::array<std::atomic<Slot*>, places> places_{};
};

}  // namespace tutti::internal
