// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/graph/merged_transfers.hpp"

#include <algorithm>
#include <utility>

#include "tutti/base/indexed.hpp"
#include "tutti/base/require.hpp"

namespace tutti {
namespace {

/// Results of transfers that wait take memory, and so do their operands.
constexpr std::int64_t most_bytes = 64 << 20;
constexpr std::int64_t most_small_bytes = 4 << 10;

bool is_transfer(const Task& task) { return std::holds_alternative<TransferWork>(task.work); }

class Merger {
 public:
  Merger(Graph& graph, const std::vector<Kernel>& kernels)
      : graph_(graph), kernels_(kernels), is_late_(graph.program.types.size()) {}

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
    flush();
    for (; next < graph_.tasks.size(); ++next) emit(next);
    graph_.tasks = std::move(merged_);
  }

 private:
  /// A transfer, and the tasks of its equation behind it, until the next one.
  struct Stage {
    std::size_t transfer;
    std::vector<std::size_t> then;
  };

  Task& task(std::size_t i) { return graph_.tasks[TaskId(i)]; }
  void emit(std::size_t i) { merged_.add(std::move(task(i))); }

  void add(std::size_t e, const std::vector<std::size_t>& own) {
    const Equation& equation = graph_.program.equations[e];
    const bool transfers = std::ranges::any_of(own, [&](std::size_t i) { return is_transfer(task(i)); });
    if (std::ranges::any_of(equation.operands, [&](Var var) { return is_late_[var]; })) {
      if (!transfers && can_wait(e)) return wait(equation, own);
      flush();
    }
    std::vector<Stage> stages;
    for (std::size_t i : own)
      if (is_transfer(task(i))) stages.push_back({i, {}});
      else if (stages.empty()) emit(i);
      else stages.back().then.push_back(i);
    if (!transfers) return;
    waiting_.push_back(std::move(stages));
    mark_late(equation);
    for (Var var : equation.results) bytes_ += static_cast<std::int64_t>(graph_.program.type(var).bytes());
    if (bytes_ > most_bytes) flush();
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

  /// Tasks that need the result of a waiting transfer wait, too.
  void wait(const Equation& equation, const std::vector<std::size_t>& own) {
    readers_.insert(readers_.end(), own.begin(), own.end());
    mark_late(equation);
  }

  void mark_late(const Equation& equation) {
    for (Var var : equation.results) {
      is_late_[var] = true;
      late_.push_back(var);
    }
  }

  void flush() {
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
    for (std::size_t i : readers_) emit(i);
    for (Var var : late_) is_late_[var] = false;
    waiting_.clear();
    readers_.clear();
    late_.clear();
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
  Indexed<Var, bool> is_late_;               // per variable: it needs a transfer that waits
  std::vector<Var> late_;                    // the same variables
  std::vector<std::vector<Stage>> waiting_;  // per equation
  std::vector<std::size_t> readers_;         // tasks that need them, and wait, too
  std::int64_t bytes_ = 0;                   // of the results of waiting transfers
  Indexed<TaskId, Task> merged_;
};

}  // namespace

void merge_transfers(Graph& graph, const std::vector<Kernel>& kernels) {
  if (std::ranges::count_if(graph.tasks, is_transfer) < 2) return;
  Merger(graph, kernels).run();
}

}  // namespace tutti
