// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/code/other_steps.hpp"

#include <cstring>

#include "tutti/base/require.hpp"
#include "tutti/tensor/loops/simd/stream.hpp"

namespace tutti {
namespace {

void touch(const std::byte* at, std::int64_t bytes, bool written, const OnTouched& on_touched) {
  auto begin = reinterpret_cast<std::uintptr_t>(at);
  if (bytes > 0) on_touched({begin, begin + static_cast<std::uintptr_t>(bytes), written});
}

std::span<const CopyArgs::Job> jobs_of(const CopyArgs& copy, std::int64_t unit) {
  return std::span(copy.jobs).subspan(static_cast<std::size_t>(unit) * copy.pieces, copy.pieces);
}

bool is_run(const CopyArgs& copy, std::size_t loop) {
  auto bytes = static_cast<std::int64_t>(copy.element_bytes);
  return loop + 1 == copy.loops.size() && copy.loops[loop].from_stride == bytes &&
         copy.loops[loop].to_stride == bytes;
}

void fold_run(const CopyArgs& copy, const CopyArgs::Job& job, std::int64_t to, std::int64_t from,
              std::int64_t elements, std::byte* scratch) {
  auto** terms = reinterpret_cast<const std::byte**>(scratch);
  for (std::size_t i = 0; i < job.from.size(); ++i) terms[i] = job.from[i] + from;
  copy.fold(job.to + to, terms, static_cast<int>(job.from.size()), elements,
            copy.is_large ? Load::ahead : Load::plain, copy.is_large ? Store::streaming : Store::plain);
}

void fold(const CopyArgs& copy, const CopyArgs::Job& job, std::size_t loop, std::int64_t to,
          std::int64_t from, std::byte* scratch) {
  if (loop == copy.loops.size()) return fold_run(copy, job, to, from, 1, scratch);
  const CopyLoop& l = copy.loops[loop];
  if (is_run(copy, loop)) return fold_run(copy, job, to, from, l.size, scratch);
  for (std::int64_t i = 0; i < l.size; ++i)
    fold(copy, job, loop + 1, to + i * l.to_stride, from + i * l.from_stride, scratch);
}

void require_agreement(const CopyArgs& copy, const CopyArgs::Job& job, std::size_t loop, std::int64_t from) {
  bool is_end = loop == copy.loops.size();
  if (!is_end && !is_run(copy, loop)) {
    for (std::int64_t i = 0; i < copy.loops[loop].size; ++i)
      require_agreement(copy, job, loop + 1, from + i * copy.loops[loop].from_stride);
    return;
  }
  std::size_t bytes = copy.element_bytes * (is_end ? 1 : static_cast<std::size_t>(copy.loops[loop].size));
  for (std::size_t i = 1; i < job.from.size(); ++i)
    require(std::memcmp(job.from[i] + from, job.from[0] + from, bytes) == 0, Code::state,
            "device {} of {} holds another value than the first, but they are assumed to be equal", i,
            job.from.size());
}

/// The tiles of a step: loops over them, and how far into the shards these begin. Several tiles there are only in jobs
/// that copy one shard.
struct Tiles {
  Tiles(const CopyArgs& copy, const WorkerStep& step)
      : loops(copy.loops), bytes(static_cast<std::int64_t>(copy.bytes)) {
    if (step.tile_end - step.tile_begin == copy.tiles) return;
    part = copy.loops;
    part[0].size = step.tile_end - step.tile_begin;
    to = step.tile_begin * part[0].to_stride;
    from = step.tile_begin * part[0].from_stride;
    bytes = part[0].size * part[0].to_stride;
    loops = part;
  }
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;

  std::vector<CopyLoop> part;  // if not all
  std::span<const CopyLoop> loops;
  std::int64_t to = 0, from = 0, bytes;
};

void run_copy(const WorkerStep& step, StepContext& context) {
  const auto& copy = *static_cast<const CopyArgs*>(step.args);
  const Tiles tiles(copy, step);
  auto* copy_loops = copy.is_large ? strided_stream : strided_copy;
  for (std::int64_t unit = step.unit_begin; unit < step.unit_end; ++unit)
    for (const CopyArgs::Job& job : jobs_of(copy, unit)) {
      if (copy.must_agree) require_agreement(copy, job, 0, 0);
      if (job.from.empty()) std::memset(job.to, 0, copy.bytes);
      else if (job.from.size() == 1 || copy.must_agree)
        copy_loops(job.to + tiles.to, job.from[0] + tiles.from, tiles.loops, copy.element_bytes);
      else fold(copy, job, 0, 0, 0, context.scratch);
    }
  if (copy.is_large) finish_streaming();
}

void touch_source(std::span<const CopyLoop> loops, std::int64_t element_bytes, const std::byte* from,
                  const OnTouched& on_touched) {
  if (loops.empty()) return touch(from, element_bytes, false, on_touched);
  const CopyLoop& l = loops[0];
  if (loops.size() == 1 && l.from_stride == element_bytes)
    return touch(from, l.size * l.from_stride, false, on_touched);
  for (std::int64_t i = 0; i < (l.from_stride == 0 ? std::min<std::int64_t>(l.size, 1) : l.size); ++i)
    touch_source(loops.subspan(1), element_bytes, from + i * l.from_stride, on_touched);
}

void touch_copy(const WorkerStep& step, StepContext& context, const OnTouched& on_touched) {
  const auto& copy = *static_cast<const CopyArgs*>(step.args);
  const Tiles tiles(copy, step);
  touch(context.scratch, static_cast<std::int64_t>(copy.scratch_bytes), true, on_touched);
  for (std::int64_t unit = step.unit_begin; unit < step.unit_end; ++unit) {
    touch(jobs_of(copy, unit)[0].to + tiles.to, tiles.bytes, true, on_touched);
    for (const CopyArgs::Job& job : jobs_of(copy, unit))
      for (const std::byte* from : job.from)
        touch_source(tiles.loops, static_cast<std::int64_t>(copy.element_bytes), from + tiles.from,
                     on_touched);
  }
}

void run_columns(const WorkerStep& step, StepContext& context) {
  const auto& args = *static_cast<const ColumnsArgs*>(step.args);
  std::int64_t row_bytes = args.columns * args.element_bytes;
  for (std::int64_t i = step.unit_begin; i < step.unit_end; ++i) {
    const ColumnsArgs::Job& job = args.jobs[static_cast<std::size_t>(i)];
    for (std::int64_t b = 0; b < args.batch; ++b)
      args.kernel(job.to + b * row_bytes, job.from + b * args.rows * row_bytes, args.rows, args.columns,
                  row_bytes, context.scratch);
  }
}

void touch_columns(const WorkerStep& step, StepContext& context, const OnTouched& on_touched) {
  const auto& args = *static_cast<const ColumnsArgs*>(step.args);
  std::int64_t bytes = args.batch * args.columns * args.element_bytes;
  touch(context.scratch, static_cast<std::int64_t>(args.scratch_bytes), true, on_touched);
  for (std::int64_t i = step.unit_begin; i < step.unit_end; ++i) {
    touch(args.jobs[static_cast<std::size_t>(i)].to, bytes, true, on_touched);
    touch(args.jobs[static_cast<std::size_t>(i)].from, bytes * args.rows, false, on_touched);
  }
}

void run_units(const WorkerStep& step, StepContext& context) {
  const auto& args = *static_cast<const UnitsArgs*>(step.args);
  for (std::int64_t i = step.unit_begin; i < step.unit_end; ++i) {
    std::byte* const* at =
        args.addresses.data() + static_cast<std::size_t>(i) * (args.operands + args.results);
    args.run({{at, args.operands}, {at + args.operands, args.results}, context.scratch});
  }
}

void touch_units(const WorkerStep& step, StepContext& context, const OnTouched& on_touched) {
  const auto& args = *static_cast<const UnitsArgs*>(step.args);
  touch(context.scratch, static_cast<std::int64_t>(args.scratch_bytes), true, on_touched);
  std::size_t each = args.operands + args.results;
  for (std::int64_t i = step.unit_begin; i < step.unit_end; ++i)
    for (std::size_t j = 0; j < each; ++j)
      touch(args.addresses[static_cast<std::size_t>(i) * each + j], args.bytes[j], j >= args.operands,
            on_touched);
}

}  // namespace

const WorkerStep::Code copy_code{run_copy, touch_copy};
const WorkerStep::Code columns_code{run_columns, touch_columns};
const WorkerStep::Code units_code{run_units, touch_units};

}  // namespace tutti
