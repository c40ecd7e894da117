// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/together.hpp"

#include <exception>
#include <memory>

#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"

namespace tutti {

void Turn::take(const std::function<void()>& f) {
  const std::lock_guard lock(lock_);
  require(!is_taken_, Code::device,
          "the function that takes lines runs on process 0 alone, so it cannot use the machine of all "
          "processes; keep the lines, and use the machine after the call, or use one of open_local");
  transport_.begin();
  is_taken_ = true;
  const std::unique_ptr<bool, void (*)(bool*)> given_back(&is_taken_, [](bool* taken) { *taken = false; });
  try {
    f();
  } catch (...) {
    transport_.leave(std::current_exception());
    throw;
  }
}

}  // namespace tutti
