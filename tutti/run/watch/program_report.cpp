// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/watch/program_report.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/inside.hpp"
#include "tutti/control/flow/scan.hpp"
#include "tutti/control/flow/switch.hpp"
#include "tutti/control/flow/while.hpp"
#include "tutti/ir/refused_trace.hpp"
#include "tutti/ops/moves/enter.hpp"
#include "tutti/ops/moves/exchange.hpp"
#include "tutti/ops/moves/leave.hpp"
#include "tutti/run/watch/describe.hpp"

namespace tutti {
namespace {

std::vector<Report::Value> values_of(const Program& program, const std::vector<Var>& vars) {
  std::vector<Report::Value> values;
  for (Var var : vars) values.push_back({static_cast<int>(var), program.type(var)});
  return values;
}

/// "branch 0", "each of 64 trips", "body".
std::string part_name_of(const Op& op, std::size_t part) {
  if (op.as<Switch>()) return part_name(SubPrograms::Control::choose, 0, part);
  if (const Scan* scan = op.as<Scan>()) return part_name(SubPrograms::Control::repeat, scan->length, part);
  if (op.as<While>()) return part_name(SubPrograms::Control::loop, 0, part);
  return part == 0 ? "body" : "derivative";
}

/// The rows of one program.
class Rows {
 public:
  explicit Rows(const Program& program)
      : program_(program), maker_(program.types.size()), is_read_(program.types.size()) {
    for (const Equation& equation : program.equations) {
      for (Var var : equation.results) maker_[index(var)] = &equation;
      // A value that leaves lies as it is until something else than a border reads it.
      for (Var var : equation.operands)
        if (!equation.op.as<Enter>()) is_read_[index(var)] = true;
    }
  }

  Report::Part part(std::string name) const {
    Report::Part part{std::move(name), values_of(program_, program_.inputs), {}, {}};
    part.rows.reserve(program_.equations.size());
    for (const Equation& equation : program_.equations) part.rows.push_back(row(equation));
    for (Var var : program_.outputs) part.outputs.push_back(static_cast<int>(var));
    return part;
  }

 private:
  static std::size_t index(Var var) { return static_cast<std::size_t>(var); }

  Report::Row row(const Equation& equation) const {
    const Op& op = equation.op;
    Report::Row row{.op = std::string(op->name()),
                    .parameters = {},
                    .operands = {},
                    .results = values_of(program_, equation.results),
                    .where = equation.where,
                    .collective = collective(equation),
                    .parts = {},
                    .numbers = {}};
    for (const auto& [field, value] : op->parameters()) row.parameters.emplace_back(field, value);
    for (Var var : equation.operands) row.operands.push_back(static_cast<int>(var));
    const std::vector<SubProgram> programs = op->programs();
    for (std::size_t i = 0; i < programs.size(); ++i)
      if (programs[i]) row.parts.push_back(Rows(*programs[i]).part(part_name_of(op, i)));
    if (const Scan* scan = op.as<Scan>()) row.parts[0].trips = scan->length;
    return row;
  }

  std::optional<Report::Collective> collective(const Equation& equation) const {
    if (equation.op.as<Enter>()) return exchange(equation);
    Axes axes = equation.op->communicates();
    if (axes.empty() || (equation.op.as<Leave>() && !is_read_[index(equation.results[0])])) return {};
    return Report::Collective{std::move(axes), equation.op->traffic(program_.types_of(equation.operands))};
  }

  /// A value that left one shard_map and enters another goes from sharding to sharding.
  std::optional<Report::Collective> exchange(const Equation& enter) const {
    const Equation* maker = maker_[index(enter.operands[0])];
    const Leave* leave = maker ? maker->op.as<Leave>() : nullptr;
    if (!leave || is_read_[index(enter.operands[0])]) return {};
    const Type part = program_.type(maker->operands[0]), whole = program_.type(enter.operands[0]);
    const Exchange exchange{whole.shape(), leave->sharding, enter.op.as<Enter>()->sharding};
    const bool is_of_blocks = exchange.from.unreduced.empty() && exchange.from.mesh == exchange.to.mesh;
    if (!is_of_blocks || exchange.communicates().empty()) return {};
    return Report::Collective{exchange.communicates(), exchange.traffic({part})};
  }

  const Program& program_;
  std::vector<const Equation*> maker_;  // of each variable
  std::vector<bool> is_read_;           // by something else than a border
};

/// The mesh of the first shard_map. Without one, the mesh of the axes that stand in types.
Mesh mesh_of(const std::vector<Program>& programs) {
  Axes axes;
  for (const Program& program : programs) {
    for (const Equation& equation : program.equations)
      if (const Enter* enter = equation.op.as<Enter>()) return enter->sharding.mesh.whole();
    for (const Type& type : program.types)
      for (const auto& [axis, state] : type.states())
        if (is_mesh_axis(axis) && !contains(axes, axis)) axes.push_back(axis);
  }
  std::ranges::sort(axes);
  return Mesh::of(axes);
}

/// "add" of "add: f32[2] and f32[3] do not broadcast".
std::string subject_of(const std::string& message) {
  const std::size_t end = message.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789");
  return end != message.npos && end > 0 && message[end] == ':' ? message.substr(0, end) : "refused";
}

/// The op that was refused, as a row without results. A function that refuses its arguments before it records
/// an op has a row without operands.
Report::Row refused_row(const RefusedTrace& trace, const Error& error) {
  Report::Row row{.op = subject_of(error.message()), .where = error.where()};
  if (!trace.op) return row;
  row.op = trace.op->op->name();
  for (const auto& [field, value] : trace.op->op->parameters()) row.parameters.emplace_back(field, value);
  for (Var var : trace.op->operands) row.operands.push_back(static_cast<int>(var));
  return row;
}

/// The function that was traced inside another one, as the last row of that one.
Report::Row row_of_function(Report::Part inside, const Where& where) {
  Report::Row row{.op = "function", .where = where};
  row.parts.push_back(std::move(inside));
  return row;
}

}  // namespace

Report report_of(const Program& program, const Mesh& mesh) {
  Report report{.machine = {}, .mesh = mesh, .program = Rows(program).part(""), .outcome = Report::Traced{}};
  for (const Report::Value& input : report.program.inputs) report.arguments.push_back({"", input.number, {}});
  for (int output : report.program.outputs) report.results.push_back({"", output, {}});
  return report;
}

void add_shardings(Report& report, const LocalProgram& local) {
  for (std::size_t i = 0; i < report.arguments.size(); ++i)
    report.arguments[i].sharding = local.input_shardings[i];
  for (std::size_t i = 0; i < report.results.size(); ++i)
    report.results[i].sharding = local.output_shardings[i];
}

Report refused_report(const Error& error) {
  Report report;
  Report::Refusal refusal{.code = error.code(),
                          .message = error.message(),
                          .where = error.where(),
                          .notes = error.notes()};
  if (const RefusedTrace* trace = refused_trace(error)) {
    report.mesh = mesh_of(trace->programs);
    for (const Program& program : trace->programs) {
      Report::Part part = Rows(program).part("");
      const bool is_innermost = &program == &trace->programs.front();
      if (!is_innermost) part.rows.push_back(row_of_function(std::move(report.program), error.where()));
      else part.rows.push_back(refused_row(*trace, error));
      report.program = std::move(part);
    }
    refusal.has_row = !trace->programs.empty();
  }
  report.outcome = std::move(refusal);
  return report;
}

}  // namespace tutti
