// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace tutti {

/// A value without a destructor, for statics of functions. Other threads still use them while exit() destroys
/// the statics of the process, and so do the destructors of a user's statics. The system takes the memory
/// back.
template <class T>
class NeverDestroyed {
 public:
  NeverDestroyed() { ::new (bytes_) T(); }
  explicit NeverDestroyed(T value) { ::new (bytes_) T(std::move(value)); }
  NeverDestroyed(const NeverDestroyed&) = delete;
  NeverDestroyed& operator=(const NeverDestroyed&) = delete;

  T& operator*() { return *std::launder(reinterpret_cast<T*>(bytes_)); }
  const T& operator*() const { return *std::launder(reinterpret_cast<const T*>(bytes_)); }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }

 private:
  alignas(T) std::byte bytes_[sizeof(T)];
};

}  // namespace tutti
