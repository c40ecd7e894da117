// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/backend.hpp"

#include "tutti/base/require.hpp"
#include "tutti/base/room.hpp"
#include "tutti/run/watch/explain.hpp"

namespace tutti {

Backend::Backend(const Mesh& mesh) : mesh_(mesh) { require_stack(); }

void Backend::require_own_process() const {
  require(is_here_.is_true(), Code::device,
          "the machine was opened in another process, which this one was forked from: its threads are "
          "missing here; "
          "open a machine in this process");
}

std::string Runnable::explain() const {
  Report report;
  add_to(report);
  return explained(report);
}

}  // namespace tutti
