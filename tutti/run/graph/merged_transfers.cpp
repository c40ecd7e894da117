// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/graph/merged_transfers.hpp"

#include <algorithm>
#include <utility>

#include "tutti/base/indexed.hpp"
#include "tutti/base/require.hpp"
#include "tutti/control/wrapped/start.hpp"

namespace tutti {
namespace {

/// Results of transfers that wait take memory, and so do their operands.
constexpr std::int64_t most_bytes = 64 << 20;
constexpr std::int64_t most_small_bytes = 4 << 10;

bool is_transfer(const Task& task) { return std::holds_alternative<TransferWork>(task.work); }

class Merger {
 public:
  Merger(Graph& graph, const std::vector<Kernel>& kernels)
      : graph_(graph), kernels_(kernels), waits_for_(graph.program.types.size()) {}

  void run() {
    std::size_t next = 0;
    const std::size_t equations = graph_.program.equations.size();
    // Copies of inputs stand before the first equation, copies to outputs behind the last one.
    for (; next < graph_.tasks.size() && !task(next).equation; ++next) emit(next);
    for (std::size_t e = 0; e < equations; ++e) {
      std::vector<std::size_t> own;
      for (; next < graph_.tasks.size() && task(next).equation == e; ++next) own.push_back(next);
      add(e, own);
    }
    for (std::size_t late = 0; late < late_.size(); ++late) settle(late);
    for (; next < graph_.tasks.size(); ++next) emit(next);
    graph_.tasks = std::move(merged_);
  }

 private:
  /// A transfer, and the tasks of its equation behind it, until the next one.
  struct Stage {
    std::size_t transfer;
    std::vector<std::size_t> then;
  };
  struct Future {
    Task await;
    std::vector<std::size_t> then;  // the tasks of its equation behind the last transfer
  };
  /// Holds variables that no task has made yet.
  struct Late {
    std::vector<Var> vars;
    std::vector<std::size_t> readers;  // tasks that need them, and wait, too
    std::optional<Future> future;      // makes them; none: transfers that wait to be merged do
  };
  static constexpr std::size_t merged = 0;

  Task& task(std::size_t i) { return graph_.tasks[TaskId(i)]; }
  void emit(std::size_t i) { merged_.add(std::move(task(i))); }

  void add(std::size_t e, const std::vector<std::size_t>& own) {
    const Equation& equation = graph_.program.equations[e];
    const bool transfers = std::ranges::any_of(own, [&](std::size_t i) { return is_transfer(task(i)); });
    std::vector<std::size_t> awaited;
    for (Var var : equation.operands)
      if (const std::optional<std::size_t> late = waits_for_[var];
          late && std::ranges::find(awaited, *late) == awaited.end())
        awaited.push_back(*late);
    if (awaited.size() == 1 && !transfers && can_wait(e)) {
      std::vector<std::size_t>& readers = late_[awaited[0]].readers;
      readers.insert(readers.end(), own.begin(), own.end());
      return mark(equation, awaited[0]);
    }
    for (std::size_t late : awaited) settle(late);
    if (transfers && equation.op.as<Start>()) return begin_future(equation, own);
    std::vector<Stage> stages;
    for (std::size_t i : own)
      if (is_transfer(task(i))) stages.push_back({i, {}});
      else if (stages.empty()) emit(i);
      else stages.back().then.push_back(i);
    if (!transfers) return;
    waiting_.push_back(std::move(stages));
    mark(equation, merged);
    for (Var var : equation.results) bytes_ += static_cast<std::int64_t>(graph_.program.type(var).bytes());
    if (bytes_ > most_bytes) settle(merged);
  }

  /// True for views, and for small values such as the mean of a loss.
  bool can_wait(std::size_t e) const {
    const Kernel& kernel = kernels_[e];
    if (std::holds_alternative<kernel::View>(kernel)) return true;
    if (!std::holds_alternative<kernel::Pointwise>(kernel) &&
        !std::holds_alternative<kernel::ReduceDims>(kernel))
      return false;
    return std::ranges::all_of(graph_.program.equations[e].results, [&](Var var) {
      return static_cast<std::int64_t>(graph_.program.type(var).bytes()) <= most_small_bytes;
    });
  }

  void mark(const Equation& equation, std::size_t late) {
    for (Var var : equation.results) {
      waits_for_[var] = late;
      late_[late].vars.push_back(var);
    }
  }

  /// Gives all tasks from the first transfer to the last one to the carrier.
  void begin_future(const Equation& equation, const std::vector<std::size_t>& own) {
    const auto transfers = [&](std::size_t i) { return is_transfer(task(i)); };
    const auto first = std::ranges::find_if(own, transfers);
    const auto end = std::ranges::find_if(own.rbegin(), own.rend(), transfers).base();
    const std::size_t number = late_.size();
    const Task& last = task(*(end - 1));
    Task await{last.equation, AwaitWork{number}, {}, last.results, last.shape, last.axes};
    for (auto i = own.begin(); i != first; ++i) emit(*i);
    for (auto i = first; i != end; ++i) {
      task(*i).future = number;
      await.operands.insert(await.operands.end(), task(*i).operands.begin(), task(*i).operands.end());
      if (i + 1 != end)
        for (BufferId made : task(*i).results) await.operands.push_back(natural_address(graph_, made));
      emit(*i);
    }
    late_.push_back({{}, {}, Future{std::move(await), {end, own.end()}}});
    mark(equation, number);
  }

  /// From here on the values are there.
  void settle(std::size_t number) {
    if (number == merged) make_waiting_transfers();
    Late late = std::exchange(late_[number], {});
    if (late.future) {
      merged_.add(std::move(late.future->await));
      for (std::size_t i : late.future->then) emit(i);
    }
    for (std::size_t i : late.readers) emit(i);
    for (Var var : late.vars) waits_for_[var].reset();
  }

  void make_waiting_transfers() {
    for (std::size_t k = 0;; ++k) {
      std::vector<std::size_t> transfers;
      for (const std::vector<Stage>& stages : waiting_)
        if (k < stages.size()) transfers.push_back(stages[k].transfer);
      if (transfers.empty()) break;
      merge(transfers);
      for (const std::vector<Stage>& stages : waiting_)
        if (k < stages.size())
          for (std::size_t i : stages[k].then) emit(i);
    }
    waiting_.clear();
    bytes_ = 0;
  }

  void merge(const std::vector<std::size_t>& transfers) {
    Task all = std::move(task(transfers[0]));
    auto& work = std::get<TransferWork>(all.work);
    for (std::size_t i = 1; i < transfers.size(); ++i) {
      Task& one = task(transfers[i]);
      auto& parts = std::get<TransferWork>(one.work);
      for (auto& [list, more] :
           {std::pair(&work.sends, &parts.sends), std::pair(&work.receives, &parts.receives)})
        for (TransferWork::Part& part : *more) {
          part.value = i;
          list->push_back(part);
        }
      for (TransferWork::Own& part : parts.own) {
        part.value = i;
        work.own.push_back(part);
      }
      all.operands.push_back(std::move(one.operands[0]));
      all.results.push_back(one.results[0]);
    }
    merged_.add(std::move(all));
  }

  Graph& graph_;
  const std::vector<Kernel>& kernels_;
  Indexed<Var, std::optional<std::size_t>> waits_for_;  // per variable: what must come before it is there
  std::vector<Late> late_{1};                           // the first one is `merged`
  std::vector<std::vector<Stage>> waiting_;             // per equation: transfers to merge
  std::int64_t bytes_ = 0;                              // of their results
  Indexed<TaskId, Task> merged_;
};

}  // namespace

void merge_transfers(Graph& graph, const std::vector<Kernel>& kernels) {
  if (std::ranges::none_of(graph.tasks, is_transfer)) return;
  Merger(graph, kernels).run();
}

}  // namespace tutti
