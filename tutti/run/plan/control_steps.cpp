// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/plan/control_steps.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tutti {
namespace {

constexpr std::int64_t test_stride = 64;

/// Runs a step for the devices at one position. Worker 0 of the crew binds the addresses. All workers of the
/// crew read the same index or test result, so they take the same branches and iterations.
class Runner {
 public:
  Runner(const Control& args, const Crew& crew, std::size_t position)
      : args_(args),
        iteration_{crew.iteration,
                   args.equation,
                   args.numbers[position],
                   &args.places[position],
                   0,
                   args.stops_early ? args.stops_early->has_failed.get() : nullptr},
        crew_(inside(crew, iteration_)),
        position_(position),
        consts_(args.sub.consts),
        carries_(args.sub.carries) {}
  Runner(const Runner&) = delete;  // the crew points to the iteration
  Runner& operator=(const Runner&) = delete;

  void run() {
    switch (args_.sub.how) {
      case SubPrograms::Control::choose: return choose();
      case SubPrograms::Control::repeat: return repeat();
      case SubPrograms::Control::loop: return loop();
    }
  }

 private:
  std::byte* operand(std::size_t i) const { return own_part(args_.operands[i]); }
  std::byte* result(std::size_t i) const { return own_part(args_.results[i]); }
  std::byte* other_buffer(std::size_t carry) const { return result(ys_end() + carry); }
  std::size_t ys_end() const { return args_.results.size() - carries_; }
  std::byte* own_part(const ControlValue& value) const { return value.base + value.at_position[position_]; }

  static Crew inside(Crew crew, const Iteration& iteration) {
    crew.iteration = &iteration;
    return crew;
  }

  /// Lets worker 0 call `bind`, then runs the plan on all workers of the crew.
  template <class Bind>
  void run(Plan& plan, const Bind& bind) const {
    if (crew_.worker == 0) bind();
    crew_.meet();
    plan.run(crew_);
    crew_.meet();
  }

  /// Binds the first inputs of a plan: the positions along the divergent axes. Returns their number.
  std::size_t bind_coordinates(Plan& plan) const {
    for (std::size_t i = 0; i < args_.coordinates_each; ++i) {
      const std::int32_t* at = args_.coordinates.data() + position_ * args_.coordinates_each + i;
      plan.bind(i, reinterpret_cast<std::byte*>(const_cast<std::int32_t*>(at)));  // never written
    }
    return args_.coordinates_each;
  }

  void choose() {
    std::int32_t index = 0;
    std::memcpy(&index, operand(0), sizeof index);
    auto last = static_cast<std::int32_t>(args_.plans.size()) - 1;
    iteration_.number = std::clamp(index, 0, last);
    Plan& plan = *args_.plans[static_cast<std::size_t>(iteration_.number)];
    run(plan, [&] {
      std::size_t slot = bind_coordinates(plan);
      for (std::size_t i = 1; i < args_.operands.size(); ++i) plan.bind(slot++, operand(i));
      for (std::size_t i = 0; i < args_.results.size(); ++i) plan.bind(slot++, result(i));
    });
  }

  /// Runs all iterations. An iteration writes carries to the result if an even number of iterations follows,
  /// else to the second buffer, so the last iteration writes the result. A carry in place has no second
  /// buffer: every iteration writes the result, and only the first one reads the operand.
  void repeat() {
    std::int64_t length = args_.sub.length;
    for (std::int64_t k = 0; k < length; ++k) {
      iteration_.number = k;
      run(*args_.plans[0], [&] { bind_iteration(*args_.plans[0], k); });
    }
    if (length == 0 && crew_.worker == 0)
      for (std::size_t i = 0; i < carries_; ++i) copy(i, operand(consts_ + i));
  }

  void bind_iteration(Plan& plan, std::int64_t k) const {
    std::size_t xs = consts_ + carries_, outputs = args_.operands.size();
    std::int64_t length = args_.sub.length, at = args_.sub.reverse ? length - 1 - k : k;
    bool to_result = (length - 1 - k) % 2 == 0;
    if (k == 0)
      for (std::size_t i = 0; i < consts_; ++i) plan.bind(i, operand(i));
    for (std::size_t i = 0; i < carries_; ++i) {
      std::byte *one = result(i), *other = args_.in_place[i] ? one : other_buffer(i);
      plan.bind(consts_ + i, k == 0 ? operand(consts_ + i) : to_result ? other : one);
      plan.bind(outputs + i, to_result ? one : other);
    }
    for (std::size_t i = xs; i < outputs; ++i) plan.bind(i, operand(i) + at * args_.operands[i].slice_bytes);
    for (std::size_t i = carries_; i < ys_end(); ++i)
      plan.bind(outputs + i, result(i) + at * args_.results[i].slice_bytes);
  }

  void loop() {
    Plan &test = *args_.plans[0], &body = *args_.plans[1];
    std::size_t first = args_.coordinates_each, outputs = first + args_.operands.size();
    if (crew_.worker == 0) {
      bind_consts(test, body);
      if (iteration_.has_failed) *iteration_.has_failed = false;
    }
    bool at_start = true, in_result = false;
    for (;;) {
      run(test, [&] {
        for (std::size_t i = 0; i < carries_; ++i) {
          std::byte* now = at_start ? operand(consts_ + i) : made_by_iteration(i, in_result);
          test.bind(first + consts_ + i, now);
          body.bind(first + consts_ + i, now);
        }
      });
      if (args_.stops_early && crew_.log && crew_.log->keeps_failures) stop_if_failed(*args_.stops_early);
      if (*args_.test_result == std::byte{0}) break;
      in_result = !in_result;
      at_start = false;
      ++iteration_.number;
      run(body, [&] {
        for (std::size_t i = 0; i < carries_; ++i) body.bind(outputs + i, made_by_iteration(i, in_result));
      });
      ++iteration_.number;
    }
    if (in_result || crew_.worker != 0) return;
    for (std::size_t i = 0; i < carries_; ++i)
      copy(i, at_start ? operand(consts_ + i) : made_by_iteration(i, in_result));
  }

  /// After a failure a test may hold for ever. All processes that run the loop leave it after the same
  /// iteration.
  void stop_if_failed(const Control::StopsEarly& stops) const {
    if (crew_.worker == 0) {
      bool has_failed = *stops.has_failed;
      if (!stops.others.empty()) {
        std::vector<std::byte> said(stops.others.size() + 1, std::byte{0});
        said.back() = std::byte{has_failed};
        std::vector<Transport::Part> sends, receives;
        for (std::size_t i = 0; i < stops.others.size(); ++i) {
          sends.push_back({stops.others[i], &said.back(), 1});
          receives.push_back({stops.others[i], &said[i], 1});
        }
        crew_.transport->finish(crew_.transport->post(sends, receives, stops.place));
        has_failed = std::ranges::count(said, std::byte{0}) < std::ssize(said);
      }
      if (has_failed) *args_.test_result = std::byte{0};
    }
    crew_.meet();
  }

  std::byte* made_by_iteration(std::size_t carry, bool in_result) const {
    return in_result || args_.in_place[carry] ? result(carry) : other_buffer(carry);
  }

  void bind_consts(Plan& test, Plan& body) const {
    std::size_t first = bind_coordinates(test);
    bind_coordinates(body);
    for (std::size_t i = 0; i < consts_; ++i) {
      test.bind(first + i, operand(i));
      body.bind(first + i, operand(i));
    }
    test.bind(first + args_.operands.size(), args_.test_result.get());
  }

  void copy(std::size_t carry, const std::byte* from) const {
    const ControlValue& value = args_.results[carry];
    if (from == result(carry)) return;
    for (std::int64_t shard : value.shards)
      std::memcpy(result(carry) + shard, from + shard, static_cast<std::size_t>(value.shard_bytes));
  }

  const Control& args_;
  Iteration iteration_;  // of a while loop test and body count apart
  const Crew crew_;
  std::size_t position_, consts_, carries_;
};

}  // namespace

void Control::run(const WorkerStep& step, StepContext& context) const {
  if (context.crew.alone() && step.tile_begin > 0) return;  // part of the first worker's list
  Crew crew = context.crew;
  if (!together) {
    crew.team = nullptr;
    crew.worker = 0;
  }
  for (std::size_t position = 0; position < positions; ++position) Runner(*this, crew, position).run();
}

/// Reports the values of the whole step, once. A step that all workers run together has its phase to itself;
/// the race checker looks at its plans on their own.
void Control::touch(const WorkerStep& step, StepContext&, const OnTouched& on_touched) const {
  if (step.tile_begin > 0) return;
  auto tell = [&](const ControlValue& value, bool written) {
    for (std::int64_t position : value.at_position)
      for (std::int64_t shard : value.shards) {
        auto begin = reinterpret_cast<std::uintptr_t>(value.base + position + shard);
        on_touched({begin, begin + static_cast<std::uintptr_t>(value.shard_bytes), written});
      }
  };
  for (const ControlValue& operand : operands) tell(operand, false);
  const std::size_t others = results.size() - in_place.size();
  for (std::size_t i = 0; i < results.size(); ++i)
    if (i < others || !in_place[i - others]) tell(results[i], true);
}

std::vector<std::int64_t> test_result_strides(const Mesh& mesh) {
  std::vector<std::int64_t> strides(mesh.axes().size());
  std::int64_t stride = test_stride;
  for (std::size_t i = strides.size(); i-- > 0; stride *= mesh.axes()[i].size) strides[i] = stride;
  return strides;
}

std::size_t test_result_bytes(const Mesh& mesh) {
  return static_cast<std::size_t>(test_stride * mesh.devices());
}

}  // namespace tutti
