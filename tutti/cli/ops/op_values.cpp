// SPDX-License-Identifier: Apache-2.0
// The example of an op, run.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tutti/base/error.hpp"
#include "tutti/base/require.hpp"
#include "tutti/cli/ops/op_facts.hpp"
#include "tutti/control/wrapped/start.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/run/numbers.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/run/watch/program_report.hpp"
#include "tutti/run/watch/timeline.hpp"
#include "tutti/xla/open_xla.hpp"

namespace tutti::cli {
namespace {

// Numbers that are easy to read, in no order, unlike their neighbours: halves, or quarters where there is
// little room.
double readable_number(const ExampleOperand& operand, std::int64_t index) {
  constexpr double lowest = -2, most = 9;
  DType dtype = operand.type.dtype();
  if (dtype == DType::boolean) return static_cast<double>(index % 3 == 0);
  double low = operand.high > lowest ? std::max(operand.low, lowest) : operand.low;
  double step = !is_inexact(dtype) ? 1 : operand.high - low >= 2 ? 0.5 : 0.25;
  double first = std::ceil(low / step), count = std::min(std::floor(operand.high / step) - first + 1, most);
  if (count < 1) return operand.low;
  double stride = count == 5 ? 3 : 5;  // which has no part of the count
  return step * (first + std::fmod(stride * static_cast<double>(index), count));
}

Tensor number_of(DType dtype, double value) {
  return is_float(dtype) ? Tensor::scalar_of(dtype, value)
                         : Tensor::scalar_of(dtype, static_cast<std::int64_t>(value));
}

// A complex number from two in a row.
void put(Tensor& tensor, std::int64_t index, double value, double next) {
  DType dtype = tensor.dtype(), part = is_complex(dtype) ? part_of(dtype) : dtype;
  std::byte* to = tensor.mutable_bytes() + static_cast<std::size_t>(index) * bytes_per_element(dtype);
  std::memcpy(to, number_of(part, value).data(), bytes_per_element(part));
  if (is_complex(dtype))
    std::memcpy(to + bytes_per_element(part), number_of(part, next).data(), bytes_per_element(part));
}

// The axes along which devices have storage of their own.
Axes stored_axes(Type type) {
  Axes axes;
  for (const auto& [axis, state] : type.states())
    if (is_stored_per_device(state)) axes.push_back(axis);
  return axes;
}

// Row-major along `axes`.
int position(int device, const Axes& axes) {
  int joint = 0;
  for (const Axis& axis : axes) joint = joint * axis.size + example_mesh().coordinate(device, axis);
  return joint;
}

// The numbers go on from device to device where these differ; each operand begins elsewhere.
Tensors values_of(const ExampleOperand& operand, std::size_t number) {
  Tensors values;
  std::int64_t n = operand.type.elements();
  for (int device = 0; device < example_mesh().devices(); ++device) {
    if (operand.given) {
      values.push_back(
          operand.given->at_positions[static_cast<std::size_t>(position(device, operand.given->along))]);
      continue;
    }
    Tensor& value = values.emplace_back(operand.type.dtype(), operand.type.shape());
    std::int64_t first =
        n * position(device, stored_axes(operand.type)) + 2 * static_cast<std::int64_t>(number);
    for (std::int64_t i = 0; i < n; ++i)
      put(value, i, readable_number(operand, first + i), readable_number(operand, first + i + 1));
  }
  return values;
}

void add_shown(std::vector<ShownValue>& shown, Var var, Type type, const Tensors& value) {
  Axes axes = stored_axes(type);
  int positions = joint_size(axes), added = 0;
  for (int device = 0; device < example_mesh().devices() && added < positions; ++device) {
    if (position(device, axes) != added) continue;  // another device at a position that is shown
    std::string place;
    for (const Axis& axis : axes)
      place += fmt::format("{}{}={}", place.empty() ? "" : ",", axis.name,
                           example_mesh().coordinate(device, axis));
    shown.push_back(
        {fmt::format("%{}", var), place, in_one_line(value[static_cast<std::size_t>(device)], 12)});
    ++added;
  }
}

// The program of an example, and the values of its inputs: one per device.
struct Run {
  Program program;
  std::vector<Tensors> inputs;
};

Run run_of(const Example& given) {
  const Example example = from_the_start(given);
  Run run{program_of(example.op, types_of(example)), {}};
  for (const ExampleOperand& operand : example.operands)
    run.inputs.push_back(values_of(operand, run.inputs.size()));
  return run;
}

std::vector<ShownValue> shown(const Run& run, const std::vector<Tensors>& results) {
  const Program& program = run.program;
  std::vector<ShownValue> shown;
  for (std::size_t i = 0; i < run.inputs.size(); ++i)
    add_shown(shown, program.inputs[i], program.type(program.inputs[i]), run.inputs[i]);
  for (std::size_t i = 0; i < results.size(); ++i)
    add_shown(shown, program.outputs[i], program.type(program.outputs[i]), results[i]);
  return shown;
}

}  // namespace

ShownRun run_locally(const Example& example, const std::string& trace) {
  const Run run = run_of(example);
  Team team(2);
  Timeline timeline(team.workers(), trace, "tutti on " + to_string(example_mesh()));
  CompileOptions options{.check_races = true, .timeline = trace.empty() ? nullptr : &timeline};
  try {
    std::vector<Tensors> results = run_on_machine(run.program, example_mesh(), run.inputs, team, options);
    require(timeline.failure().empty(), Code::file, "{}", timeline.failure());
    return {to_string(example_mesh()), shown(run, results)};
  } catch (const Error& error) {
    if (error.code() != Code::device) throw;
    return {to_string(example_mesh()), NotRun{error.what()}};
  }
}

Report report_of(const Example& example) {
  const Run run = run_of(example);
  Report report = tutti::report_of(run.program, example_mesh());
  add_numbers(report.program, run.program, example_mesh(), run.inputs);
  return report;
}

ShownRun run_on_xla(const Example& example, const std::string& plugin) {
  const Run run = run_of(example);
  const Machine machine = open_xla(example_mesh(), {.plugin = plugin}, Where{});
  return {machine.description(), shown(run, run_on_machine(run.program, run.inputs, machine.backend()))};
}

}  // namespace tutti::cli
