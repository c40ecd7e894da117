// SPDX-License-Identifier: Apache-2.0
#include "tutti/read/program/module_program.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/base/similar_names.hpp"
#include "tutti/read/maps/mesh.hpp"
#include "tutti/read/reading.hpp"
#include "tutti/stablehlo/attribute_text.hpp"

namespace tutti {
namespace {

const std::string* text_in(const stablehlo::Attributes& attributes, std::string_view name) {
  const stablehlo::Attribute* attribute = find(attributes, name);
  return attribute ? std::get_if<std::string>(&attribute->value) : nullptr;
}

/// The sharding that an argument or result states, on the mesh of the program.
std::optional<Sharding> sharding_in(const stablehlo::Attributes& attributes, const Mesh& mesh, int rank) {
  const stablehlo::Attribute* attribute = find(attributes, "sdy.sharding");
  const auto* sharding = attribute ? std::get_if<stablehlo::ValueSharding>(&attribute->value) : nullptr;
  if (!sharding || mesh.axes().empty()) return std::nullopt;
  return sharding_on(mesh, *sharding, rank, mesh.axes());
}

std::int64_t count_in(const SourceModule& source, std::string_view name) {
  const stablehlo::Attribute* attribute = find(source.module().attributes, name);
  const auto* count = attribute ? std::get_if<stablehlo::Integer>(&attribute->value) : nullptr;
  return count ? count->value : 1;
}

bool communicates(const stablehlo::Block& block) {
  static constexpr std::string_view names[] = {"all_reduce",     "all_gather",         "all_to_all",
                                               "reduce_scatter", "collective_permute", "collective_broadcast",
                                               "partition_id"};
  return std::ranges::any_of(block.operations, [](const stablehlo::Operation& op) {
    if (op.name == "sdy.manual_computation") return false;
    const bool is_between_devices = std::ranges::any_of(names, [&](std::string_view name) {
      return op.name == fmt::format("stablehlo.{}", name);
    });
    return is_between_devices || std::ranges::any_of(op.regions, communicates);
  });
}

/// The mesh of a module: the one that it declares; else that of the caller; else one device.
Mesh mesh_of_module(const SourceModule& source, const ProgramOptions& options) {
  const std::optional<Mesh> declared = largest_mesh(source);
  const std::int64_t devices =
      count_in(source, "mhlo.num_partitions") * count_in(source, "mhlo.num_replicas");
  if (declared && !declared->axes().empty()) {
    require(devices == 1 || devices == declared->devices(), Code::mesh,
            "the mesh {} has {} devices, but mhlo.num_partitions says {}", to_string(*declared),
            declared->devices(), devices);
    return *declared;
  }
  return options.mesh.value_or(Mesh());
}

const stablehlo::Function& function_named(const SourceModule& source, const std::string& name) {
  if (const stablehlo::Function* function = source.function(name)) return *function;
  std::vector<std::string> names;
  for (const stablehlo::Function& each : source.module().functions) names.push_back(each.name);
  const std::vector<std::string> similar = similar_names(name, names);
  fail(Code::usage, "{} has no function {}{}", source.name(), stablehlo::symbol(name),
       similar.empty() ? "" : fmt::format("; is it {}?", stablehlo::symbol(similar[0])));
}

/// The name that loc("x") gives an argument.
std::string name_of_argument(const stablehlo::Function& function, std::size_t i) {
  const auto& places = function.argument_locations.list;
  if (i < places.size() && places[i].tree)
    if (const auto* named = std::get_if<stablehlo::NamedLocation>(&places[i].tree->value)) return named->name;
  return fmt::format("arg{}", i);
}

template <class Items>
const stablehlo::Attributes& attributes_at(const Items& items, std::size_t i) {
  static const stablehlo::Attributes none;
  return i < items.size() ? items[i] : none;
}

}  // namespace

void internal::require_no_errors(const SourceModule& source) {
  const std::vector<Error>& errors = source.errors();
  if (errors.empty()) return;
  std::vector<std::string> notes = errors[0].notes();
  for (std::size_t i = 1; i < errors.size(); ++i) notes.emplace_back(errors[i].what());
  throw Error(errors[0].code(), errors[0].where(), errors[0].message(), std::move(notes));
}

ModuleProgram::ModuleProgram(std::shared_ptr<const SourceModule> source, const ProgramOptions& options)
    : source_(std::move(source)) {
  require_no_errors(*source_);
  function_ = &function_named(*source_, options.function);
  mesh_ = mesh_of_module(*source_, options);
  require_all_run(*source_, *function_);
  if (mesh_.axes().empty() && communicates(function_->body))
    throw source_->error_at(function_->at, Code::mesh,
                            "the program of one device communicates, but the text declares no mesh",
                            {"lower a function that shard_map maps over a mesh"});
  for (std::size_t i = 0; i < function_->body.argument_types.size(); ++i) {
    const Type type = type_of(function_->body.argument_types[i]);
    parameters_.push_back(
        {name_of_argument(*function_, i), type,
         sharding_in(attributes_at(function_->argument_attributes, i), mesh_, type.rank())});
  }
  for (std::size_t i = 0; i < function_->result_types.size(); ++i) {
    const Type type = type_of(function_->result_types[i]);
    const stablehlo::Attributes& attributes = attributes_at(function_->result_attributes, i);
    const std::string* name = text_in(attributes, "jax.result_info");
    results_.push_back({name && !name->empty() ? *name : fmt::format("result{}", i), type,
                        sharding_in(attributes, mesh_, type.rank())});
  }
}

Arrays ModuleProgram::operator()(const Arrays& arguments) const {
  require(arguments.size() == parameters_.size(), Code::argument, "{} for {}, which takes {}",
          counted(std::ssize(arguments), "argument"), stablehlo::symbol(function_->name), parameters_.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Type found = arguments[i].type(), wanted = parameters_[i].type;
    require(found.shape() == wanted.shape() && found.dtype() == wanted.dtype(), Code::argument,
            "argument {} ({}) is {}, the program takes {}", i, parameters_[i].name,
            to_string(Type(found.dtype(), found.shape())), to_string(wanted));
  }
  Reading::Budget budget;
  return Reading({*source_, mesh_}, budget).function(*function_, arguments);
}

}  // namespace tutti
