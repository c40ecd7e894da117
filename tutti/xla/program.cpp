// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/program.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/run/results.hpp"
#include "tutti/stablehlo/write.hpp"
#include "tutti/xla/shards.hpp"

namespace tutti::xla {
namespace {

/// Per input: the output that may take its memory, if the caller gives the input away. The first that fits.
std::vector<std::optional<int>> outputs_in_place(const LocalProgram& local) {
  std::vector<std::optional<int>> aliases(local.input_types.size());
  for (std::size_t output = 0; output < local.output_types.size(); ++output)
    for (std::size_t input = 0; input < aliases.size(); ++input)
      if (!aliases[input] && are_handed_out_alike(local, input, output)) {
        aliases[input] = static_cast<int>(output);
        break;
      }
  return aliases;
}

Type without_states(Type type) { return {type.dtype(), type.shape()}; }

Source source_of(const LocalProgram& local, const std::vector<std::optional<int>>& aliases, const Mesh& mesh,
                 const XlaOptions& options) {
  const ReplicaOptions form{.precision = options.precision, .aliases = aliases};
  Source source{.text = stablehlo::write(lower_replicas(local.program, mesh, form), {.locations = true}),
                .overrides = {{"xla_allow_excess_precision", false}}};
  for (const Var input : local.program.inputs)
    source.parameters.push_back(without_states(local.program.type(input)));
  for (const Var output : local.program.outputs)
    source.results.push_back(without_states(local.program.type(output)));
  source.overrides.insert(source.overrides.end(), options.compiler_options.begin(),
                          options.compiler_options.end());
  return source;
}

}  // namespace

/// What the arguments of one call need until its end.
struct XlaProgram::BroughtIn {
  std::deque<Buffers> uploaded;                  // for this call alone
  std::vector<std::shared_ptr<Buffers>> copies;  // kept for later calls too
};

XlaProgram::XlaProgram(XlaBackend& machine, const Program& program, const CompileRequest& request)
    : machine_(machine),
      local_(localised(program, machine.mesh(), request.input_shardings)),
      aliases_(outputs_in_place(local_)),
      input_names_(request.input_names),
      compiled_(compiled(machine.client(), machine.devices(),
                         source_of(local_, aliases_, machine.mesh(), machine.options()),
                         machine.options().cache)) {}

void XlaProgram::check(const GlobalArrays& inputs) const {
  require(inputs.size() == local_.input_types.size(), Code::argument, "{} for a program of {}",
          counted(std::ssize(inputs), "argument"), local_.input_types.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    require(inputs[i] && inputs[i]->type() == local_.input_types[i], Code::argument,
            "argument {} is {}, the program takes {}", i, inputs[i] ? to_string(inputs[i]->type()) : "empty",
            to_string(local_.input_types[i]));
}

/// The buffers of an input. Copies it to the devices if it lies elsewhere or otherwise.
Argument XlaProgram::brought(std::size_t input, const std::shared_ptr<const GlobalArray>& array,
                             BroughtIn& held) try {
  const Sharding& sharding = local_.input_shardings[input];
  const bool is_given_away = is_owned_by(1, array);
  const Use use = is_given_away && aliases_[input] ? Use::give_away : Use::keep;
  if (Buffers* buffers = buffers_of(*array, *machine_.client(), *machine_.devices(), sharding))
    return {buffers, use};
  Uploads& uploads = machine_.uploads();
  if (!is_given_away)
    if (std::shared_ptr<Buffers> copy = uploads.find(array, sharding)) {
      held.copies.push_back(copy);
      return {copy.get(), Use::keep};
    }
  Buffers copy = machine_.upload(*array, sharding);
  copied_bytes_ += copy.bytes();
  copied_by_last_call_.push_back({input, copy.bytes(), array->remote() != nullptr});
  if (is_given_away) return {&held.uploaded.emplace_back(std::move(copy)), use};
  auto kept = std::make_shared<Buffers>(std::move(copy));
  uploads.keep(array, sharding, kept);
  held.copies.push_back(kept);
  return {kept.get(), Use::keep};
} catch (const Error& error) {
  throw error.at({}, input_names_[input]);
}

GlobalArrays XlaProgram::run(GlobalArrays inputs, const Where& where) {
  const std::scoped_lock locked(machine_.turn());
  check(inputs);
  machine_.uploads().drop_dead();
  ++calls_;
  copied_by_last_call_.clear();
  BroughtIn held;
  std::vector<Argument> arguments;
  arguments.reserve(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) arguments.push_back(brought(i, inputs[i], held));
  std::vector<Buffers> buffers = compiled_.executable.run(arguments);
  GlobalArrays results;
  results.reserve(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i)
    results.push_back(
        array_of(local_.output_types[i], local_.output_shardings[i], std::move(buffers[i]), where));
  return results;
}

std::string XlaProgram::explain() const {
  const std::scoped_lock locked(machine_.turn());
  return "";
}

}  // namespace tutti::xla
