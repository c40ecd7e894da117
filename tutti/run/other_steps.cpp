// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/other_steps.hpp"

#include <cstring>

namespace tutti {
namespace {

void touch(const std::byte* at, std::int64_t bytes, bool written, const OnTouched& on_touched) {
  auto begin = reinterpret_cast<std::uintptr_t>(at);
  if (bytes > 0) on_touched({begin, begin + static_cast<std::uintptr_t>(bytes), written});
}

void run_copy(const PlanStep& step, StepContext&) {
  const auto& copy = *static_cast<const CopyArgs*>(step.args);
  for (std::int64_t i = step.unit_begin; i < step.unit_end; ++i) {
    const CopyArgs::Job& job = copy.jobs[static_cast<std::size_t>(i)];
    if (job.zeros) std::memset(job.to, 0, copy.bytes);
    else strided_copy(job.to, job.from, copy.loops, copy.element_bytes);
  }
}

void touch_source(const CopyArgs& copy, const std::byte* from, std::size_t loop,
                  const OnTouched& on_touched) {
  if (loop == copy.loops.size())
    return touch(from, static_cast<std::int64_t>(copy.element_bytes), false, on_touched);
  const CopyLoop& l = copy.loops[loop];
  bool is_run =
      loop + 1 == copy.loops.size() && l.from_stride == static_cast<std::int64_t>(copy.element_bytes);
  if (is_run) return touch(from, l.size * l.from_stride, false, on_touched);
  for (std::int64_t i = 0; i < (l.from_stride == 0 ? std::min<std::int64_t>(l.size, 1) : l.size); ++i)
    touch_source(copy, from + i * l.from_stride, loop + 1, on_touched);
}

void touch_copy(const PlanStep& step, StepContext&, const OnTouched& on_touched) {
  const auto& copy = *static_cast<const CopyArgs*>(step.args);
  for (std::int64_t i = step.unit_begin; i < step.unit_end; ++i) {
    const CopyArgs::Job& job = copy.jobs[static_cast<std::size_t>(i)];
    touch(job.to, static_cast<std::int64_t>(copy.bytes), true, on_touched);
    if (!job.zeros) touch_source(copy, job.from, 0, on_touched);
  }
}

void run_columns(const PlanStep& step, StepContext& context) {
  const auto& args = *static_cast<const ColumnsArgs*>(step.args);
  std::int64_t row_bytes = args.columns * args.element_bytes;
  for (std::int64_t i = step.unit_begin; i < step.unit_end; ++i) {
    const ColumnsArgs::Job& job = args.jobs[static_cast<std::size_t>(i)];
    for (std::int64_t b = 0; b < args.batch; ++b)
      args.kernel(job.to + b * row_bytes, job.from + b * args.rows * row_bytes, args.rows, args.columns,
                  row_bytes, context.scratch);
  }
}

void touch_columns(const PlanStep& step, StepContext& context, const OnTouched& on_touched) {
  const auto& args = *static_cast<const ColumnsArgs*>(step.args);
  std::int64_t bytes = args.batch * args.columns * args.element_bytes;
  touch(context.scratch, static_cast<std::int64_t>(args.scratch_bytes), true, on_touched);
  for (std::int64_t i = step.unit_begin; i < step.unit_end; ++i) {
    touch(args.jobs[static_cast<std::size_t>(i)].to, bytes, true, on_touched);
    touch(args.jobs[static_cast<std::size_t>(i)].from, bytes * args.rows, false, on_touched);
  }
}

void run_units(const PlanStep& step, StepContext& context) {
  const auto& args = *static_cast<const UnitsArgs*>(step.args);
  for (std::int64_t i = step.unit_begin; i < step.unit_end; ++i) {
    std::byte* const* at =
        args.addresses.data() + static_cast<std::size_t>(i) * (args.operands + args.results);
    args.run({{at, args.operands}, {at + args.operands, args.results}, context.scratch});
  }
}

void touch_units(const PlanStep& step, StepContext& context, const OnTouched& on_touched) {
  const auto& args = *static_cast<const UnitsArgs*>(step.args);
  touch(context.scratch, static_cast<std::int64_t>(args.scratch_bytes), true, on_touched);
  std::size_t each = args.operands + args.results;
  for (std::int64_t i = step.unit_begin; i < step.unit_end; ++i)
    for (std::size_t j = 0; j < each; ++j)
      touch(args.addresses[static_cast<std::size_t>(i) * each + j], args.bytes[j], j >= args.operands,
            on_touched);
}

}  // namespace

const PlanStep::Code copy_code{run_copy, touch_copy};
const PlanStep::Code columns_code{run_columns, touch_columns};
const PlanStep::Code units_code{run_units, touch_units};

}  // namespace tutti
