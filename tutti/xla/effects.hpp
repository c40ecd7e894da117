// SPDX-License-Identifier: Apache-2.0
// Ops with an effect of a program that XLA runs: XLA calls back, and their kernels run in this process.
#pragma once

#include "tutti/lower/call_back.hpp"
#include "tutti/run/code/call_log.hpp"
#include "tutti/types/mesh.hpp"
#include "tutti/xla/pjrt/call_backs.hpp"

namespace tutti::xla {

/// Runs the calls back of one program, and collects their lines and failures. A failure does not stop the
/// program, because other devices may wait for this one.
class Effects {
 public:
  /// Throws T010 for an op whose kernel does not stand alone.
  Effects(const CallBacks& calls, const Mesh& mesh);
  bool empty() const { return calls_.empty(); }

  /// Called by threads of the plugin, several at once.
  void run(const CallOperands& call);
  /// The lines of one execution, and its first failure.
  CallLog::Contents take() { return log_.take(); }

 private:
  /// The part of one device in a call. Devices that hold the same values run the kernel once.
  struct Part {
    bool is_first = false;                // of those devices: the one that runs the kernel
    std::int64_t unit = 0;                // which of the distinct values it holds
    std::vector<std::int64_t> positions;  // per op around, along the axes that it decides
    std::vector<std::string> places;      // the same in words
  };
  struct Call {
    CallBack in_text;
    kernel::Opaque kernel;
    std::vector<Part> parts;  // per device
  };
  static Call prepared(const CallBack& call, const Mesh& mesh);

  std::vector<Call> calls_;
  CallLog log_;
};

}  // namespace tutti::xla
