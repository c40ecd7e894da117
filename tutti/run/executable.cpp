// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/executable.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/control/boundary.hpp"
#include "tutti/control/number_checks.hpp"
#include "tutti/devices/agreement.hpp"
#include "tutti/devices/carrier.hpp"
#include "tutti/run/donation.hpp"
#include "tutti/run/inside_call.hpp"
#include "tutti/run/place/cost.hpp"
#include "tutti/run/plan/plan.hpp"
#include "tutti/run/results.hpp"
#include "tutti/run/staging.hpp"
#include "tutti/run/together.hpp"
#include "tutti/run/watch/check_races.hpp"
#include "tutti/run/watch/describe.hpp"
#include "tutti/run/watch/memory.hpp"
#include "tutti/run/watch/plan_report.hpp"
#include "tutti/run/watch/program_report.hpp"
#include "tutti/run/watch/recording.hpp"
#include "tutti/tensor/tensor_hash.hpp"

namespace tutti {

struct Executable::State {
  LocalProgram local;
  Mesh whole;
  std::shared_ptr<const Drivers> drivers;
  Plan plan;
  Team& team;
  Transport* transport;
  std::stop_token stop;
  Turn* turn_of_processes;
  std::optional<Recording> recording;
  std::vector<BufferId> input_buffers;                  // per input
  std::vector<Staging> staging;                         // per input
  std::vector<ResultRing> rings;                        // per output
  std::vector<std::optional<std::size_t>> overwritten;  // per output: the input whose memory it may reuse
  std::vector<std::string> input_names;                 // per input
  CallLog log;
  std::function<void(std::string_view)> print;
  std::int64_t calls = 0, crowded_calls = 0, copied_bytes = 0;
  struct CopiedInput {
    std::size_t input;
    const char* from;  // see Report::Copied
  };
  std::vector<CopiedInput> copied_by_last_call;
  bool has_lines, checks_assumptions;
  std::mutex lines_turn;  // from the start of a call until its lines are handed out; not held by nested calls
  std::mutex turn;        // while a call runs; taken after lines_turn

  State(const Program& program, const Processes& processes, Team& of_workers, const CompileOptions& options)
      : local(local_program(program, processes.whole(), options)),
        whole(processes.whole()),
        drivers(processes.drivers()),
        plan(local.program, processes, plan_options(options, of_workers)),
        team(of_workers),
        transport(options.transport),
        stop(options.stop),
        turn_of_processes(options.turn),
        print(options.print),
        has_lines(print && has_effects(local.program)),
        checks_assumptions(options.plan.check_assumptions) {
    if (options.plan.most_bytes) require_memory(plan, *options.plan.most_bytes);
    const Graph& graph = plan.graph();
    log.keeps_failures = transport != nullptr && (has_effects(local.program) || may_throw(plan));
    overwritten = inputs_to_overwrite(local, plan);
    if (options.check_races) check_races(plan, overwritten);
    if (options.timeline) recording.emplace(plan, *options.timeline, options.request.where);
    input_buffers = tutti::input_buffers(graph);
    staging.resize(local.program.inputs.size());
    input_names = options.request.input_names;
    for (std::size_t i = input_names.size(); i < staging.size(); ++i)
      input_names.push_back(fmt::format("argument {}", i));
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      const Buffer& buffer = graph.buffers[graph.outputs[i]];
      rings.emplace_back(local.output_types[i], local.output_shardings[i],
                         static_cast<std::size_t>(buffer.bytes),
                         static_cast<std::size_t>(buffer.shard_stride), drivers);
    }
  }

  static LocalProgram local_program(const Program& program, const Mesh& mesh, const CompileOptions& options) {
    // The carrier makes collectives in two halves. In one process there is nothing to wait for.
    const bool has_futures = options.transport != nullptr && !options.check_nans;
    LocalProgram local =
        localised(program, mesh, options.request.input_shardings, {.own_futures = has_futures});
    if (options.check_nans) local.program = with_number_checks(local.program);
    return local;
  }

  static PlanOptions plan_options(const CompileOptions& options, const Team& team) {
    PlanOptions plan = options.plan;
    plan.workers = team.workers();
    return plan;
  }

  static void check_races(Plan& plan, const std::vector<std::optional<std::size_t>>& overwritten) {
    const Graph& graph = plan.graph();
    Indexed<StepId, std::string> names;
    for (const Step& step : plan.steps().list) names.add(describe(graph, step));
    std::optional<std::string> race = find_race(plan.schedule(), names, overwritten);
    ensure(!race, "the plan has a race: {}", race.value_or(""));
    for (const Step& step : plan.steps().list)
      if (const SubWork* work = sub_work(graph, step))
        for (std::size_t p = 0; p < work->plans.size(); ++p)
          check_races(*work->plans[p], inputs_written_over(*work, p));
  }

  // ---- inputs and outputs

  const Buffer& input_buffer(std::size_t i) const { return plan.graph().buffers[input_buffers[i]]; }

  bool lies_as_wanted(std::size_t i, const GlobalArray& array) const {
    if (array.remote()) return false;
    const Buffer& buffer = input_buffer(i);
    bool one_shard = positions(whole, buffer.stored) == 1;
    if (one_shard && !array.sharding()) return true;
    return array.sharding() == local.input_shardings[i] && same_drivers(array.drivers(), drivers) &&
           (one_shard || static_cast<std::int64_t>(array.buffer().shard_stride) == buffer.shard_stride);
  }

  /// Steps write to the memory of an input only if an output reuses it.
  static std::byte* memory_of(const GlobalArray& array) {
    return const_cast<std::byte*>(array.buffer().base.get());
  }

  /// Input i in the program's layout. Drops an array with another layout and returns its copy.
  std::byte* in_place(std::size_t i, std::shared_ptr<const GlobalArray>& array) try {
    if (lies_as_wanted(i, *array)) {
      staging[i].drop();
      return memory_of(*array);
    }
    const bool is_spread = array->drivers() && same_drivers(array->drivers(), drivers);
    if (is_spread || !staging[i].is_of(array)) {
      const Buffer& buffer = input_buffer(i);
      const Staging::Target target{local.input_shardings[i], static_cast<std::size_t>(buffer.bytes),
                                   static_cast<std::size_t>(buffer.shard_stride), drivers};
      if (is_spread) staging[i].move(array, target, *transport);
      else staging[i].copy(array, target);
      copied_bytes += buffer.bytes;
      copied_by_last_call.push_back({i, is_spread         ? " from other processes, in every call"
                                        : array->remote() ? " from another machine"
                                                          : ""});
    }
    array.reset();
    return staging[i].memory();
  } catch (const Error& error) {
    throw error.at({}, fmt::format("argument {}", i));
  }

  /// Throws R007 unless all processes pass the same arrays on the host.
  void compare_arguments(const GlobalArrays& inputs) const {
    std::string said;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i]->sharding()) continue;
      said += fmt::format("{} with the hash {:x}\n", input_names[i], hash_of(inputs[i]->whole()));
    }
    require_agreement(*transport, said, "passes another argument than");
  }

  /// True if only the caller owns the array, apart from the ring that handed it out. False for arrays on the
  /// host, which may share their elements with tensors.
  bool is_given_away(std::size_t output, const std::shared_ptr<const GlobalArray>& array) const {
    if (!array || !array->sharding()) return false;
    auto has = [&](const ResultRing& ring) { return ring.has(array); };
    return is_owned_by(1, array) ||
           (is_owned_by(2, array) && (has(rings[output]) || std::ranges::any_of(rings, has)));
  }

  std::shared_ptr<const GlobalArray> room_for(std::size_t output, GlobalArrays& inputs) try {
    std::optional<std::size_t> input = overwritten[output];
    bool in_place = input && is_given_away(output, inputs[*input]);
    std::shared_ptr<const GlobalArray> room = in_place ? std::move(inputs[*input]) : rings[output].take();
    room->count_rewrite();
    return room;
  } catch (const Error& error) {
    for (const Equation& equation : local.program.equations)
      if (std::ranges::count(equation.results, local.program.outputs[output]) > 0)
        throw error.at(equation.where, equation.op->name());
    throw error.at({}, fmt::format("result {}", output));
  }

  /// The lines of calls come in the order of the calls. The function that takes them may call other programs:
  /// such a nested call waits for nobody's lines, or two threads could wait for each other.
  GlobalArrays run(GlobalArrays inputs) {
    std::unique_lock order(lines_turn, std::defer_lock);
    if (has_lines && !InsideCall::is_nested()) order.lock();
    std::vector<std::string> lines;
    GlobalArrays results;
    try {
      results = run_in_turn(std::move(inputs), lines);
    } catch (...) {
      const std::exception_ptr first = std::current_exception();
      try {
        hand_out(lines);
      } catch (...) {
        std::rethrow_exception(first);
      }
      throw;
    }
    hand_out(lines);
    return results;
  }

  GlobalArrays run_in_turn(GlobalArrays inputs, std::vector<std::string>& lines) {
    std::lock_guard lock(turn);
    require_types(inputs, local.input_types);
    plan.require_no_stop(stop);  // before arguments are copied
    ++calls;
    copied_by_last_call.clear();
    if (transport && checks_assumptions) compare_arguments(inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) plan.bind(i, in_place(i, inputs[i]));
    GlobalArrays results;
    results.reserve(rings.size());
    for (std::size_t i = 0; i < rings.size(); ++i) {
      results.push_back(room_for(i, inputs));
      plan.bind(inputs.size() + i, memory_of(*results.back()));
    }
    try {
      if (recording) recording->call([this] { run_steps_and_futures(); });
      else run_steps_and_futures();
    } catch (...) {
      lines = log.take().lines;
      throw;
    }
    CallLog::Contents taken = log.keeps_failures ? log.take(*transport) : log.take();
    lines = std::move(taken.lines);
    if (taken.failure) throw std::move(*taken.failure);
    check_replicas();
    return results;
  }

  void hand_out(const std::vector<std::string>& lines) const {
    for (const std::string& line : lines)
      if (print) print(line);
  }

  // ---- steps

  /// A failure leaves futures behind, which read and write the memory of this call, and record their steps.
  void run_steps_and_futures() try { run_steps(); } catch (...) {
    Carrier* carrier = transport ? transport->carrier() : nullptr;
    if (carrier && !carrier->is_idle()) {
      transport->leave(std::current_exception());
      carrier->drain();
    }
    throw;
  }

  void run_steps() {
    const Placement& placement = plan.placement();
    if (transport && placement.times.transfers) transport->commit();
    bool alone = !placement.times.needs_helpers;
    if (!alone && team.workers() > 1) switch (team.helpers()) {
        case Team::Helpers::ready: break;
        case Team::Helpers::asleep: alone = placement.times.nanoseconds < short_run_nanoseconds; break;
        case Team::Helpers::crowded:
          alone = true;
          ++crowded_calls;
          break;
      }
    if (alone) return plan.run(crew(nullptr, 0));
    auto work = [](void* state, int worker) {
      auto& self = *static_cast<State*>(state);
      self.plan.run(self.crew(&self.team, worker));
    };
    team.run(work, this, placement.times.nanoseconds);
  }

  Crew crew(Team* of_team, int worker) {
    Crew crew{of_team, worker, nullptr, &log, nullptr, transport};
    if (stop.stop_possible()) crew.stop = &stop;
    if (!recording) return crew;
    crew.track = recording->track(worker);
    if (transport) crew.track_of_carrier = recording->track(team.workers());
    return crew;
  }

  // ---- explain

  Report::StepPlan step_plan() const {
    Circumstances now{.recording = recording ? &*recording : nullptr,
                      .is_always_crowded = team.is_always_crowded(),
                      .crowded_calls = crowded_calls,
                      .shortage = team.shortage(),
                      .has_carrier = !transport || transport->carrier(),
                      .moved_inputs = local.moved_inputs,
                      .copies = {.calls = calls, .bytes = copied_bytes}};
    for (const auto& [i, from] : copied_by_last_call)
      now.copies.by_last_call.push_back(
          {input_names[i], input_buffer(i).bytes, local.input_shardings[i], from});
    for (std::size_t i = 0; i < staging.size(); ++i)
      if (staging[i].memory()) now.copied_arguments += input_buffer(i).bytes;
    for (const ResultRing& ring : rings) now.result_buffers += static_cast<std::int64_t>(ring.bytes());
    return tutti::step_plan(plan, now);
  }

  // ---- soundness of types: where the type says equal, all devices along the axis hold the same bits

  void check_replicas() const {
    const Graph& graph = plan.graph();
    for (std::size_t i = 0; i < graph.replicas.size(); ++i) {
      const Buffer& buffer = graph.buffers[graph.replicas[i]];
      if (buffer.kind != Buffer::Kind::arena) continue;
      Type type = buffer.type;
      const std::byte* base = plan.schedule().arena.get() + *plan.arena().offset[graph.replicas[i]];
      AxisSet free = 0;
      for (std::size_t axis = 0; axis < graph.mesh.axes().size(); ++axis)
        if (is_stored_per_device(type.at(graph.mesh.axes()[axis]))) free |= AxisSet{1} << axis;
      Address own = natural_address(graph, graph.replicas[i]);
      for (std::int64_t shard = 0; shard < positions(graph.mesh, buffer.stored); ++shard) {
        std::vector<std::int64_t> at = coordinates(graph.mesh, buffer.stored, shard), first = at;
        for (std::size_t axis = 0; axis < at.size(); ++axis)
          if (!has(free, axis)) first[axis] = 0;
        bool equal = std::memcmp(base + offset_at(own, at), base + offset_at(own, first), type.bytes()) == 0;
        ensure(equal,
               "output {} is {}, but device {} holds another value than the first along an axis where all "
               "are equal",
               i, type, shard);
      }
    }
  }
};

Executable::Executable(const Program& program, const Processes& processes, Team& team,
                       const CompileOptions& options) try
    : state_(std::make_unique<State>(program, processes, team, options)) {
} catch (const std::bad_alloc&) {
  fail(Code::memory, "no memory to plan the program");
}

Executable::~Executable() = default;

GlobalArrays Executable::run(GlobalArrays inputs, const Where&) {
  return done_together(state_->turn_of_processes, [&] { return state_->run(std::move(inputs)); });
}

void Executable::add_to(Report& report) const {
  const std::lock_guard lock(state_->turn);
  report.outcome = state_->step_plan();
  add_shardings(report, state_->local);
}

}  // namespace tutti
