// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "tutti/base/require.hpp"
#include "tutti/cli/ops/named_function.hpp"
#include "tutti/cli/ops/named_op.hpp"
#include "tutti/cli/ops/op_facts.hpp"
#include "tutti/cli/ops/rule_cells.hpp"
#include "tutti/cli/words/machine.hpp"
#include "tutti/cli/words/options.hpp"

namespace tutti::cli {
namespace {

constexpr std::size_t line_length = 100, label_width = 14;
constexpr std::size_t shown_lines = 20, shown_shapes = 4, shown_positions = 4;

std::string_view in_words(Mixing mixing) {
  switch (mixing) {
    case Mixing::linear: return "linear: operands agree, joining I < R < V; U only beside U";
    case Mixing::bilinear: return "bilinear: as linear, and U beside R gives U, I beside U becomes R";
    case Mixing::alike: return "alike: operands agree, joining I < R < V; U is refused";
    case Mixing::own: return "own: the op says itself what it takes";
  }
  return {};
}

// Broken at spaces; what goes on begins at `indent`.
std::string wrapped(std::string_view line, std::size_t indent) {
  std::string text;
  std::size_t room = line_length;
  while (line.size() > room) {
    std::size_t at = line.rfind(' ', room);
    if (at == line.npos || line.find_first_not_of(' ') > at) break;
    text += fmt::format("{}\n{:{}}", line.substr(0, at), "", indent);
    line.remove_prefix(at + 1);
    room = line_length - indent;
  }
  return text + std::string(line);
}

// One line with its label, or more below each other.
void print_labelled(std::string_view label, const std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i)
    fmt::print("{}\n",
               wrapped(fmt::format("{:<{}}{}", i == 0 ? label : "", label_width, lines[i]), label_width));
}

// The first lines of a program, or of what is said in its place.
void print_program(std::string_view title, std::string_view program) {
  fmt::print("\n{}\n", title);
  std::size_t lines = 0, left = 0;
  for (std::size_t begin = 0, end; begin < program.size(); begin = end + 1) {
    end = std::min(program.find('\n', begin), program.size());
    if (++lines > shown_lines) ++left;
    else fmt::print("{}\n", wrapped(fmt::format("  {}", program.substr(begin, end - begin)), 6));
  }
  if (left > 0) fmt::print("  .. and {} more lines (--json has them)\n", left);
}

std::vector<std::string> first_of(std::vector<std::string> lines, std::size_t n) {
  if (lines.size() <= n) return lines;
  std::string rest = fmt::format(".. and {} more", lines.size() - n);
  lines.resize(n);
  lines.push_back(rest);
  return lines;
}

std::string joined(const std::vector<std::string>& names, std::string_view none) {
  return names.empty() ? std::string(none) : fmt::format("{}", fmt::join(names, ", "));
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

// Why operands are refused that are all alike.
std::vector<std::string> refusals(const std::vector<StatesOutcome>& outcomes) {
  std::vector<std::string> lines;
  for (const StatesOutcome& outcome : outcomes) {
    std::string line = fmt::format("{}: {}", letter(outcome.operands[0]), outcome.refusal);
    if (!outcome.refusal.empty() && outcome.operands.front() == outcome.operands.back())
      lines.push_back(line);
  }
  return lines;
}

void print_states(const OpRow& row) {
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
  print_labelled("states", lines);
}

void print_rules(const OpRow& row) {
  Axes peers = shown_example(row).op->communicates();
  print_labelled("communicates", {peers.empty() ? "no" : "over its axes"});
  for (const RuleCell& cell : refusable_rule_cells(row)) {
    std::string text(cell.state == "rule"      ? "has a rule"
                     : cell.state == "refused" ? "refused"
                                               : "refused for some");
    if (!cell.reason.empty()) text += fmt::format(": {}", cell.reason);
    else if (cell.rule == name(Rule::lower)) text = joined(lowered(shown_example(row)), "to nothing");
    print_labelled(cell.rule, {text});
  }
}

void print_run(const ShownRun& run) {
  fmt::print("\nrun on {}\n", run.machine);
  std::string last;
  std::size_t positions = 0, left = 0;
  auto end_variable = [&] {
    if (left > 0) fmt::print("       .. and {} more devices\n", left);
    positions = left = 0;
  };
  for (const ShownValue& value : run.values) {
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

void print_text(const OpRow& row, const ShownRun& run) {
  const Example& example = shown_example(row);
  fmt::print("{}\n  {}\n\n", row.name, example.op->about().summary);
  print_labelled("front ends", {joined(front_ends(row), "none: recorded by rules and transforms")});
  if (auto names = family(row); !names.empty()) print_labelled("family", {joined(names, "")});
  print_labelled("shapes", first_of(shapes(row), shown_shapes));
  print_labelled("dtypes", {joined(dtypes(row), "none: it has no operands")});
  print_states(row);
  print_rules(row);
  print_program("example", program_text(example));
  print_run(run);
  print_program("forward derivative", jvp_text(example));
  print_program("gradient", gradient_text(example));
  for (const auto& [axis, text] : batched_texts(example)) print_program("batched over " + axis, text);
}

nlohmann::ordered_json as_json(const OpRow& row, const ShownRun& run) {
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
  for (const ShownValue& value : run.values)
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
          {"rules", rules},
          {"lowered",
           example.op->refusal(Rule::lower).empty() ? lowered(example) : std::vector<std::string>{}},
          {"example", program_text(example)},
          {"machine", run.machine},
          {"values", values_run},
          {"forward_derivative", jvp_text(example)},
          {"gradient", gradient_text(example)},
          {"batched", batched}};
}

/// A function of which no op knows.
struct PlainFunction {
  std::string_view name, summary;
};
constexpr PlainFunction plain_functions[] = {
    {"axis_size",
     "The number of devices along the axes, known when the program is traced: a C++ int. It records no op."},
};

/// jax.lax's name for what has another form here.
struct OtherForm {
  std::string_view name, here, op;
};
constexpr OtherForm other_forms[] = {
    {"all_gather_invariant", "all_gather(x, axes, {.to = invariant})", "all_gather"},
    {"all_gather_reduced", "all_gather(x, axes, {.to = reduced})", "all_gather"},
    {"preduced", "pcast(x, axes, reduced)", "cast"},
    {"pvary", "pcast(x, axes, varying)", "cast"},
    {"reduced_vary_cast", "pcast(x, axes, varying)", "cast"},
    {"unreduced_psum", "psum(x, axes)", "all_reduce"},
    {"unreduced_psum_scatter", "psum_scatter(x, axes)", "reduce_scatter"},
    {"vary_unreduced_cast", "pcast(x, axes, unreduced)", "cast"},
};

int explain_plain(const PlainFunction& function, bool as_json) {
  nlohmann::ordered_json text{{"function", function.name}, {"summary", function.summary}};
  if (as_json) fmt::print("{}\n", text.dump(2));
  else fmt::print("{}\n  {}\n", function.name, function.summary);
  return 0;
}

/// Prints what a function made of ops records.
int explain_function(const FunctionRow& row, bool as_json) {
  const Program program = program_of(row);
  const std::vector<std::string> ops = ops_of(program);
  if (as_json) {
    const nlohmann::ordered_json text{{"function", row.name},
                                      {"source", row.source},
                                      {"call", row.call},
                                      {"made_of", ops},
                                      {"example", to_string(program)}};
    fmt::print("{}\n", text.dump(2));
    return 0;
  }
  const bool is_transform =
      std::ranges::find(all_transforms(), row.name, &FunctionRow::name) != all_transforms().end();
  fmt::print("{}\n  {}; it follows {}.\n\n", row.name,
             is_transform ? "A transform, shown on a function" : "A function made of ops", row.source);
  print_labelled("call", {std::string(row.call)});
  print_labelled("made of", {joined(ops, "nothing: the operand itself")});
  print_program("example", to_string(program));
  return 0;
}

/// Runs the shown example where --machine says.
ShownRun run_example(const OpRow& row, const ExplainOptions& options) {
  const std::optional<std::string> plugin = plugin_of_machine(options.machine);
  if (!plugin) return run_locally(shown_example(row), options.trace);  // or its trace is refused
  require(options.trace.empty(), Code::usage,
          "--trace {}: it records the workers of the local machine; leave it out with --machine {}",
          options.trace, options.machine);
  return run_on_xla(shown_example(row), *plugin);
}

}  // namespace

int explain(const ExplainOptions& options) {
  if (const auto* plain = std::ranges::find(plain_functions, options.name, &PlainFunction::name);
      plain != std::end(plain_functions))
    return explain_plain(*plain, options.json);
  const auto names_an_op = [&](const OpRow& row) { return row.name == options.name; };
  if (const FunctionRow* function = named_function(options.name);
      function && std::ranges::none_of(all_ops(), names_an_op))
    return explain_function(*function, options.json);
  const auto* form = std::ranges::find(other_forms, options.name, &OtherForm::name);
  const bool has_other_form = form != std::end(other_forms);
  std::vector<const OpRow*> rows = named_ops(has_other_form ? std::string(form->op) : options.name);
  const OpRow& row = *rows[0];
  const ShownRun run = run_example(row, options);
  if (options.json) {
    fmt::print("{}\n", as_json(row, run).dump(2));
    return 0;
  }
  if (has_other_form) {
    fmt::print("{} of jax.lax is {} here.\n\n", options.name, form->here);
  } else if (row.name != options.name) {
    std::vector<std::string> names;
    for (const OpRow* recorded : rows) names.push_back(recorded->name);
    fmt::print("{} is a front end of {}{}.\n\n", options.name, fmt::join(names, " and "),
               names.size() > 1 ? "; this is " + names[0] : "");
  }
  print_text(row, run);
  return 0;
}

}  // namespace tutti::cli
