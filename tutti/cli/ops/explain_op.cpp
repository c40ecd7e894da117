// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/ops/explain_op.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/cli/ops/explain_name.hpp"
#include "tutti/cli/ops/named_op.hpp"
#include "tutti/cli/ops/op_facts.hpp"
#include "tutti/cli/ops/printed.hpp"
#include "tutti/cli/ops/rule_cells.hpp"
#include "tutti/cli/words/machine.hpp"
#include "tutti/control/wrapped/start.hpp"
#include "tutti/page/save_page.hpp"

namespace tutti::cli {
namespace {

constexpr std::size_t shown_shapes = 4, shown_positions = 4;

std::string_view in_words(Mixing mixing) {
  switch (mixing) {
    case Mixing::linear: return "linear: operands agree, joining I < R < V; U only beside U";
    case Mixing::bilinear: return "bilinear: as linear, and U beside R gives U, I beside U becomes R";
    case Mixing::alike: return "alike: operands agree, joining I < R < V; U is refused";
    case Mixing::own: return "own: the op says itself what it takes";
  }
  return {};
}

std::vector<std::string> first_of(std::vector<std::string> lines, std::size_t n) {
  if (lines.size() <= n) return lines;
  std::string rest = fmt::format(".. and {} more", lines.size() - n);
  lines.resize(n);
  lines.push_back(rest);
  return lines;
}

std::string names_of(const Axes& axes) {
  std::vector<std::string_view> names;
  for (const Axis& axis : axes) names.push_back(axis.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// "I -> I, V -> V, U -> -", or a table of two operands.
std::vector<std::string> outcome_lines(const std::vector<StatesOutcome>& outcomes) {
  if (outcomes.size() == 4) {
    std::string line;
    for (const StatesOutcome& outcome : outcomes)
      line +=
          fmt::format("{}{} -> {}", line.empty() ? "" : ", ", letter(outcome.operands[0]), outcome.result);
    return {line};
  }
  std::vector<std::string> lines{"x \\ y"};
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (i % 4 == 0) lines.push_back(fmt::format("{:<5}", letter(outcomes[i].operands[0])));
    if (i < 4) lines[0] += fmt::format("  {}", letter(outcomes[i].operands[1]));
    lines.back() += fmt::format("  {}", outcomes[i].result);
  }
  return lines;
}

// Why operands of one and the same state are refused.
std::vector<std::string> refusals(const std::vector<StatesOutcome>& outcomes) {
  std::vector<std::string> lines;
  for (const StatesOutcome& outcome : outcomes) {
    std::string line = fmt::format("{}: {}", letter(outcome.operands[0]), outcome.refusal);
    if (!outcome.refusal.empty() && outcome.operands.front() == outcome.operands.back())
      lines.push_back(line);
  }
  return lines;
}

void print_states(const OpRow& row, const std::string& name) {
  const Example& example = shown_example(row);
  std::vector<std::string> lines{std::string(in_words(example.op->mixing()))};
  std::vector<StatesAlong> found = accepted_states(example);
  auto add = [&](const std::vector<std::string>& more) {
    lines.insert(lines.end(), more.begin(), more.end());
  };
  for (const StatesAlong& along : found) {
    std::string where = found.size() == 1 ? "along every axis" : "along " + names_of(along.axes);
    if (example.operands.size() > 2) where += ", all operands alike";
    std::vector<std::string> outcomes = outcome_lines(along.outcomes);
    if (outcomes.size() == 1) outcomes[0] = fmt::format("{}: {}", where, outcomes[0]);
    else outcomes.insert(outcomes.begin(), where + ":");
    add(outcomes);
    add(refusals(along.outcomes));
  }
  if (!equal_value_text(name).empty())
    lines.emplace_back("I and R: counts an equal value once per device; n * x in all");
  print_labelled("states", lines);
}

/// "of the example: 4 groups of 2 devices; a device sends at least 24 B and receives 24 B".
std::string traffic_text(const Example& given) {
  const Example example = from_the_start(given);
  const Axes axes = example.op->communicates();
  const Traffic traffic = example.op->traffic(types_of(example));
  const auto* pairs = std::get_if<Pairs>(&traffic.peers);
  const auto* groups = std::get_if<Groups>(&traffic.peers);
  const std::int64_t lines = example_mesh().devices() / joint_size(axes);  // of devices along the axes
  const std::string peers =
      pairs
          ? counted(std::ssize(*pairs), "pair")
          : fmt::format("{} of {}", counted(lines * std::max<std::int64_t>(1, std::ssize(*groups)), "group"),
                        counted(group_size(*groups, axes), "device"));
  return fmt::format("of the example: {}; a device sends {} {} and receives {}", peers,
                     traffic.depends_on_values ? "at most" : "at least", in_bytes(traffic.sent),
                     in_bytes(traffic.received));
}

void print_rules(const OpRow& row) {
  Axes peers = shown_example(row).op->communicates();
  print_labelled("communicates", {peers.empty() ? "no" : "over its axes"});
  if (!peers.empty()) print_labelled("traffic", {traffic_text(shown_example(row))});
  for (const RuleCell& cell : refusable_rule_cells(row)) {
    std::string text(cell.state == "rule"      ? "has a rule"
                     : cell.state == "refused" ? "refused"
                                               : "refused for some");
    if (!cell.reason.empty()) text += fmt::format(": {}", cell.reason);
    else if (cell.rule == name(Rule::lower)) text = joined(lowered(shown_example(row)), "to nothing");
    print_labelled(cell.rule, {text});
  }
  const RuleCell reading = reading_cell(row);
  print_labelled(reading.rule, {reading.reason.empty() ? "as " + row.name : reading.reason});
}

void print_run(const ShownRun& run) {
  if (const auto* refused = std::get_if<NotRun>(&run.outcome)) {
    fmt::print("\nnot run on {}\n{}\n", run.machine, wrapped("  " + refused->why, 2));
    return;
  }
  fmt::print("\nrun on {}\n", run.machine);
  std::string last;
  std::size_t positions = 0, left = 0;
  auto end_variable = [&] {
    if (left > 0) fmt::print("       .. and {} more devices\n", left);
    positions = left = 0;
  };
  for (const ShownValue& value : std::get<std::vector<ShownValue>>(run.outcome)) {
    bool is_new = value.variable != last;
    if (is_new) end_variable();
    last = value.variable;
    if (++positions > shown_positions) ++left;
    else
      fmt::print("{}\n",
                 wrapped(fmt::format("  {:<4} {:<11} {}", is_new ? value.variable : "",
                                     value.position.empty() ? "all devices" : value.position, value.value),
                         19));
  }
  end_variable();
}

/// The declarations that users call an op by: its own name's, or those of its front ends, "x + y" among them.
Declarations declared_of(const OpRow& row) {
  Declarations found = declared(row.name);
  if (!found.empty()) return found;
  for (const std::string& front_end : front_ends(row)) {
    std::string name = front_end;
    if (front_end.ends_with(" y")) name = "operator" + front_end.substr(2, front_end.size() - 4);  // x + y
    else if (front_end == "-x" || front_end == "~x") name = "operator" + front_end.substr(0, 1);
    for (const Declaration* declaration : declared(name))
      if (declaration->text.find("Operand&") != std::string::npos) found.push_back(declaration);
  }
  return found;
}

// A page about a pmean, say, shows the op and not what is wrong with a psum.
void print_equal_value(const std::string& name) {
  if (const std::string text = equal_value_text(name); !text.empty())
    print_program("of a value that is equal on all devices", text);
}

void print_text(const OpRow& row, const ShownRun& run, const std::string& name) {
  const Example& example = shown_example(row);
  fmt::print("{}\n  {}\n\n", row.name, example.op->about().summary);
  if (name == row.name) print_declared(declared_of(row));
  print_labelled("front ends", {joined(front_ends(row), "none: recorded by rules and transforms")});
  if (auto names = family(row); !names.empty()) print_labelled("family", {joined(names, "")});
  print_labelled("shapes", first_of(shapes(row), shown_shapes));
  print_labelled("dtypes", {joined(dtypes(row), "none: it has no operands")});
  print_states(row, name);
  print_rules(row);
  print_program("example", program_text(example));
  print_run(run);
  print_program("forward derivative", jvp_text(example));
  print_program("gradient", gradient_text(example));
  for (const auto& [axis, text] : batched_texts(example)) print_program("batched over " + axis, text);
  print_equal_value(name);
  print_beside_jax(name);
}

nlohmann::ordered_json as_json(const OpRow& row, const ShownRun& run, const std::string& name) {
  using Json = nlohmann::ordered_json;
  const Example& example = shown_example(row);
  Json states = Json::array(), rules, values_run = Json::array(), batched = Json::array();
  for (const StatesAlong& along : accepted_states(example))
    for (const StatesOutcome& outcome : along.outcomes) {
      std::string operands;
      for (State state : outcome.operands) operands += letter(state);
      states.push_back({{"axes", names_of(along.axes)},
                        {"operands", operands},
                        {"result", outcome.result},
                        {"refusal", outcome.refusal}});
    }
  for (const RuleCell& cell : rule_cells(row))
    rules[std::string(cell.rule)] = {{"state", cell.state}, {"reason", cell.reason}};
  if (const auto* values = std::get_if<std::vector<ShownValue>>(&run.outcome))
    for (const ShownValue& value : *values)
      values_run.push_back(
          {{"variable", value.variable}, {"position", value.position}, {"value", value.value}});
  for (const auto& [axis, text] : batched_texts(example))
    batched.push_back({{"over", axis}, {"program", text}});
  return {{"op", row.name},
          {"summary", example.op->about().summary},
          {"front_ends", front_ends(row)},
          {"family", family(row)},
          {"shapes", shapes(row)},
          {"dtypes", dtypes(row)},
          {"mixing", in_words(example.op->mixing())},
          {"states", states},
          {"communicates", !example.op->communicates().empty()},
          {"traffic", example.op->communicates().empty() ? "" : traffic_text(example)},
          {"rules", rules},
          {"lowered",
           example.op->refusal(Rule::lower).empty() ? lowered(example) : std::vector<std::string>{}},
          {"example", program_text(example)},
          {"machine", run.machine},
          {"values", values_run},
          {"not_run", std::holds_alternative<NotRun>(run.outcome) ? std::get<NotRun>(run.outcome).why : ""},
          {"forward_derivative", jvp_text(example)},
          {"gradient", gradient_text(example)},
          {"batched", batched},
          {"of_equal_value", equal_value_text(name)},
          {"declarations", declarations_as_json(name == row.name ? declared_of(row) : declared(name))},
          {"jax", jax_as_json(name)}};
}

/// Runs the shown example where --machine says.
ShownRun run_example(const OpRow& row, const ExplainOptions& options) {
  const MachineChoice machine = machine_of(options.machine);
  require(!std::holds_alternative<MpiMachine>(machine), Code::usage,
          "--machine mpi: an example runs in one process; say local or xla");
  if (std::holds_alternative<LocalMachine>(machine))
    return run_locally(shown_example(row), options.trace);  // or its trace is refused
  require(options.page.empty(), Code::usage,
          "--page {}: it shows virtual devices; leave it out with --machine {}", options.page,
          options.machine);
  require(options.trace.empty(), Code::usage,
          "--trace {}: it records the workers of the local machine; leave it out with --machine {}",
          options.trace, options.machine);
  return run_on_xla(shown_example(row), std::get<XlaMachine>(machine).plugin);
}

}  // namespace

bool explain_op(const std::string& name, const ExplainOptions& options) {
  const std::vector<const OpRow*> rows = named_ops(name);
  if (rows.empty()) return false;
  const OpRow& row = *rows[0];
  const ShownRun run = run_example(row, options);
  if (!options.page.empty()) save_page(options.page, report_of(shown_example(row)), Where{});
  if (options.json) {
    fmt::print("{}\n", as_json(row, run, name).dump(2));
    return true;
  }
  if (row.name != name) {
    std::vector<std::string> names;
    for (const OpRow* recorded : rows) names.push_back(recorded->name);
    fmt::print("{} is a front end of {}{}.\n\n", name, fmt::join(names, " and "),
               names.size() > 1 ? "; this is " + names[0] : "");
    print_declared(declared(name));
  }
  print_text(row, run, name);
  return true;
}

}  // namespace tutti::cli
