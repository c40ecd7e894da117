// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/plan/schedule.hpp"

#include <algorithm>

#include "tutti/base/overloaded.hpp"
#include "tutti/base/require.hpp"
#include "tutti/control/wrapped/start.hpp"
#include "tutti/devices/block.hpp"
#include "tutti/run/code/future.hpp"
#include "tutti/run/code/other_steps.hpp"
#include "tutti/run/code/region_code.hpp"
#include "tutti/run/code/transfer.hpp"
#include "tutti/run/plan/control_steps.hpp"
#include "tutti/run/plan/positions_in_whole.hpp"
#include "tutti/run/plan/schedule_memory.hpp"

namespace tutti {
namespace {

class Scheduler {
 public:
  Scheduler(const Graph& graph, const Steps& steps, const StepCosts& costs, const Placement& placement,
            const ArenaPlan& arena)
      : graph_(graph), steps_(steps), costs_(costs), placement_(placement), arena_(arena) {}

  Schedule make() && {
    made_.lists.assign(placement_.phases, std::vector<std::vector<WorkerStep>>(workers()));
    for (StepId n : steps_.list.ids()) add(n);
    for (std::size_t w = 0; w < workers(); ++w) made_.scratch.push_back(memory_.new_scratch());
    if (!launches_.empty()) {
      const std::shared_ptr<std::byte> of_carrier = memory_.new_scratch();
      for (CodeOf<Launch>* launch : launches_)
        if (launch) launch->data.scratch = of_carrier;
    }
    for (auto& phase : made_.lists)
      for (std::size_t w = 0; w < phase.size(); ++w)
        for (WorkerStep& step : phase[w]) make_direct_if_few(step, made_.scratch[w].get());
    return std::move(made_);
  }

 private:
  const Buffer& buffer(BufferId b) const { return graph_.buffers[b]; }
  const Step& step(StepId n) const { return steps_.list[n]; }
  const Split& split(StepId n) const { return placement_.of[n].split; }
  std::size_t workers() const { return static_cast<std::size_t>(placement_.workers); }
  bool is_large(StepId n) const { return costs_[n].is_large; }

  template <class Data>
  CodeOf<Data>& keep(Data data) {
    auto code = std::make_unique<CodeOf<Data>>(std::move(data));
    CodeOf<Data>& kept = *code;
    made_.code.push_back(std::move(code));
    return kept;
  }

  void need_scratch(StepId n, std::size_t bytes) { memory_.need_scratch(bytes, step(n).tasks[0]); }
  void put_address(std::byte** at, BufferId b, std::int64_t offset) { memory_.put_address(at, b, offset); }

  void add(StepId n) {
    switch (step(n).kind) {
      case Step::Kind::region: return add_region(n);
      case Step::Kind::columns: return add_jobs(n, columns(n));
      case Step::Kind::copy: return add_jobs(n, copy(n));
      case Step::Kind::opaque: return add_jobs(n, opaque(n));
      case Step::Kind::transfer: return put(n, 0, transfer(n), {0, 1}, {0, 1});
      case Step::Kind::await: return put(n, 0, await(n), {0, 1}, {0, 1});
      case Step::Kind::control: return add_control(n);
    }
  }

  void put(StepId n, std::size_t worker, const StepCode& code, WorkRange units, WorkRange tiles) {
    if (units.begin == units.end || tiles.begin == tiles.end) return;
    list_of(n, worker).push_back({&code, units.begin, units.end, tiles.begin, tiles.end, n});
  }

  /// The list of the worker; of a future's step, that of its launch. The first one puts the launch in place.
  std::vector<WorkerStep>& list_of(StepId n, std::size_t worker) {
    std::vector<WorkerStep>& list = made_.lists[placement_.of[n].phase][worker];
    const std::optional<std::size_t> future = future_of(graph_, step(n));
    if (!future) return list;
    if (launches_.size() <= *future) launches_.resize(*future + 1);
    CodeOf<Launch>*& launch = launches_[*future];
    if (!launch) {
      launch = &keep(Launch{});
      list.push_back({launch, 0, 1, 0, 1, n});
    }
    return launch->data.steps;
  }

  const StepCode& await(StepId n) {
    const auto& work = std::get<AwaitWork>(graph_.tasks[step(n).tasks[0]].work);
    return keep(Await{launches_.at(work.future)});
  }

  /// True if a result of the step reuses the memory of an operand.
  bool is_over_operand(const Step& step) const {
    auto place = [&](BufferId buffer) { return arena_.offset[buffer]; };
    return std::ranges::any_of(step.writes, [&](BufferId result) {
      return place(result) && std::ranges::any_of(step.reads, [&](const Address& read) {
               return place(read.buffer) == place(result);
             });
    });
  }

  void add_region(StepId n) {
    const Step& step = this->step(n);
    const Split& split = this->split(n);
    AxisSet left = step.outer();
    std::vector<std::size_t> unit_axes;
    const auto* by_axis = std::get_if<ByAxis>(&split);
    if (by_axis) unit_axes.push_back(by_axis->axis);
    for (std::size_t axis : unit_axes) left &= ~(AxisSet{1} << axis);
    if (std::holds_alternative<OnWorker>(split)) left &= ~step.mergeable;
    if (by_axis) left &= ~mergeable_axes(graph_, steps_, n, left);
    for (std::size_t axis = 0; axis < graph_.mesh.axes().size(); ++axis)
      if (has(left, axis)) unit_axes.push_back(axis);
    const RegionMemory memory{is_large(n), is_over_operand(step)};
    CodeOf<RegionCode>& kept = keep(make_region_code(graph_, steps_, n, unit_axes, memory));
    RegionCode& code = kept.data;
    for (BaseId b : code.bases.ids())
      if (std::optional<BufferId> of = code.base_buffers[b]) put_address(&code.bases[b], *of, 0);
    need_scratch(n, code.scratch_bytes);
    if (code.space.rows == 0 || (code.space.columns == 0 && !step.kept)) return;
    put_parts(n, kept, code.units(), code.space.tiles());
  }

  /// Gives each worker its part of `units` and `tiles`. Units count along the axis of the split first.
  void put_parts(StepId n, const StepCode& code, std::int64_t units, std::int64_t tiles) {
    const WorkRange all_units{0, units}, all_tiles{0, tiles};
    for (std::size_t w = 0; w < workers(); ++w)
      std::visit(Overloaded{[&](OnWorker on) {
                              if (on.worker == w) put(n, w, code, all_units, all_tiles);
                            },
                            [&](ByAxis by) {
                              const std::int64_t size = graph_.mesh.axes()[by.axis].size;
                              const WorkRange along = part_of(size, w, workers());
                              put(n, w, code, {along.begin * (units / size), along.end * (units / size)},
                                  all_tiles);
                            },
                            [&](ByTiles) { put(n, w, code, all_units, part_of(tiles, w, workers())); },
                            [&](Together) { ensure(false, "only sub-programs run together"); }},
                 split(n));
  }

  /// The order of a step's units as jobs, in which the units of each worker are contiguous.
  std::vector<std::int64_t> job_order(StepId n) const {
    std::vector<std::int64_t> order(static_cast<std::size_t>(positions(graph_.mesh, step(n).axes)));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
    const auto* by = std::get_if<ByAxis>(&split(n));
    if (!by) return order;
    std::vector<std::int64_t> coordinate;  // per unit, along the axis that is split
    for (std::int64_t unit : order)
      coordinate.push_back(coordinates(graph_.mesh, step(n).axes, unit)[by->axis]);
    std::ranges::stable_sort(order, {},
                             [&](std::int64_t unit) { return coordinate[static_cast<std::size_t>(unit)]; });
    return order;
  }

  void add_jobs(StepId n, const StepCode& code) {
    put_parts(n, code, positions(graph_.mesh, step(n).axes), step(n).space.tiles());
  }

  /// Gives the step's single unit to one worker; or, if all workers run the sub-programs together, tile w to
  /// each worker w.
  void add_control(StepId n) {
    const CodeOf<Control>& code = control(n);
    if (const auto* on = std::get_if<OnWorker>(&split(n))) return put(n, on->worker, code, {0, 1}, {0, 1});
    for (std::int64_t w = 0; w < placement_.workers; ++w)
      put(n, static_cast<std::size_t>(w), code, {0, 1}, {w, w + 1});
  }

  const StepCode& copy(StepId n) {
    const Step& step = this->step(n);
    const Task& task = graph_.tasks[step.tasks[0]];
    const auto& work = std::get<CopyWork>(task.work);
    Type type = buffer(task.results[0]).type;
    std::vector<std::int64_t> order = job_order(n);
    std::size_t pieces = work.jobs.size() / order.size(), most = 0;
    for (const CopyWork::Job& job : work.jobs) most = std::max(most, job.from.size());
    bool folds = most > 1 && !work.must_agree;
    std::size_t scratch = folds ? most * sizeof(std::byte*) : 0;
    need_scratch(n, scratch);
    CodeOf<Copy>& code = keep(
        Copy{std::vector<Copy::Job>(work.jobs.size()), pieces, work.loops, bytes_per_element(type.dtype()),
             type.bytes(), folds ? fold_kernel(work.kind, type.dtype()) : nullptr, work.must_agree,
             work.must_agree ? failing(task) : std::nullopt, scratch, step.space.tiles(), is_large(n)});
    Copy& args = code.data;
    if (work.must_agree)
      for (std::int64_t unit : order) args.numbers.push_back(number_in_whole(graph_, step.axes, unit));
    for (std::size_t i = 0; i < args.jobs.size(); ++i) {
      const CopyWork::Job& job = work.jobs[static_cast<std::size_t>(order[i / pieces]) * pieces + i % pieces];
      args.jobs[i].from.resize(job.from.size());
      put_address(&args.jobs[i].to, task.results[0], job.to);
      for (std::size_t k = 0; k < job.from.size(); ++k)
        put_address(&args.jobs[i].from[k], task.operands[0].buffer, job.from[k]);
    }
    return code;
  }

  const StepCode& columns(StepId n) {
    const Step& step = this->step(n);
    const Task& task = graph_.tasks[step.tasks[0]];
    const auto& work = std::get<ColumnsWork>(task.work);
    DType dtype = buffer(task.results[0]).type.dtype();
    std::size_t scratch = reduce_columns_scratch_bytes(work.rows, work.columns, dtype);
    need_scratch(n, scratch);
    CodeOf<Columns>& code = keep(Columns{{},
                                         reduce_columns_kernel(work.kind, dtype),
                                         work.rows,
                                         static_cast<std::int64_t>(bytes_per_element(dtype)),
                                         step.space,
                                         scratch});
    Columns& args = code.data;
    std::vector<std::int64_t> order = job_order(n);
    args.jobs.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::vector<std::int64_t> at = coordinates(graph_.mesh, step.axes, order[i]);
      put_address(&args.jobs[i].to, task.results[0], offset_at(natural_address(graph_, task.results[0]), at));
      put_address(&args.jobs[i].from, task.operands[0].buffer, offset_at(task.operands[0], at));
    }
    return code;
  }

  std::optional<Failing> failing(const Task& task) const {
    if (!task.equation) return std::nullopt;
    const Equation& equation = graph_.program.equations[*task.equation];
    return Failing{*task.equation, equation.where, std::string(equation.op->name())};
  }

  const StepCode& opaque(StepId n) {
    const Step& step = this->step(n);
    const Task& task = graph_.tasks[step.tasks[0]];
    const kernel::Opaque& work = std::get<OpaqueWork>(task.work).opaque;
    need_scratch(n, work.scratch_bytes);
    const Equation& equation = graph_.program.equations[*task.equation];
    CodeOf<OpaqueCode>& code = keep(OpaqueCode{work.run,
                                               {},
                                               *task.equation,
                                               {},
                                               {},
                                               task.operands.size(),
                                               task.results.size(),
                                               work.scratch_bytes,
                                               work.may_throw ? failing(task) : std::nullopt,
                                               work.shared});
    OpaqueCode& args = code.data;
    std::vector<Address> all = task.operands;
    for (BufferId b : task.results) all.push_back(natural_address(graph_, b));
    for (Var var : equation.operands)
      args.bytes.push_back(static_cast<std::int64_t>(graph_.program.type(var).bytes()));
    for (Var var : equation.results)
      args.bytes.push_back(static_cast<std::int64_t>(graph_.program.type(var).bytes()));
    const std::vector<std::int64_t> order = job_order(n);
    for (std::int64_t unit : order) args.numbers.push_back(number_in_whole(graph_, step.axes, unit));
    args.addresses.resize(order.size() * all.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::vector<std::int64_t> at = coordinates(graph_.mesh, step.axes, order[i]);
      for (std::size_t j = 0; j < all.size(); ++j)
        put_address(&args.addresses[i * all.size() + j], all[j].buffer, offset_at(all[j], at));
    }
    return code;
  }

  /// "all_reduce, train.cpp:29", of a Start, too.
  static std::string place_of(const Equation& equation) {
    const Start* start = equation.op.as<Start>();
    std::string place((start ? start->op : equation.op)->name());
    if (equation.where.known()) place += ", " + to_string(equation.where);
    return place;
  }

  const StepCode& transfer(StepId n) {
    const Task& task = graph_.tasks[step(n).tasks[0]];
    const auto& work = std::get<TransferWork>(task.work);
    CodeOf<Transfer>& code = keep(Transfer{});
    Transfer& args = code.data;
    for (const TransferWork::Part& part : work.sends)
      args.sends.push_back({part.process, nullptr, static_cast<std::size_t>(part.bytes)});
    for (const TransferWork::Part& part : work.receives)
      args.receives.push_back({part.process, nullptr, static_cast<std::size_t>(part.bytes)});
    for (const TransferWork::Own& part : work.own)
      args.own.push_back({nullptr, nullptr, static_cast<std::size_t>(part.bytes)});
    if (task.equation) {
      const Equation& equation = graph_.program.equations[*task.equation];
      args.place = place_of(equation);
    }
    const auto from = [&](const auto& part) { return task.operands[part.value].buffer; };
    const auto to = [&](const auto& part) { return task.results[part.value]; };
    for (std::size_t i = 0; i < work.sends.size(); ++i)
      put_address(&args.sends[i].at, from(work.sends[i]), work.sends[i].offset);
    for (std::size_t i = 0; i < work.receives.size(); ++i)
      put_address(&args.receives[i].at, to(work.receives[i]), work.receives[i].offset);
    for (std::size_t i = 0; i < work.own.size(); ++i) {
      put_address(&args.own[i].from, from(work.own[i]), work.own[i].from);
      put_address(&args.own[i].to, to(work.own[i]), work.own[i].to);
    }
    return code;
  }

  const CodeOf<Control>& control(StepId n) {
    const Task& task = graph_.tasks[step(n).tasks[0]];
    const auto& work = std::get<SubWork>(task.work);
    CodeOf<Control>& code = keep(Control{work.sub,
                                         work.plans,
                                         {},
                                         {},
                                         static_cast<std::size_t>(positions(graph_.mesh, work.divergent)),
                                         {},
                                         0,
                                         nullptr,
                                         std::holds_alternative<Together>(split(n))});
    Control& args = code.data;
    for (std::int64_t p = 0; p < positions(graph_.mesh, work.divergent); ++p) {
      args.numbers.push_back(number_in_whole(graph_, work.divergent, p));
      std::vector<std::int64_t> at = coordinates(graph_.mesh, work.divergent, p);
      for (std::size_t axis = 0; axis < at.size(); ++axis)
        if (has(work.divergent, axis))
          args.coordinates.push_back(static_cast<std::int32_t>(graph_.first[axis] + at[axis]));
    }
    args.coordinates_each = args.coordinates.size() / args.positions;
    args.equation = *task.equation;
    args.places = names_in_whole(graph_, work.divergent);
    if (work.sub.how == SubPrograms::Control::loop)
      args.test_result = allocate_block(test_result_bytes(work.plans[0]->graph().mesh));
    const Equation& equation = graph_.program.equations[*task.equation];
    if (work.sub.how == SubPrograms::Control::loop &&
        std::ranges::any_of(work.plans, [](const auto& plan) { return may_throw(*plan); }))
      args.stops_early = {std::make_shared<std::atomic<bool>>(false), work.others, place_of(equation)};
    for (std::size_t c = 0; c < work.sub.carries; ++c) args.in_place.push_back(work.over[c].has_value());
    for (std::size_t i = 0; i < task.operands.size(); ++i)
      args.operands.push_back(
          control_value(task.operands[i], graph_.program.type(equation.operands[i]), work));
    for (BufferId b : task.results)
      args.results.push_back(control_value(natural_address(graph_, b), buffer(b).type, work));
    for (std::size_t i = 0; i < args.operands.size(); ++i)
      put_address(&args.operands[i].base, task.operands[i].buffer, task.operands[i].offset);
    for (std::size_t i = 0; i < args.results.size(); ++i)
      put_address(&args.results[i].base, task.results[i], 0);
    return code;
  }

  ControlValue control_value(const Address& address, Type type, const SubWork& work) const {
    ControlValue value;
    AxisSet steps = 0;
    for (std::size_t axis = 0; axis < address.axes.size(); ++axis)
      if (address.axes[axis] != 0 && !has(work.divergent, axis)) steps |= AxisSet{1} << axis;
    Address from_base = address;
    from_base.offset = 0;
    for (std::int64_t p = 0; p < positions(graph_.mesh, work.divergent); ++p)
      value.at_position.push_back(offset_at(from_base, coordinates(graph_.mesh, work.divergent, p)));
    for (std::int64_t p = 0; p < positions(graph_.mesh, steps); ++p)
      value.shards.push_back(offset_at(from_base, coordinates(graph_.mesh, steps, p)));
    value.shard_bytes = static_cast<std::int64_t>(type.bytes());
    bool is_stacked = work.sub.how == SubPrograms::Control::repeat && work.sub.length > 0;
    if (is_stacked) value.slice_bytes = value.shard_bytes / work.sub.length;
    return value;
  }

  /// Replaces a worker's part of a region by direct calls, if there are few.
  void make_direct_if_few(WorkerStep& step, std::byte* scratch) {
    const auto* region = dynamic_cast<const CodeOf<RegionCode>*>(step.code);
    if (!region) return;
    // Allocated before it is filled, because relocations point into it.
    auto direct = std::make_unique<CodeOf<DirectRegion>>(DirectRegion{});
    if (!make_direct(region->data, step, scratch, direct->data,
                     [&](std::byte** at, BufferId b, std::int64_t offset) { put_address(at, b, offset); }))
      return;
    step = {direct.get(), 0, 1, 0, 1, step.of};
    made_.code.push_back(std::move(direct));
  }

  const Graph& graph_;
  const Steps& steps_;
  const StepCosts& costs_;
  const Placement& placement_;
  const ArenaPlan& arena_;
  Schedule made_;
  ScheduleMemory memory_{graph_, arena_, made_};
  std::vector<CodeOf<Launch>*> launches_;  // per future
};

}  // namespace

Schedule make_schedule(const Graph& graph, const Steps& steps, const StepCosts& costs,
                       const Placement& placement, const ArenaPlan& arena) {
  return Scheduler(graph, steps, costs, placement, arena).make();
}

void relocate(Schedule& schedule, Slot slot, std::byte* base) {
  for (const Relocation& relocation : schedule.relocations[slot]) *relocation.at = base + relocation.offset;
}

}  // namespace tutti
