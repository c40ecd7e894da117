// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/code/other_steps.hpp"

#include <algorithm>
#include <cstring>

#include "tutti/base/require.hpp"
#include "tutti/tensor/loops/simd/stream.hpp"

namespace tutti {
namespace {

void touched(const std::byte* at, std::int64_t bytes, bool written, const OnTouched& on_touched) {
  auto begin = reinterpret_cast<std::uintptr_t>(at);
  if (bytes > 0) on_touched({begin, begin + static_cast<std::uintptr_t>(bytes), written});
}

/// The elements of a worker's units in a list that has `each` of every unit.
template <class T>
std::span<const T> of_units(const std::vector<T>& list, std::size_t each, const WorkerStep& step) {
  const auto begin = static_cast<std::size_t>(step.unit_begin), end = static_cast<std::size_t>(step.unit_end);
  return std::span(list).subspan(begin * each, (end - begin) * each);
}

bool is_run(const Copy& copy, std::size_t loop) {
  auto bytes = static_cast<std::int64_t>(copy.element_bytes);
  return loop + 1 == copy.loops.size() && copy.loops[loop].from_stride == bytes &&
         copy.loops[loop].to_stride == bytes;
}

void fold_run(const Copy& copy, const Copy::Job& job, std::int64_t to, std::int64_t from,
              std::int64_t elements, std::byte* scratch) {
  auto** terms = reinterpret_cast<const std::byte**>(scratch);
  for (std::size_t i = 0; i < job.from.size(); ++i) terms[i] = job.from[i] + from;
  copy.fold(job.to + to, terms, static_cast<int>(job.from.size()), elements,
            copy.is_large ? Load::ahead : Load::plain, copy.is_large ? Store::streaming : Store::plain);
}

void fold_job(const Copy& copy, const Copy::Job& job, std::size_t loop, std::int64_t to, std::int64_t from,
              std::byte* scratch) {
  if (loop == copy.loops.size()) return fold_run(copy, job, to, from, 1, scratch);
  const CopyLoop& l = copy.loops[loop];
  if (is_run(copy, loop)) return fold_run(copy, job, to, from, l.size, scratch);
  for (std::int64_t i = 0; i < l.size; ++i)
    fold_job(copy, job, loop + 1, to + i * l.to_stride, from + i * l.from_stride, scratch);
}

void require_agreement(const Copy& copy, const Copy::Job& job, std::size_t loop, std::int64_t from) {
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

/// The tiles of a worker's part: their loops, and the byte offsets in a shard at which they begin. Only jobs
/// with one source have several tiles.
struct Tiles {
  Tiles(const Copy& copy, const WorkerStep& step)
      : loops(copy.loops), bytes(static_cast<std::int64_t>(copy.bytes)) {
    if (step.tile_end - step.tile_begin == copy.tiles) return;
    some = copy.loops;
    some[0].size = step.tile_end - step.tile_begin;
    to = step.tile_begin * some[0].to_stride;
    from = step.tile_begin * some[0].from_stride;
    bytes = some[0].size * some[0].to_stride;
    loops = some;
  }
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;

  std::vector<CopyLoop> some;  // the loops, if not over all tiles
  std::span<const CopyLoop> loops;
  std::int64_t to = 0, from = 0, bytes;
};

void touch_source(std::span<const CopyLoop> loops, std::int64_t element_bytes, const std::byte* from,
                  const OnTouched& on_touched) {
  if (loops.empty()) return touched(from, element_bytes, false, on_touched);
  const CopyLoop& l = loops[0];
  if (loops.size() == 1 && l.from_stride == element_bytes)
    return touched(from, l.size * l.from_stride, false, on_touched);
  for (std::int64_t i = 0; i < (l.from_stride == 0 ? std::min<std::int64_t>(l.size, 1) : l.size); ++i)
    touch_source(loops.subspan(1), element_bytes, from + i * l.from_stride, on_touched);
}

}  // namespace

void Copy::run(const WorkerStep& step, StepContext& context) const {
  const Tiles todo(*this, step);
  auto* copy_loops = is_large ? strided_stream : strided_copy;
  for (const Job& job : of_units(jobs, pieces, step)) {
    if (must_agree) try {
        require_agreement(*this, job, 0, 0);
      } catch (const Error& error) {
        if (!failing) throw;
        failing->keep_or_throw(error, context,
                               numbers[static_cast<std::size_t>(&job - jobs.data()) / pieces]);
      }
    if (job.from.empty()) std::memset(job.to, 0, bytes);
    else if (job.from.size() == 1 && job.from[0] + todo.from == job.to + todo.to)
      continue;  // the copy is in place, and an identity (place/reuse)
    else if (job.from.size() == 1 || must_agree)
      copy_loops(job.to + todo.to, job.from[0] + todo.from, todo.loops, element_bytes);
    else fold_job(*this, job, 0, 0, 0, context.scratch);
  }
  if (is_large) finish_streaming();
}

void Copy::touch(const WorkerStep& step, StepContext& context, const OnTouched& on_touched) const {
  const Tiles todo(*this, step);
  touched(context.scratch, static_cast<std::int64_t>(scratch_bytes), true, on_touched);
  const std::span<const Job> all = of_units(jobs, pieces, step);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % pieces == 0) touched(all[i].to + todo.to, todo.bytes, true, on_touched);  // all of the unit
    for (const std::byte* from : all[i].from)
      touch_source(todo.loops, static_cast<std::int64_t>(element_bytes), from + todo.from, on_touched);
  }
}

namespace {

/// Calls f(batch, first column, number of columns) for what the tiles have of each row of the result.
template <class F>
void for_each_row(const Space& space, const WorkerStep& step, const F& f) {
  const std::int64_t per_row = space.tiles_per_row();
  for (std::int64_t tile = step.tile_begin; tile < step.tile_end;) {
    const std::int64_t row = tile / per_row, end = std::min(step.tile_end, (row + 1) * per_row);
    const std::int64_t first = (tile - row * per_row) * space.tile_columns;
    f(row, first, std::min((end - row * per_row) * space.tile_columns, space.columns) - first);
    tile = end;
  }
}

}  // namespace

void Columns::run(const WorkerStep& step, StepContext& context) const {
  const std::int64_t row_bytes = space.columns * element_bytes;
  for (const Job& job : of_units(jobs, 1, step))
    for_each_row(space, step, [&](std::int64_t b, std::int64_t first, std::int64_t columns) {
      kernel(job.to + b * row_bytes + first * element_bytes,
             job.from + b * rows * row_bytes + first * element_bytes, rows, columns, row_bytes,
             context.scratch);
    });
}

void Columns::touch(const WorkerStep& step, StepContext& context, const OnTouched& on_touched) const {
  const std::int64_t row_bytes = space.columns * element_bytes;
  touched(context.scratch, static_cast<std::int64_t>(scratch_bytes), true, on_touched);
  for (const Job& job : of_units(jobs, 1, step))
    for_each_row(space, step, [&](std::int64_t b, std::int64_t first, std::int64_t columns) {
      touched(job.to + b * row_bytes + first * element_bytes, columns * element_bytes, true, on_touched);
      for (std::int64_t row = 0; row < rows; ++row)
        touched(job.from + (b * rows + row) * row_bytes + first * element_bytes, columns * element_bytes,
                false, on_touched);
    });
}

void Failing::keep_or_throw(const Error& error, const StepContext& context, std::int64_t unit) const {
  CallLog* log = context.crew.log;
  if (!log || !log->keeps_failures) throw error;
  log->add_failure(context.crew.iteration, equation, unit, error.at(where, op));
}

kernel::Lines OpaqueCode::lines_of(const WorkerStep& step) const {
  return {step.tile_begin * shared.block, std::min(step.tile_end * shared.block, shared.lines)};
}

void OpaqueCode::run(const WorkerStep& step, StepContext& context) const {
  const std::size_t each = operands + results;
  const std::span<std::byte* const> all = of_units(addresses, each, step);
  const std::int64_t* number = numbers.data() + step.unit_begin;
  StepPrinter printer(context.crew.log, context.crew.iteration, equation);
  for (std::size_t i = 0; i < all.size(); i += each) {
    printer.unit = *number++;
    try {
      kernel({all.subspan(i, operands), all.subspan(i + operands, results), context.scratch, printer.unit,
              &printer, lines_of(step)});
    } catch (const Error& error) {
      if (!failing) throw;
      failing->keep_or_throw(error, context, printer.unit);
      for (std::size_t r = 0; r < results; ++r)  // the same on all processes that compute it
        std::memset(all[i + operands + r], 0, static_cast<std::size_t>(bytes[operands + r]));
    }
  }
}

void OpaqueCode::touch(const WorkerStep& step, StepContext& context, const OnTouched& on_touched) const {
  touched(context.scratch, static_cast<std::int64_t>(scratch_bytes), true, on_touched);
  const std::size_t each = operands + results;
  const std::span<std::byte* const> all = of_units(addresses, each, step);
  const kernel::Lines lines = lines_of(step);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t which = i % each;
    if (which < operands) {
      touched(all[i], bytes[which], false, on_touched);
      continue;
    }
    const std::int64_t piece = bytes[which] / shared.repeats, line = piece / shared.lines;
    for (std::int64_t r = 0; r < shared.repeats; ++r)
      touched(all[i] + r * piece + lines.begin * line, lines.count() * line, true, on_touched);
  }
}

}  // namespace tutti
