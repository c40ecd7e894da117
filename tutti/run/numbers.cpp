// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/numbers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <mutex>

#include "tutti/base/require.hpp"
#include "tutti/control/flow/scan.hpp"
#include "tutti/control/flow/switch.hpp"
#include "tutti/control/wrapped/start.hpp"
#include "tutti/devices/layout.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/run/watch/program_report.hpp"
#include "tutti/tensor/print.hpp"

namespace tutti {
namespace {

constexpr std::int64_t most_elements = 64;  // of an argument, and of a value that is shown in full

bool is_equal_on_all(Type type) {
  return std::ranges::none_of(type.states(),
                              [](const auto& of_axis) { return is_stored_per_device(of_axis.second); });
}

Report::Numbers shown(Type type, const Tensors& values) {
  Report::Numbers numbers;
  for (const Tensor& value : values) {
    numbers.push_back(in_one_line(value, most_elements));
    if (is_equal_on_all(type)) break;
  }
  return numbers;
}

/// The program of one equation.
Program alone(const Op& op, const Types& types) {
  Builder builder;
  Arrays operands;
  for (Type type : types) operands.push_back(builder.input(type));
  return builder.finish(builder.add(op, operands));
}

/// `n` slices along dim 0.
Tensor slices(const Tensor& whole, std::int64_t first, std::int64_t n) {
  const std::size_t bytes = whole.bytes() / static_cast<std::size_t>(whole.shape()[0]);
  Tensor part(whole.shape().with(Dim{0}, n), whole.dtype());
  const std::byte* begin = whole.data() + static_cast<std::size_t>(first) * bytes;
  std::copy_n(begin, part.bytes(), part.mutable_bytes());
  return part;
}

/// The values of all variables, computed equation by equation.
class OneByOne {
 public:
  OneByOne(const Program& program, const Mesh& mesh, const std::stop_token& stop)
      : program_(program), mesh_(mesh), stop_(stop), team_(1), values_(program.types.size()) {}

  Tensors& operator[](Var var) { return values_[static_cast<std::size_t>(var)]; }

  void run(const Equation& equation) {
    if (std::optional<std::size_t> pending = pending_operand(equation)) {
      (*this)[equation.results[0]] = (*this)[equation.operands[*pending]];
      return;
    }
    const Start* start = equation.op.as<Start>();
    const std::vector<Tensors> results =
        run(start ? start->op : equation.op, program_.types_of(equation.operands), operands_of(equation));
    for (std::size_t i = 0; i < results.size(); ++i) (*this)[equation.results[i]] = results[i];
  }

  /// The inputs of the body of a scan on its last trip; none if there is no trip.
  std::optional<std::vector<Tensors>> last_trip(const Scan& scan, const Equation& equation) {
    if (scan.length == 0) return std::nullopt;
    const auto consts = static_cast<std::size_t>(scan.consts),
               begin = consts + static_cast<std::size_t>(scan.carries);
    std::vector<Tensors> inputs = operands_of(equation), before = inputs;
    Types types = program_.types_of(equation.operands);
    Scan all_but_last = scan;
    all_but_last.length = scan.length - 1;
    for (std::size_t i = begin; i < inputs.size(); ++i) {
      types[i] = types[i].with(types[i].shape().with(Dim{0}, all_but_last.length));
      for (std::size_t device = 0; device < inputs[i].size(); ++device) {
        const Tensor whole = inputs[i][device];
        const Tensor last = slices(whole, scan.reverse ? 0 : all_but_last.length, 1);
        inputs[i][device] = last.reshaped(whole.shape().erased(Dim{0}));
        before[i][device] = slices(whole, scan.reverse ? 1 : 0, all_but_last.length);
      }
    }
    if (all_but_last.length == 0) return inputs;
    const std::vector<Tensors> results = run(all_but_last, types, before);
    std::copy_n(results.begin(), scan.carries, inputs.begin() + scan.consts);
    return inputs;
  }

  /// The branch of a switch that all devices take; none if they differ.
  std::optional<std::size_t> branch(const Switch& op, const Equation& equation) {
    const Tensors& indices = (*this)[equation.operands[0]];
    if (!std::ranges::all_of(indices, [&](const Tensor& index) { return index == indices[0]; }))
      return std::nullopt;
    const auto last = static_cast<double>(op.branches.size() - 1);
    return static_cast<std::size_t>(std::clamp(indices[0].at(0), 0.0, last));
  }

  std::vector<Tensors> operands_of(const Equation& equation) {
    std::vector<Tensors> operands;
    for (Var var : equation.operands) operands.push_back((*this)[var]);
    return operands;
  }

 private:
  std::vector<Tensors> run(const Op& op, const Types& types, const std::vector<Tensors>& operands) {
    CompileOptions quiet;
    quiet.print = [](std::string_view) {};
    quiet.stop = stop_;
    return run_on_machine(alone(op, types), mesh_, operands, team_, quiet);
  }

  /// A started collective was computed at its start, so that its end, or a barrier, hands the value on.
  std::optional<std::size_t> pending_operand(const Equation& equation) const {
    for (std::size_t i = 0; i < equation.operands.size(); ++i)
      if (program_.type(equation.operands[i]).in_flight()) return i;
    return std::nullopt;
  }

  const Program& program_;
  const Mesh& mesh_;
  const std::stop_token& stop_;
  Team team_;
  std::vector<Tensors> values_;  // of each variable, per device
};

/// Keeps the numbers of the last call.
class RunnableWithNumbers : public Runnable {
 public:
  RunnableWithNumbers(std::unique_ptr<Runnable> run, const Program& program, const Mesh& mesh,
                      const std::stop_token& stop)
      : run_(std::move(run)), program_(program), mesh_(mesh), stop_(stop) {}

  GlobalArrays run(GlobalArrays inputs, const Where& where) override {
    {
      const std::lock_guard lock(turn_);
      take_numbers(inputs);
    }
    return run_->run(std::move(inputs), where);
  }

  void add_to(Report& report) const override {
    run_->add_to(report);
    const std::lock_guard lock(turn_);
    Report::Part& part = report.program;
    if (part.rows.size() != numbers_.rows.size()) return;
    part.numbers = numbers_.numbers;
    for (std::size_t i = 0; i < part.rows.size(); ++i) {
      part.rows[i].numbers = numbers_.rows[i].numbers;
      part.rows[i].parts = numbers_.rows[i].parts;
    }
    if (!failure_.empty())
      report.remarks.push_back("the numbers end where the last call failed: " + failure_);
  }

 private:
  /// An equation that fails leaves the rest without numbers. The call itself then fails there, too.
  void take_numbers(const GlobalArrays& inputs) {
    std::vector<Tensors> values;
    for (const std::shared_ptr<const GlobalArray>& input : inputs)
      values.emplace_back(static_cast<std::size_t>(mesh_.devices()), input->whole());
    numbers_ = report_of(program_, mesh_).program;
    failure_.clear();
    try {
      add_numbers(numbers_, program_, mesh_, values, stop_);
    } catch (const Error& error) {
      failure_ = error.message();
    }
  }

  std::unique_ptr<Runnable> run_;
  Program program_;
  Mesh mesh_;
  std::stop_token stop_;
  mutable std::mutex turn_;
  Report::Part numbers_;  // of the last call
  std::string failure_;   // that ended them; empty: none
};

}  // namespace

std::string in_one_line(const Tensor& value, std::int64_t all_elements) {
  const std::string text =
      to_string(value, {.all_elements = all_elements, .edge_elements = 2, .line_length = 1'000'000});
  std::string line;
  for (char c : text)
    if ((c != ' ' && c != '\n') || !line.ends_with(' ')) line += c == '\n' ? ' ' : c;
  return line;
}

void add_numbers(Report::Part& part, const Program& program, const Mesh& mesh,
                 const std::vector<Tensors>& inputs, const std::stop_token& stop) {
  OneByOne values(program, mesh, stop);
  part.numbers.clear();
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    values[program.inputs[k]] = inputs[k];
    part.numbers.push_back(shown(program.type(program.inputs[k]), inputs[k]));
  }
  for (std::size_t i = 0; i < program.equations.size(); ++i) {
    const Equation& equation = program.equations[i];
    values.run(equation);
    Report::Row& row = part.rows[i];
    row.numbers.clear();
    for (Var var : equation.results) row.numbers.push_back(shown(program.type(var), values[var]));
    if (const Scan* scan = equation.op.as<Scan>()) {
      if (const auto inside = values.last_trip(*scan, equation))
        add_numbers(row.parts[0], *scan->body, mesh, *inside, stop);
    } else if (const Switch* op = equation.op.as<Switch>()) {
      std::vector<Tensors> inside = values.operands_of(equation);
      inside.erase(inside.begin());
      if (const std::optional<std::size_t> taken = values.branch(*op, equation))
        add_numbers(row.parts[*taken], *op->branches[*taken], mesh, inside, stop);
    }
  }
}

std::unique_ptr<Runnable> with_numbers(std::unique_ptr<Runnable> run, const Program& program,
                                       const Mesh& mesh, const CompileRequest& request,
                                       const std::stop_token& stop) {
  for (std::size_t k = 0; k < program.inputs.size(); ++k) {
    const Type type = program.type(program.inputs[k]);
    require(
        type.elements() <= most_elements, Code::argument,
        "{} is {}, and MachineOptions::values shows the numbers of at most {} elements; compile for smaller "
        "arrays, or leave the option out",
        k < request.input_names.size() ? request.input_names[k] : fmt::format("argument {}", k), type,
        most_elements);
  }
  return std::make_unique<RunnableWithNumbers>(std::move(run), program, mesh, stop);
}

}  // namespace tutti
