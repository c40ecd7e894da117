// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "tutti/base/counted.hpp"
#include "tutti/cli/words/options.hpp"
#include "tutti/cli/words/words.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/collectives/assume_invariant.hpp"
#include "tutti/read/program/module_program.hpp"
#include "tutti/read/program/program_file.hpp"

namespace tutti::cli {
namespace {

/// A remark about a program without errors, which may not be meant so.
struct Warning {
  Where where;  // none: the whole file
  std::string message;
};

/// Everything that is wrong with one file.
struct Findings {
  std::string file;
  std::vector<Error> errors = {};
  std::vector<NotRun> not_run = {};   // legal, and not run here
  std::optional<Error> refused = {};  // the first one that only reading finds
  std::vector<Warning> warnings = {};
  bool has_main = true;
  std::size_t functions = 0, operations = 0, hints = 0;
  std::shared_ptr<const SourceModule> source = nullptr;
};

std::size_t operations_in(const stablehlo::Block& block) {
  std::size_t count = block.operations.size();
  for (const stablehlo::Operation& op : block.operations)
    for (const stablehlo::Block& region : op.regions) count += operations_in(region);
  return count;
}

/// Shardings of values inside of a program, which are hints.
std::size_t hints_in(const stablehlo::Block& block) {
  std::size_t count = 0;
  for (const stablehlo::Operation& op : block.operations) {
    count += op.name == "sdy.sharding_constraint" || op.name == "sdy.reshard" ? 1 : 0;
    for (const stablehlo::Block& region : op.regions) count += hints_in(region);
  }
  return count;
}

void add_warnings(const Program& program, std::vector<Warning>& warnings) {
  for (const Equation& equation : program.equations) {
    const auto* assumed = equation.op.as<AssumeInvariant>();
    if (assumed && joint_size(assumed->axes) > 1)
      warnings.push_back(
          {equation.where,
           fmt::format("a result varies along {}, but its sharding does not name it: the value of the "
                       "first device is taken; tutti run --check-assumptions compares all",
                       to_string(assumed->axes))});
    for (const SubProgram& inner : equation.op->programs()) add_warnings(*inner, warnings);
  }
}

Types types_of_parameters(const ModuleProgram& program) {
  Types types;
  for (const ModuleProgram::Parameter& each : program.parameters()) types.push_back(each.type);
  return types;
}

std::string warning_without_main(const stablehlo::Module& module) {
  if (module.functions.empty()) return "there is no function to run";
  return fmt::format("there is no function @main to run; tutti run --function {} runs another one",
                     shell_word(module.functions[0].name));
}

Findings findings_of(const std::string& path) {
  Findings found{.file = path};
  try {
    found.source = std::make_shared<const SourceModule>(text_of_program_file(path), path);
    found.errors = found.source->errors();
    for (const stablehlo::Function& function : found.source->module().functions) {
      ++found.functions;
      found.operations += operations_in(function.body);
      found.hints += hints_in(function.body);
    }
    const stablehlo::Function* main = found.source->function("main");
    if (!found.errors.empty()) return found;
    if (!main) {
      found.has_main = false;
      found.warnings.push_back({{}, warning_without_main(found.source->module())});
      return found;
    }
    found.not_run = operations_not_run(*found.source, *main);
    if (!found.not_run.empty()) return found;
    const ModuleProgram program(found.source, {});
    const auto traced =
        trace(types_of_parameters(program), [&](const Arrays& inputs) { return program(inputs); });
    add_warnings(traced.program, found.warnings);
  } catch (const Error& error) {
    if (error.code() == Code::unsupported) found.refused = error;
    else found.errors.push_back(error);
  }
  return found;
}

void print_text(const Findings& found) {
  for (const Error& error : found.errors)
    fmt::print(stderr, "tutti: error[{}]: {}\n", error.label(), error.what());
  for (const Warning& warning : found.warnings)
    fmt::print(stderr, "tutti: warning: {}: {}\n",
               warning.where.known() ? to_string(warning.where) : found.file, warning.message);
  for (const NotRun& each : found.not_run)
    fmt::print("{}: {}: {}, {}; not run here; instead: {}\n", found.file,
               to_string(found.source->place(each.first)), each.what, counted(each.count, "time"),
               each.instead);
  if (found.refused) {
    std::string text = found.refused->what();
    text.insert(std::min(text.find('\n'), text.size()), "; not run here");
    fmt::print("{}\n", text);
  }
  const bool is_run = found.not_run.empty() && !found.refused;
  if (found.errors.empty())
    fmt::print("{}: {}, {}: {}\n", found.file,
               counted(static_cast<std::int64_t>(found.functions), "function"),
               counted(static_cast<std::int64_t>(found.operations), "operation"),
               !found.has_main ? "legal; there is nothing to run"
               : is_run        ? "right"
                               : "legal; it is not run here");
  if (found.errors.empty() && found.hints > 0)
    fmt::print("{}: {} to the compiler, not followed here\n", found.file,
               counted(static_cast<std::int64_t>(found.hints), "sharding is a hint", "shardings are hints"));
}

nlohmann::ordered_json as_json(const Findings& found) {
  nlohmann::ordered_json errors = nlohmann::ordered_json::array(), not_run = errors;
  for (const Error& error : found.errors)
    errors.push_back({{"code", error.label()},
                      {"file", error.where().file ? error.where().file : found.file.c_str()},
                      {"line", error.where().line},
                      {"column", error.where().column},
                      {"message", error.message()},
                      {"notes", error.notes()}});
  nlohmann::ordered_json warnings = nlohmann::ordered_json::array();
  for (const Warning& warning : found.warnings)
    warnings.push_back({{"file", warning.where.file ? warning.where.file : found.file.c_str()},
                        {"line", warning.where.line},
                        {"column", warning.where.column},
                        {"message", warning.message}});
  for (const NotRun& each : found.not_run)
    not_run.push_back({{"what", each.what},
                       {"count", each.count},
                       {"first", to_string(found.source->place(each.first))},
                       {"instead", each.instead}});
  if (found.refused)
    not_run.push_back({{"what", found.refused->message()},
                       {"count", 1},
                       {"first", to_string(found.refused->where())},
                       {"instead", ""}});
  return {{"file", found.file},
          {"functions", found.functions},
          {"operations", found.operations},
          {"hints", found.hints},
          {"errors", errors},
          {"warnings", warnings},
          {"not_run", not_run}};
}

}  // namespace

int check(const CheckArguments& arguments) {
  int status = 0;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const std::string& file : arguments.files) {
    const Findings found = findings_of(file);
    if (status == 0 && !found.errors.empty()) status = found.errors[0].exit_status();
    if (arguments.json) all.push_back(as_json(found));
    else print_text(found);
  }
  if (arguments.json) fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  return status;
}

}  // namespace tutti::cli
