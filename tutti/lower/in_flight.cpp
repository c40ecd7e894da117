// SPDX-License-Identifier: Apache-2.0
#include "tutti/lower/in_flight.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>

#include "tutti/base/require.hpp"
#include "tutti/ops/optimization_barrier.hpp"

namespace tutti {
namespace {

/// The collectives that async_start takes.
constexpr std::string_view collectives[] = {"stablehlo.all_gather",         "stablehlo.all_reduce",
                                            "stablehlo.all_to_all",         "stablehlo.collective_broadcast",
                                            "stablehlo.collective_permute", "stablehlo.reduce_scatter"};

bool is_collective(const stablehlo::Operation& operation) {
  return std::ranges::find(collectives, operation.name) != std::end(collectives);
}

bool communicates(const stablehlo::Operation& operation) {
  if (is_collective(operation) || operation.name == "stablehlo.custom_call") return true;
  return std::ranges::any_of(operation.regions, [](const stablehlo::Block& block) {
    return std::ranges::any_of(block.operations, communicates);
  });
}

/// Target by source.
std::map<std::int64_t, std::int64_t> targets_of(const stablehlo::Operation& permute) {
  auto found = std::ranges::find(permute.attributes, "source_target_pairs", &stablehlo::NamedAttribute::name);
  ensure(found != permute.attributes.end(), "{} without pairs", permute.name);
  const auto& pairs = std::get<stablehlo::Dense>(found->value.value);
  const auto known = static_cast<std::int64_t>(pairs.data.size() / sizeof(std::int64_t));
  auto number = [&](std::int64_t i) {
    std::int64_t value = 0;
    std::memcpy(&value, pairs.data.data() + i % known * 8, sizeof value);  // one number alone is a splat
    return value;
  };
  std::map<std::int64_t, std::int64_t> targets;
  for (std::int64_t i = 0; i < pairs.type.elements(); i += 2) targets[number(i)] = number(i + 1);
  return targets;
}

bool passes_a_future_through_a_barrier(const Program& program) {
  return std::ranges::any_of(program.equations, [&](const Equation& equation) {
    bool is_barrier = equation.op.as<OptimizationBarrier>() != nullptr;
    auto is_future = [&](Var var) { return program.type(var).in_flight() != nullptr; };
    if (is_barrier && std::ranges::any_of(equation.operands, is_future)) return true;
    return std::ranges::any_of(equation.op->programs(), [](const SubProgram& inside) {
      return passes_a_future_through_a_barrier(*inside);
    });
  });
}

}  // namespace

std::optional<std::size_t> only_collective(std::span<const stablehlo::Operation> operations) {
  if (std::ranges::count_if(operations, communicates) != 1) return std::nullopt;
  auto found = std::ranges::find_if(operations, communicates);
  if (!is_collective(*found)) return std::nullopt;
  return static_cast<std::size_t>(found - operations.begin());
}

// Each source has one target, and each target one source: whoever can be followed for ever is on a cycle.
bool sends_in_a_cycle(const stablehlo::Operation& permute) {
  const std::map<std::int64_t, std::int64_t> targets = targets_of(permute);
  return std::ranges::any_of(targets, [&](const auto& pair) {
    auto next = targets.find(pair.second);
    while (next != targets.end() && next->first != pair.first) next = targets.find(next->second);
    return next != targets.end();
  });
}

LowerOptions options_for(const Program& program, LowerOptions options) {
  if (passes_a_future_through_a_barrier(program)) options.async = options.send_recv = false;
  return options;
}

Uninlined kept_by(const LowerOptions& options) {
  return {.futures = options.async || options.send_recv,
          .ragged = options.ragged_call,
          .long_argmax = true,
          .exchanges = true};
}

}  // namespace tutti
