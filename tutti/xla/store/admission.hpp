// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "tutti/xla/store/job.hpp"
#include "tutti/xla/store/protocol.hpp"

namespace tutti::xla {

/// Decides who may use the store of a job.
class Admission {
 public:
  explicit Admission(Job job) : job_(std::move(job)) {}
  /// The reason why the sender of a greeting is refused: another version, another job, or a process that another client
  /// already is. None: it is admitted.
  std::optional<Failure> refusal(const protocol::GreetingHead& greeting, std::string_view name);

 private:
  Job job_;
  std::map<std::uint32_t, std::uint64_t> instances_;  // by process, of those admitted
};

}  // namespace tutti::xla
