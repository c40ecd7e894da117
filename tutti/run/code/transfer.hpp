// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tutti/devices/transport.hpp"
#include "tutti/run/code/worker_step.hpp"

namespace tutti {

/// The code of a transfer: sends, receives, and waits for both.
struct Transfer {
  struct Own {
    std::byte *to, *from;
    std::size_t bytes;
  };
  std::vector<Transport::Part> sends, receives;
  std::vector<Own> own;
  std::string place;  // "all_reduce, model.cpp:7"

  void run(const WorkerStep& step, StepContext& context) const;
  void touch(const WorkerStep& step, StepContext& context, const OnTouched& on_touched) const;
};

}  // namespace tutti
