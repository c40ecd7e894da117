// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tutti/devices/transport.hpp"
#include "tutti/run/code/worker_step.hpp"

namespace tutti {

/// The code that begins a future: hands its steps to the carrier. Without a carrier it does them itself.
struct Launch {
  std::vector<WorkerStep> steps;
  std::shared_ptr<std::byte> scratch;  // for all steps

  void run(const WorkerStep& step, StepContext& context) const;
  void touch(const WorkerStep& step, StepContext& context, const OnTouched& on_touched) const;

  mutable StepContext of_carrier = {};  // in the call that runs
  mutable std::size_t number = 0;       // at the carrier, of the call that runs
};

/// The code that waits for the end of a future.
struct Await {
  const CodeOf<Launch>* launch;

  void run(const WorkerStep& step, StepContext& context) const;
  void touch(const WorkerStep& step, StepContext& context, const OnTouched& on_touched) const;
};

/// The steps that a launch hands over; none for every other code.
std::span<const WorkerStep> handed_over(const StepCode& code);
/// The launch that an await waits for; null for every other code.
const StepCode* awaited(const StepCode& code);

}  // namespace tutti
