// SPDX-License-Identifier: Apache-2.0
// Steps of sub-programs: switch (one of several), scan (one many times), while (one while a test holds).
#pragma once

#include <atomic>

#include "tutti/run/plan/plan.hpp"

namespace tutti {

/// The layout of an operand or result of a step with sub-programs.
struct ControlValue {
  std::byte* base = nullptr;              // of its buffer
  std::vector<std::int64_t> at_position;  // byte offset per position along the divergent axes (SubWork)
  std::int64_t slice_bytes = 0;           // of one slice of a stacked value
  std::vector<std::int64_t> shards;       // byte offsets of the shards at one position
  std::int64_t shard_bytes = 0;
};

struct Control {
  SubPrograms sub;
  std::vector<std::shared_ptr<Plan>> plans;
  std::vector<ControlValue> operands, results;  // results: of the op, then the second buffer of each carry
  std::size_t positions = 1;
  std::vector<std::int32_t> coordinates;  // per position, along each divergent axis
  std::size_t coordinates_each = 0;
  std::shared_ptr<std::byte> test_result;
  bool together = false;                 // all workers run the plans
  std::size_t equation = 0;              // in the program that the step is in
  std::vector<std::string> places = {};  // per position: "i=1, j=0", along the divergent axes
  std::vector<bool> in_place = {};       // per carry: updated in place, without a second buffer

  std::vector<std::int64_t> numbers = {};  // of the positions, among those of all processes
  /// A while loop with kernels that may fail ends early after a failure, where calls keep failures to their
  /// end.
  struct StopsEarly {
    std::shared_ptr<std::atomic<bool>> has_failed;
    std::vector<int> others;  // the processes that run the loop with this one
    std::string place;        // of the loop, for those that wait for it
  };
  std::optional<StopsEarly> stops_early = {};

  void run(const WorkerStep& step, StepContext& context) const;
  void touch(const WorkerStep& step, StepContext& context, const OnTouched& on_touched) const;
};

/// The layout of the result of a while loop's test, which has a buffer of its own.
std::vector<std::int64_t> test_result_strides(const Mesh& mesh);
std::size_t test_result_bytes(const Mesh& mesh);

}  // namespace tutti
