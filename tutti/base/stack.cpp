// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/stack.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tutti {
namespace {

/// Addresses of a stack, which grows towards `low`. `asked`: where the thread stood when it first asked.
struct Stack {
  std::uintptr_t low = 0, high = 0, asked = 0;
};

Stack stack_of_this_thread(std::uintptr_t here) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* low = nullptr;
  std::size_t size = 0, guard = 0;
  const bool known = pthread_attr_getstack(&attributes, &low, &size) == 0 &&
                     pthread_attr_getguardsize(&attributes, &guard) == 0;
  pthread_attr_destroy(&attributes);
  if (!known) return {};
  const auto first = reinterpret_cast<std::uintptr_t>(low);
  return {first + std::min(guard, size), first + size, here};
}

}  // namespace

bool stack_is_nearly_full() {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  static thread_local const Stack stack = stack_of_this_thread(here);  // asks the kernel: about 50 us
  if (here < stack.low || here > stack.high) return false;  // a coroutine's or a signal's own stack
  // Endless recursion must end on a stack without a limit, too. What lies above the first question does not
  // count, such as large arrays of `main`.
  constexpr std::uintptr_t most = 64 << 20;
  if (here < stack.asked && stack.asked - here > most) return true;
  constexpr std::uintptr_t spare =
      128 << 10;  // for the functions of this library that do not ask, and for the error
  return here - stack.low < std::min(spare, (stack.high - stack.low) / 4);
}

}  // namespace tutti
