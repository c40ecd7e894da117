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
  /// Returns why the sender of a greeting is refused: it has another version, job or secret, or another
  /// client has its process number. None: the sender is admitted. Who does not know the secret learns nothing
  /// of the job.
  std::optional<Failure> refusal(const protocol::GreetingHead& greeting, std::string_view name,
                                 std::string_view secret);

 private:
  Job job_;
  std::map<std::uint32_t, std::uint64_t> instances_;  // of the admitted client of each process
};

}  // namespace tutti::xla
