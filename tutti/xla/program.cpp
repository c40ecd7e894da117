// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <numeric>
#include <utility>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/run/inside_call.hpp"
#include "tutti/run/results.hpp"
#include "tutti/run/watch/program_report.hpp"
#include "tutti/stablehlo/write/write.hpp"
#include "tutti/xla/plan_of.hpp"
#include "tutti/xla/shards.hpp"

namespace tutti::xla {
namespace {

/// Per input: the output that reuses its memory if the caller donates it. The first one with equal type and
/// sharding.
std::vector<std::optional<int>> outputs_in_place(const LocalProgram& local) {
  std::vector<std::optional<int>> aliases(local.input_types.size());
  std::vector<std::size_t> free(aliases.size());
  std::iota(free.begin(), free.end(), 0);
  for (std::size_t output = 0; output < local.output_types.size(); ++output) {
    const auto input =
        std::ranges::find_if(free, [&](std::size_t i) { return are_handed_out_alike(local, i, output); });
    if (input == free.end()) continue;
    aliases[*input] = static_cast<int>(output);
    free.erase(input);
  }
  return aliases;
}

Type without_states(Type type) { return {type.dtype(), type.shape()}; }

/// True if XLA can call back while it runs a program of this machine: on CPUs.
bool calls_back(const XlaBackend& machine) {
  const Client& client = *machine.client();
  return client.platform() == "cpu" && can_call_back(client.plugin(), call_back_target);
}

/// `call_backs` takes the equations with an effect. Null: they are refused.
Source source_of(const LocalProgram& local, const std::vector<std::optional<int>>& aliases,
                 const XlaBackend& machine, CallBacks* call_backs) {
  const XlaOptions& options = machine.options();
  const ReplicaOptions form{.precision = options.precision, .aliases = aliases, .call_backs = call_backs};
  Source source{.text = stablehlo::write(lower_replicas(local.program, machine.mesh(), form),
                                         {.locations = true}),
                .overrides = exact_numbers(machine.client()->platform())};
  for (const Var input : local.program.inputs)
    source.parameters.push_back(without_states(local.program.type(input)));
  for (const Var output : local.program.outputs)
    source.results.push_back(without_states(local.program.type(output)));
  source.overrides.insert(source.overrides.end(), options.compiler_options.begin(),
                          options.compiler_options.end());
  return source;
}

/// True if `text` has `part` as a whole: no letter or digit continues it on either side.
bool has_word(const std::string& text, const std::string& part) {
  const auto continues = [&](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_' || text[at] == '/');
  };
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    if (!(at > 0 && continues(at - 1)) && !continues(at + part.size())) return true;
  return false;
}

/// True if a message of XLA names this line: "train.cpp:12:3: error", or the metadata of HLO does.
bool names(const std::string& message, const Where& where) {
  return where.known() &&
         (has_word(message, fmt::format("{}:{}", where.file, where.line)) ||
          has_word(message, fmt::format("source_file=\"{}\" source_line={}", where.file, where.line)));
}

/// Finds the equation, also in sub-programs, whose line a message of XLA names. Null if there is none.
const Equation* named_by(const std::string& message, const Program& program) {
  for (const Equation& equation : program.equations) {
    for (const SubProgram& inside : equation.op->programs())
      if (const Equation* named = named_by(message, *inside)) return named;
    if (names(message, equation.where)) return &equation;
  }
  return nullptr;
}

}  // namespace

XlaProgram::XlaProgram(XlaBackend& machine, const Program& program, const CompileRequest& request)
    : machine_(machine),
      name_(fmt::format("program {}", machine.trace()->next_program())),
      input_names_(request.input_names) {
  const auto start = std::chrono::steady_clock::now();
  local_ = localised(program, machine.mesh(), request.input_shardings);
  aliases_ = outputs_in_place(local_);
  CallBacks calls;
  const bool calls_us = has_effects(local_.program) && calls_back(machine);
  const Source source = source_of(local_, aliases_, machine, calls_us ? &calls : nullptr);
  if (!calls.empty()) effects_ = std::make_unique<Effects>(calls, machine.mesh());
  prepared_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  try {
    machine.trace()->record({name_, "compile", request.where}, [&] {
      compiled_ = compiled(machine.client(), machine.devices(), source, machine.options().cache);
    });
  } catch (const Error& error) {
    std::string text = error.message();
    for (const std::string& note : error.notes()) text += "\n" + note;
    if (const Equation* named = named_by(text, local_.program))
      throw error.at(named->where, named->op->name());
    throw;
  }
}

/// Returns the buffers of an input. Uploads the array unless it is on these devices with the right sharding.
Argument XlaProgram::brought(std::size_t input, const std::shared_ptr<const GlobalArray>& array,
                             std::vector<std::shared_ptr<Buffers>>& held, const Where& where) try {
  const Sharding& sharding = local_.input_shardings[input];
  const bool is_given_away = is_owned_by(1, array);
  const Use use = is_given_away && aliases_[input] ? Use::give_away : Use::keep;
  if (Buffers* buffers = buffers_of(*array, *machine_.client(), *machine_.devices(), sharding))
    return {buffers, use};
  Uploads& uploads = machine_.uploads();
  const std::shared_ptr<Buffers> known = uploads.find(array, sharding);
  if (is_given_away) uploads.forget(array);
  if (known) {
    held.push_back(known);
    return {known.get(), use};
  }
  Buffers copy = machine_.upload(*array, sharding, input_names_[input], where);
  copies_.bytes += copy.bytes();
  copies_.by_last_call.push_back(
      {input_names_[input], copy.bytes(), sharding, array->remote() ? " through the host" : ""});
  held.push_back(std::make_shared<Buffers>(std::move(copy)));
  if (!is_given_away) uploads.keep(array, sharding, held.back());
  return {held.back().get(), use};
} catch (const Error& error) {
  throw error.at({}, input_names_[input]);
}

/// Runs the program. If a device has no room, frees the kept copies of host arrays and tries once more,
/// unless the arguments can be given away only once.
std::vector<Buffers> XlaProgram::called(const std::vector<Argument>& arguments) {
  try {
    return launched(arguments);
  } catch (const Error& error) {
    if (error.code() != Code::memory) throw;
    const bool frees_memory = machine_.uploads().drop_all();
    const bool gives_away = std::ranges::any_of(arguments, [](const Argument& argument) {
      return argument.use == Use::give_away;
    });
    if (!frees_memory || gives_away) throw;
  }
  return launched(arguments);
}

std::vector<Buffers> XlaProgram::launched(const std::vector<Argument>& arguments) {
  if (!effects_) return compiled_->executable.run(arguments);
  const CallHandler handler = [this](const CallOperands& call) { effects_->run(call); };
  return compiled_->executable.run(arguments, &handler);
}

/// Hands out the lines of a call. Throws the failure of a check.
void XlaProgram::hand_out(const CallLog::Contents& said) const {
  const auto& print = machine_.options().print;
  for (const std::string& line : said.lines) print ? print(line) : print_to_standard_output(line);
  if (said.failure) throw Error(*said.failure);
}

// The lines of calls come in the order of the calls. The user's function for lines may call other programs of
// the machine, whose turn has come back by then. Such a nested call waits for nobody's lines, or two threads
// could wait for each other.
GlobalArrays XlaProgram::run(GlobalArrays inputs, const Where& where) {
  std::unique_lock order(lines_lock_, std::defer_lock);
  if (effects_ && !InsideCall::is_nested()) order.lock();
  CallLog::Contents said;
  GlobalArrays results;
  try {
    results = run_in_turn(std::move(inputs), where, said);
  } catch (...) {
    hand_out(said);
    throw;
  }
  hand_out(said);
  return results;
}

GlobalArrays XlaProgram::run_in_turn(GlobalArrays inputs, const Where& where, CallLog::Contents& said) {
  const std::scoped_lock locked(machine_.turn());
  require_types(inputs, local_.input_types);
  machine_.uploads().drop_dead();
  ++copies_.calls;
  copies_.by_last_call.clear();
  std::vector<std::shared_ptr<Buffers>> held;  // the copies of arguments that this call reads
  std::vector<Argument> arguments;
  arguments.reserve(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) arguments.push_back(brought(i, inputs[i], held, where));
  std::vector<Buffers> buffers;
  try {
    machine_.trace()->record({name_, "call", where}, [&] { buffers = called(arguments); });
  } catch (...) {
    if (effects_) said = effects_->take();
    throw;
  }
  if (effects_) said = effects_->take();
  GlobalArrays results;
  results.reserve(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i)
    results.push_back(array_of(local_.output_types[i], local_.output_shardings[i], std::move(buffers[i]),
                               {"call", where}, machine_.trace()));
  return results;
}

void XlaProgram::add_to(Report& report) const {
  const std::scoped_lock locked(machine_.turn());
  machine_.uploads().drop_dead();
  Report::XlaPlan plan = plan_of(*compiled_);
  plan.machine = machine_.description() + ", " + machine_.client()->plugin().description();
  plan.prepare = prepared_ * 1e9;
  plan.copies = copies_;
  plan.kept_copies = machine_.uploads().bytes();
  report.outcome = std::move(plan);
  add_shardings(report, local_);
}

}  // namespace tutti::xla
