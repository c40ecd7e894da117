// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/executable.hpp"

#include <cstring>
#include <mutex>

#include "tutti/base/require.hpp"
#include "tutti/devices/block.hpp"
#include "tutti/run/boundary.hpp"
#include "tutti/run/check_races.hpp"
#include "tutti/run/cost.hpp"
#include "tutti/run/describe.hpp"
#include "tutti/run/explain.hpp"
#include "tutti/run/plan.hpp"
#include "tutti/run/recording.hpp"
#include "tutti/run/results.hpp"

namespace tutti {
namespace {

/// Where an input that does not lie as wanted is put; kept for the next call.
struct Staging {
  std::shared_ptr<std::byte> block;
};

}  // namespace

struct Executable::State {
  LocalProgram local;
  Plan plan;
  Team& team;
  std::optional<Recording> recording;
  std::vector<Staging> staging;   // per input
  std::vector<ResultRing> rings;  // per output
  std::mutex turn;

  State(const Program& program, const Mesh& mesh, Team& of_workers, const CompileOptions& options)
      : local(localised(program, mesh)),
        plan(local.program, mesh,
             {options.storage, options.fuse ? Fusion::on : Fusion::off, options.stores, options.plan,
              of_workers.workers(), options.check_assumptions}),
        team(of_workers) {
    const Graph& graph = plan.graph();
    if (options.check_races) check_races(plan);
    if (options.timeline) recording.emplace(plan, *options.timeline, options.compiled_at);
    staging.resize(local.program.inputs.size());
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      const Root& root = graph.roots[static_cast<std::size_t>(graph.outputs[i])];
      rings.emplace_back(local.output_types[i], local.output_shardings[i],
                         static_cast<std::size_t>(root.bytes), static_cast<std::size_t>(root.shard_stride));
    }
  }

  static void check_races(Plan& plan) {
    const Graph& graph = plan.graph();
    std::vector<std::string> names;
    for (const Node& node : plan.nodes().list) names.push_back(describe(graph, node));
    std::optional<std::string> race = find_race(plan.schedule(), names);
    ensure(!race, "the plan has a race: {}", race.value_or(""));
    for (const Node& node : plan.nodes().list)
      if (const SubWork* work = sub_work(graph, node))
        for (const std::shared_ptr<Plan>& sub : work->plans) check_races(*sub);
  }

  // ---- inputs and outputs

  const Root& input_root(std::size_t i) const {
    for (const Root& root : plan.graph().roots)
      if (root.place == Root::Place::input && root.number == static_cast<int>(i)) return root;
    fail(Code::internal, "input {} has no root", i);
  }

  bool lies_as_wanted(std::size_t i, const GlobalArray& array) const {
    const Root& root = input_root(i);
    bool one_shard = root.stored == 0;
    if (one_shard && !array.sharding()) return true;
    return array.sharding() == local.input_shardings[i] &&
           (one_shard || static_cast<std::int64_t>(array.buffer().shard_stride) == root.shard_stride);
  }

  std::byte* in_place(std::size_t i, const GlobalArray& array) {
    // Steps never write to inputs.
    if (lies_as_wanted(i, array)) return const_cast<std::byte*>(array.buffer().base.get());
    const Root& root = input_root(i);
    if (!staging[i].block) staging[i].block = allocate_block(static_cast<std::size_t>(root.bytes));
    distribute(array.whole(), local.input_shardings[i], staging[i].block.get(),
               static_cast<std::size_t>(root.shard_stride));
    return staging[i].block.get();
  }

  Values run(std::span<const std::shared_ptr<const GlobalArray>> inputs) {
    std::lock_guard lock(turn);
    require(inputs.size() == local.input_types.size(), Code::argument, "{} arguments for a program of {}",
            inputs.size(), local.input_types.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      require(inputs[i] && inputs[i]->type() == local.input_types[i], Code::argument,
              "argument {} is {}, the program takes {}", i,
              inputs[i] ? to_string(inputs[i]->type()) : "empty", to_string(local.input_types[i]));
      plan.bind(i, in_place(i, *inputs[i]));
    }
    Values results;
    results.reserve(rings.size());
    for (std::size_t i = 0; i < rings.size(); ++i) {
      results.push_back(rings[i].take());
      plan.bind(inputs.size() + i, const_cast<std::byte*>(results.back()->buffer().base.get()));
    }
    if (recording) recording->call([this] { run_steps(); });
    else run_steps();
    check_replicas();
    return results;
  }

  // ---- steps

  void run_steps() {
    const Placement& placement = plan.placement();
    bool alone = !placement.needs_helpers;
    if (!alone && team.workers() > 1) switch (team.helpers()) {
        case Team::Helpers::ready: break;
        case Team::Helpers::asleep: alone = placement.nanoseconds < short_run_nanoseconds; break;
        case Team::Helpers::crowded: alone = true; break;
      }
    if (alone) return plan.run({nullptr, 0, track(0)});
    auto work = [](void* state, int worker) {
      auto& self = *static_cast<State*>(state);
      self.plan.run({&self.team, worker, self.track(worker)});
    };
    team.run(work, this, placement.nanoseconds);
  }

  Track* track(int worker) const { return recording ? recording->track(worker) : nullptr; }

  // ---- the soundness of types: all devices along an axis where the type says equal hold the same bits

  void check_replicas() const {
    const Graph& graph = plan.graph();
    for (std::size_t i = 0; i < graph.replicas.size(); ++i) {
      const Root& root = graph.roots[static_cast<std::size_t>(graph.replicas[i])];
      if (root.place != Root::Place::arena) continue;
      Type type = root.type;
      const std::byte* base =
          plan.schedule().arena.get() + plan.buffers().offset[static_cast<std::size_t>(graph.replicas[i])];
      AxisSet free = 0;
      for (std::size_t axis = 0; axis < graph.mesh.axes().size(); ++axis)
        if (is_stored_per_device(type.at(graph.mesh.axes()[axis]))) free |= AxisSet{1} << axis;
      Address own = natural_address(graph, graph.replicas[i]);
      for (std::int64_t unit = 0; unit < positions(graph.mesh, root.stored); ++unit) {
        std::vector<std::int64_t> at = coordinates(graph.mesh, root.stored, unit), first = at;
        for (std::size_t axis = 0; axis < at.size(); ++axis)
          if (!has(free, axis)) first[axis] = 0;
        bool equal = std::memcmp(base + offset_at(own, at), base + offset_at(own, first), type.bytes()) == 0;
        ensure(equal,
               "output {} is {}, but device {} holds another value than the first along an axis where all "
               "are equal",
               i, to_string(type), unit);
      }
    }
  }
};

Executable::Executable(const Program& program, const Mesh& mesh, Team& team, const CompileOptions& options)
    : state_(std::make_unique<State>(program, mesh, team, options)) {}

Executable::~Executable() = default;

Executable::Values Executable::run(std::span<const std::shared_ptr<const GlobalArray>> inputs) {
  return state_->run(inputs);
}

std::string Executable::explain() const {
  std::lock_guard lock(state_->turn);
  return explained(state_->plan, state_->local.moved_inputs,
                   state_->recording ? &*state_->recording : nullptr);
}

}  // namespace tutti
