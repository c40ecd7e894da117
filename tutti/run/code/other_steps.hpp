// SPDX-License-Identifier: Apache-2.0
// The code of steps other than regions: copies, folds over columns, opaque kernels. Each unit is a job, or
// `pieces` jobs of a copy. The tiles of a copy are the iterations of its outermost loop, those of an opaque
// kernel blocks of lines.
#pragma once

#include <functional>

#include "tutti/devices/kernel.hpp"
#include "tutti/run/code/worker_step.hpp"
#include "tutti/run/graph/space.hpp"
#include "tutti/tensor/loops/copies.hpp"
#include "tutti/tensor/loops/reductions.hpp"

namespace tutti {

/// A step whose errors are kept until the end of the call, where the call keeps failures.
struct Failing {
  std::size_t equation;  // in the program of the plan
  Where where;
  std::string op;

  void keep_or_throw(const Error& error, const StepContext& context, std::int64_t unit) const;
};

struct Copy {
  struct Job {
    std::byte* to;
    std::vector<std::byte*> from;  // none: zeros; several: folded, or compared if must_agree
  };
  std::vector<Job> jobs;  // `pieces` of each unit
  std::size_t pieces;
  std::vector<CopyLoop> loops;
  std::size_t element_bytes, bytes;  // of one unit
  FoldKernel fold;
  bool must_agree;
  std::optional<Failing> failing;          // if must_agree
  std::size_t scratch_bytes;               // for the addresses of the terms of a fold
  std::int64_t tiles;                      // of one unit
  bool is_large;                           // uses non-temporal stores
  std::vector<std::int64_t> numbers = {};  // of each unit, if must_agree: which of the distinct values it is

  void run(const WorkerStep& step, StepContext& context) const;
  void touch(const WorkerStep& step, StepContext& context, const OnTouched& on_touched) const;
};

struct Columns {
  struct Job {
    std::byte* to;
    std::byte* from;
  };
  std::vector<Job> jobs;
  ReduceColumnsKernel kernel;
  std::int64_t rows, element_bytes;
  Space space;  // of the result: batch x columns
  std::size_t scratch_bytes;

  void run(const WorkerStep& step, StepContext& context) const;
  void touch(const WorkerStep& step, StepContext& context, const OnTouched& on_touched) const;
};

struct OpaqueCode {
  std::function<void(const kernel::Unit&)> kernel;
  std::vector<std::byte*> addresses;  // of each job: operands, then results
  std::size_t equation;               // in the program of the plan
  std::vector<std::int64_t> numbers;  // of each job: which of the distinct values it computes
  std::vector<std::int64_t> bytes;    // of each operand and result
  std::size_t operands, results;
  std::size_t scratch_bytes;
  std::optional<Failing> failing;  // if it may throw
  kernel::Opaque::Shared shared;

  kernel::Lines lines_of(const WorkerStep& step) const;
  void run(const WorkerStep& step, StepContext& context) const;
  void touch(const WorkerStep& step, StepContext& context, const OnTouched& on_touched) const;
};

}  // namespace tutti
