// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/fuse/steps.hpp"

#include <algorithm>

namespace tutti {
namespace {

constexpr std::size_t most_tasks_in_region = 64;      // so that the temporaries of a region stay in L1
constexpr std::int64_t longest_row_in_region = 4096;  // elements; a longer row is folded in its own region

class Gatherer {
 public:
  Gatherer(const Graph& graph, Fusion fusion) : graph_(graph), fusion_(fusion) {}

  Steps gather() && {
    steps_.maker.assign(graph_.buffers.size(), std::nullopt);
    steps_.begun.assign(graph_.buffers.size(), std::nullopt);
    for (TaskId i : graph_.tasks.ids()) place(i);
    find_reads_and_writes();
    for (StepId n : steps_.list.ids()) {
      Step& step = steps_.list[n];
      if (step.kind == Step::Kind::region) {
        step.space = space_of(graph_, step, 0);
        step.mergeable = mergeable_axes(graph_, steps_, n, step.outer());
        step.uses = uses_of(graph_, steps_, n);
      }
      if (step.kind == Step::Kind::copy) step.space = copy_space(step);
      if (step.kind == Step::Kind::columns) step.space = columns_space(step);
      if (step.kind == Step::Kind::opaque) step.space = opaque_space(step);
    }
    return std::move(steps_);
  }

 private:
  const Task& task(TaskId i) const { return graph_.tasks[i]; }
  std::optional<StepId> maker(BufferId buffer) const { return steps_.maker[buffer]; }

  void place(TaskId i) {
    const Task& a = task(i);
    std::optional<StepId> joined;
    if (is_fusable(a) && fusion_ == Fusion::on && !a.future) joined = region_for(a);
    if (!joined) joined = steps_.list.add(new_step(a));
    Step& step = steps_.list[*joined];
    step.tasks.push_back(i);
    step.axes |= a.axes;
    if (const FoldWork* fold = fold_of_inner(a)) {
      step.inner |= fold->axes;
      ++step.folds;
    }
    if (auto* rows = std::get_if<RowsWork>(&a.work)) {
      step.kept = rows->kept;
      step.row_shape = graph_.buffers[a.results[0]].type.shape();
    }
    if (auto* work = std::get_if<PiecesWork>(&a.work)) step.pieces = pieces_of(*work);
    for (BufferId buffer : a.results) {
      steps_.maker[buffer] = joined;
      if (!steps_.begun[buffer]) steps_.begun[buffer] = joined;
    }
  }

  /// The fold over the region's inner axes; null for every other task.
  static const FoldWork* fold_of_inner(const Task& a) {
    return fold_of_terms(a) ? nullptr : std::get_if<FoldWork>(&a.work);
  }

  static bool folds_rows(const Task& a) {
    return std::holds_alternative<RowsWork>(a.work) || std::holds_alternative<PiecesWork>(a.work);
  }

  static bool is_fusable(const Task& a) {
    return std::holds_alternative<PointwiseWork>(a.work) || std::holds_alternative<FoldWork>(a.work) ||
           assembles(a) || folds_rows(a);
  }

  static Step::Pieces pieces_of(const PiecesWork& work) { return {work.kept, work.columns}; }

  static Step new_step(const Task& a) {
    Step step{};
    step.kind = is_fusable(a)                                  ? Step::Kind::region
                : std::holds_alternative<ColumnsWork>(a.work)  ? Step::Kind::columns
                : std::holds_alternative<CopyWork>(a.work)     ? Step::Kind::copy
                : std::holds_alternative<SubWork>(a.work)      ? Step::Kind::control
                : std::holds_alternative<TransferWork>(a.work) ? Step::Kind::transfer
                : std::holds_alternative<AwaitWork>(a.work)    ? Step::Kind::await
                                                               : Step::Kind::opaque;
    step.shape = a.shape;
    return step;
  }

  std::optional<StepId> region_for(const Task& a) const {
    std::size_t first = 0, end = steps_.list.size();
    for (const Address& operand : a.operands)
      if (std::optional<StepId> made = maker(operand.buffer))
        first = std::max(first, static_cast<std::size_t>(*made));
    if (folds_rows(a)) {
      for (std::size_t i = first; i < end; ++i)
        if (fits(a, StepId(i))) return StepId(i);
    } else {
      for (std::size_t i = end; i-- > first;)
        if (fits(a, StepId(i))) return StepId(i);
    }
    return std::nullopt;
  }

  bool fits(const Task& a, StepId index) const {
    const Step& step = steps_.list[index];
    if (step.kind != Step::Kind::region || step.tasks.size() >= most_tasks_in_region) return false;
    if (future_of(graph_, step)) return false;
    const FoldWork* fold = fold_of_inner(a);
    AxisSet inner = step.inner | (fold ? fold->axes : 0);
    if (fold && step.folds > 0) return false;
    // Blocks lie in memory, and are put together for one device at a time.
    const bool has_blocks =
        assembles(a) || std::ranges::any_of(step.tasks, [&](TaskId i) { return assembles(task(i)); });
    if (has_blocks && inner != 0) return false;
    if ((a.axes | inner) != (step.axes | inner)) return false;
    if (const auto* pieces = std::get_if<PiecesWork>(&a.work)) {
      if (a.shape != step.shape || step.kept) return false;
      if (step.pieces && *step.pieces != pieces_of(*pieces)) return false;
    } else if (const auto* rows = std::get_if<RowsWork>(&a.work)) {
      if (step.pieces) return false;
      if (a.shape != step.shape || (step.kept && *step.kept != rows->kept)) return false;
      if (elements_from(a.shape, rows->kept) > longest_row_in_region) return false;
      const Shape& result = graph_.buffers[a.results[0]].type.shape();
      if (step.kept && result != step.row_shape) return false;
      if (is_like(result, step.shape)) return false;  // else the two shapes would look the same
    } else if (a.shape != step.shape &&
               !(step.kept && is_like(a.shape, step.row_shape) && reads_from(a, index))) {
      return false;
    }
    return std::ranges::all_of(a.operands, [&](const Address& operand) {
      return maker(operand.buffer) != index || (!assembles(a) && stays_in_place(a, operand, step, inner));
    });
  }

  /// True if the shapes are equal without their dims of size 1, which a reduction may leave.
  static bool is_like(const Shape& a, const Shape& b) {
    auto longer_dims = [](const Shape& shape) {
      std::vector<std::int64_t> sizes(shape.begin(), shape.end());
      std::erase(sizes, 1);
      return sizes;
    };
    return longer_dims(a) == longer_dims(b);
  }

  bool reads_from(const Task& a, StepId index) const {
    return std::ranges::any_of(a.operands,
                               [&](const Address& operand) { return maker(operand.buffer) == index; });
  }

  /// True if `a` reads a value of its region element by element or row by row.
  bool stays_in_place(const Task& a, const Address& operand, const Step& step, AxisSet inner) const {
    Address own = natural_address(graph_, operand.buffer);
    if (operand.offset != 0) return false;
    for (std::size_t i = 0; i < own.axes.size(); ++i)
      if (has(a.axes | step.axes | inner, i) && operand.axes[i] != own.axes[i]) return false;
    const Shape& made = graph_.buffers[operand.buffer].type.shape();
    bool is_row_value = step.kept && is_like(made, step.row_shape);
    if (is_row_value && is_like(a.shape, made))
      return is_dense(operand, a.shape, element_bytes(graph_, operand));
    if (a.shape == made) {
      for (int i = 0; i < made.rank(); ++i)
        if (made[i] != 1 && operand.along(Dim{i}) != own.along(Dim{i})) return false;
      return true;
    }
    if (!is_row_value || a.shape != step.shape) return false;
    // The operand must be dense over the kept dims and repeat over the others.
    std::int64_t stride = element_bytes(graph_, operand);
    for (int i = a.shape.rank(); i-- > 0;) {
      if (a.shape[i] == 1) continue;
      std::int64_t wanted = i >= *step.kept ? 0 : stride;
      if (operand.along(Dim{i}) != wanted) return false;
      if (i < *step.kept) stride *= a.shape[i];
    }
    return true;
  }

  /// The space of a copy; several tiles only if each shard of the result is one piece with one source.
  Space copy_space(const Step& step) const {
    const auto& work = std::get<CopyWork>(task(step.tasks[0]).work);
    auto units = static_cast<std::size_t>(positions(graph_.mesh, step.axes));
    auto has_one_source = [](const CopyWork::Job& job) { return job.from.size() == 1; };
    if (work.loops.empty() || work.jobs.size() != units || !std::ranges::all_of(work.jobs, has_one_source))
      return {};
    Space space{work.loops[0].size, 1, 1, 1};
    for (std::size_t i = 1; i < work.loops.size(); ++i) space.columns *= work.loops[i].size;
    space.tile_columns = space.columns;
    return space;
  }

  Space columns_space(const Step& step) const {
    constexpr std::int64_t tile_columns = 128;
    const auto& work = std::get<ColumnsWork>(task(step.tasks[0]).work);
    return {work.batch, work.columns, 1, std::min(work.columns, tile_columns)};
  }

  /// The lines of an opaque kernel x the elements that each one has of the first result.
  Space opaque_space(const Step& step) const {
    const kernel::Opaque::Shared& shared = std::get<OpaqueWork>(task(step.tasks[0]).work).opaque.shared;
    const std::int64_t columns = step.shape.elements() / std::max<std::int64_t>(1, shared.lines);
    return {shared.lines, columns, shared.block, columns};
  }

  void find_reads_and_writes() {
    steps_.in_memory.assign(graph_.buffers.size(), false);
    auto in_memory = [&](BufferId buffer) {
      return static_cast<std::vector<bool>::reference>(steps_.in_memory[buffer]);
    };
    for (BufferId buffer : graph_.outputs) in_memory(buffer) = true;
    for (BufferId buffer : graph_.replicas) in_memory(buffer) = true;
    for (StepId n : steps_.list.ids())
      for (TaskId i : steps_.list[n].tasks)
        for (const Address& operand : task(i).operands)
          if (maker(operand.buffer) != n) {
            in_memory(operand.buffer) = true;
            for (const Address& part : parts_read(task(i), operand)) add_read(steps_.list[n], part);
          }
    for (StepId n : steps_.list.ids())
      for (TaskId i : steps_.list[n].tasks)
        for (BufferId buffer : task(i).results)
          if (steps_.in_memory[buffer] || steps_.list[n].kind != Step::Kind::region) {
            in_memory(buffer) = true;
            steps_.list[n].writes.push_back(buffer);
          }
  }

  static std::vector<Address> parts_read(const Task& a, const Address& operand) {
    const FoldWork* fold = fold_of_terms(a);
    if (!fold) return {operand};
    std::vector<Address> parts(fold->terms.size(), operand);
    for (std::size_t t = 0; t < parts.size(); ++t) parts[t].offset += fold->terms[t];
    return parts;
  }

  static void add_read(Step& step, const Address& operand) {
    for (const Address& known : step.reads)
      if (known == operand) return;
    step.reads.push_back(operand);
  }

  const Graph& graph_;
  Fusion fusion_;
  Steps steps_;
};

}  // namespace

Steps make_steps(const Graph& graph, Fusion fusion) { return Gatherer(graph, fusion).gather(); }

std::optional<std::size_t> future_of(const Graph& graph, const Step& step) {
  return graph.tasks[step.tasks[0]].future;
}

const SubWork* sub_work(const Graph& graph, const Step& step) {
  return std::get_if<SubWork>(&graph.tasks[step.tasks[0]].work);
}

}  // namespace tutti
