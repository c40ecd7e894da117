// SPDX-License-Identifier: Apache-2.0
// Steps that run sub-programs: one of several, one many times, one while another says so.
#pragma once

#include "tutti/run/plan/plan.hpp"

namespace tutti {

/// What a value is to a step of sub-programs.
struct ControlValue {
  std::byte* base = nullptr;  // of its buffer
  std::vector<std::int64_t>
      at_position;                   // bytes, per position of the axes along which devices go different ways
  std::int64_t slice_bytes = 0;      // of a stacked one
  std::vector<std::int64_t> shards;  // byte offsets of those at one position
  std::int64_t shard_bytes = 0;
};

struct Control {
  kernel::Sub sub;
  std::vector<std::shared_ptr<Plan>> plans;
  std::vector<ControlValue> operands, results;  // results: of the op, then the other buffer of each carry
  std::int64_t positions = 1;
  std::vector<std::int32_t> coordinates;  // per position, along each axis decided
  std::size_t coordinates_each = 0;
  std::shared_ptr<std::byte> test_result;
  bool together = false;            // all workers run the plans
  std::vector<bool> in_place = {};  // carries that need no other buffer

  void run(const WorkerStep& part, StepContext& context) const;
  void touch(const WorkerStep& part, StepContext& context, const OnTouched& on_touched) const;
};

/// How the result of a loop's test lies, in a buffer of its own.
std::vector<std::int64_t> test_result_strides(const Mesh& mesh);
std::size_t test_result_bytes(const Mesh& mesh);

}  // namespace tutti
