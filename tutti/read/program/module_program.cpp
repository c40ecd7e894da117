// SPDX-License-Identifier: Apache-2.0
#include "tutti/read/program/module_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tutti/base/counted.hpp"
#include "tutti/base/never_destroyed.hpp"
#include "tutti/base/require.hpp"
#include "tutti/base/similar_names.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/moves/enter.hpp"
#include "tutti/ops/moves/leave.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/read/maps/mesh.hpp"
#include "tutti/read/reading.hpp"
#include "tutti/stablehlo/attribute_text.hpp"

namespace tutti {
namespace {

const std::string* text_in(const stablehlo::Attributes& attributes, std::string_view name) {
  return find_as<std::string>(attributes, name);
}

/// The sharding that an argument or result states, on the mesh of the program.
std::optional<Sharding> sharding_in(const stablehlo::Attributes& attributes, const Mesh& mesh, int rank) {
  const auto* sharding = find_as<stablehlo::ValueSharding>(attributes, "sdy.sharding");
  if (!sharding || mesh.axes().empty()) return std::nullopt;
  return sharding_on(mesh, *sharding, rank, mesh.axes());
}

std::int64_t count_in(const SourceModule& source, std::string_view name) {
  const auto* count = find_as<stablehlo::Integer>(source.module().attributes, name);
  return count ? count->value : 1;
}

/// True if the function, or one that it calls, has an operation for which `is_wanted` is true. Bodies of maps
/// are left out.
class Reach {
 public:
  Reach(const SourceModule& source, bool (*is_wanted)(std::string_view name))
      : source_(source), is_wanted_(is_wanted) {}

  bool from(const stablehlo::Function& function) {
    waiting_.push_back(&function);
    while (!waiting_.empty()) {
      const stablehlo::Function& next = *waiting_.back();
      waiting_.pop_back();
      if (seen_.insert(next.name).second && from(next.body)) return true;
    }
    return false;
  }

 private:
  bool from(const stablehlo::Block& block) {
    return std::ranges::any_of(block.operations, [&](const stablehlo::Operation& op) { return from(op); });
  }

  bool from(const stablehlo::Operation& op) {
    if (is_wanted_(op.name)) return true;
    if (op.name == "sdy.manual_computation") return false;
    for (const char* attribute : {"callee", "decomposition"}) {
      const stablehlo::Function* called = source_.called(op, attribute);
      if (called) waiting_.push_back(called);
    }
    return std::ranges::any_of(op.regions, [&](const stablehlo::Block& region) { return from(region); });
  }

  const SourceModule& source_;
  bool (*is_wanted_)(std::string_view name);
  std::set<std::string> seen_;
  std::vector<const stablehlo::Function*> waiting_;  // to be looked at
};

bool is_between_devices(std::string_view name) {
  static constexpr std::string_view names[] = {
      "stablehlo.all_reduce",     "stablehlo.all_gather",         "stablehlo.all_to_all",
      "stablehlo.reduce_scatter", "stablehlo.collective_permute", "stablehlo.collective_broadcast",
      "stablehlo.partition_id",   "stablehlo.replica_id"};
  return std::ranges::find(names, name) != std::end(names);
}

/// The mesh of a module: the one that it declares; else that of the caller; else of a program of one device a
/// line of all devices.
Mesh mesh_of_module(const SourceModule& source, const ProgramOptions& options, bool is_of_one_device) {
  const std::optional<Mesh> declared = largest_mesh(source);
  const std::int64_t devices =
      count_in(source, "mhlo.num_partitions") * count_in(source, "mhlo.num_replicas");
  if (declared && !declared->axes().empty()) {
    require(devices == 1 || devices == declared->devices(), Code::mesh,
            "the mesh {} has {} devices, but mhlo.num_partitions says {}", *declared, declared->devices(),
            devices);
    return *declared;
  }
  if (options.mesh) {
    require(devices == 1 || devices == options.mesh->devices(), Code::mesh,
            "the mesh {} has {} devices, but mhlo.num_partitions and mhlo.num_replicas say {}", *options.mesh,
            options.mesh->devices(), devices);
    return *options.mesh;
  }
  if (!is_of_one_device) return Mesh();
  require(devices >= 1 && devices <= Mesh::max_devices, Code::mesh,
          "mhlo.num_partitions and mhlo.num_replicas make {} devices; expected 1 to {}", devices,
          Mesh::max_devices);
  return Mesh({{"device", static_cast<int>(devices)}});
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
  static const NeverDestroyed<stablehlo::Attributes> none;
  return i < items.size() ? items[i] : *none;
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
  const auto is_map = [](std::string_view name) { return name == "sdy.manual_computation"; };
  is_of_one_device_ =
      !Reach(*source_, is_map).from(*function_) && Reach(*source_, is_between_devices).from(*function_);
  mesh_ = mesh_of_module(*source_, options, is_of_one_device_);
  platform_index_ = options.platform_index;
  require_all_run(*source_, *function_);
  for (std::size_t i = 0; i < function_->body.argument_types.size(); ++i) {
    const stablehlo::Attributes& attributes = attributes_at(function_->argument_attributes, i);
    const std::string* constant = text_in(attributes, "jax.global_constant");
    const Type type = type_of(function_->body.argument_types[i]);
    if (constant && *constant == "_platform_index" && type == Type(DType::i32, {})) {
      platform_ = i;
      continue;
    }
    parameters_.push_back({name_of_argument(*function_, i), with_devices(type),
                           is_of_one_device_ ? std::optional(sharding_of_devices(type.rank()))
                                             : sharding_in(attributes, mesh_, type.rank())});
  }
  for (std::size_t i = 0; i < function_->result_types.size(); ++i) {
    const Type type = type_of(function_->result_types[i]);
    const stablehlo::Attributes& attributes = attributes_at(function_->result_attributes, i);
    const std::string* name = text_in(attributes, "jax.result_info");
    results_.push_back({name && !name->empty() ? *name : fmt::format("result{}", i), with_devices(type),
                        is_of_one_device_ ? std::optional(sharding_of_devices(type.rank()))
                                          : sharding_in(attributes, mesh_, type.rank())});
  }
}

Arrays ModuleProgram::operator()(const Arrays& arguments) const {
  require(arguments.size() == parameters_.size(), Code::argument, "{} for {}, which takes {}",
          counted(std::ssize(arguments), "argument"), stablehlo::symbol(function_->name), parameters_.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Type found = arguments[i].type(), wanted = parameters_[i].type;
    require(found.shape() == wanted.shape() && found.dtype() == wanted.dtype(), Code::argument,
            "argument {} ({}) is {}, the program takes {}", i, parameters_[i].name,
            Type(found.dtype(), found.shape()), wanted);
  }
  return is_of_one_device_ ? on_each_device(arguments) : computed(arguments, {});
}

Arrays ModuleProgram::computed(Arrays arguments, const Axes& bound) const {
  if (platform_)
    arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(*platform_),
                     constant(Tensor::scalar(std::int32_t{platform_index_})));
  Reading::Budget budget;
  return Reading({*source_, mesh_}, budget, bound).function(*function_, arguments);
}

/// Enters with a row of each argument on every device, and leaves with a row of each result.
Arrays ModuleProgram::on_each_device(const Arrays& arguments) const {
  const auto rows = [&](const Arrays& parts) {
    const auto scope = Builder::current().bind(mesh_.axes());
    Arrays own;
    for (const Array& part : parts) {
      std::vector<std::int64_t> shape = part.shape().sizes();
      shape.erase(shape.begin());
      own.push_back(reshape(part, Shape(shape)));
    }
    Arrays results;
    for (const Array& result : computed(std::move(own), mesh_.axes())) {
      std::vector<std::int64_t> shape = result.shape().sizes();
      shape.insert(shape.begin(), 1);
      Axes equal;
      for (const Axis& axis : mesh_.axes())
        if (!is_stored_per_device(result.type().at(axis))) equal.push_back(axis);
      const Array row = reshape(result, Shape(shape));
      results.push_back(equal.empty() ? row : cast_to(row, equal, State::varying));
    }
    return results;
  };
  Arrays parts;
  for (const Array& argument : arguments)
    parts.push_back(enter(argument, sharding_of_devices(argument.rank() - 1)));
  Types types;
  for (const Array& part : parts) types.push_back(part.type());
  const TracedProgram traced = trace(types, rows, {.moving = Builder::current().moving(parts)});
  Arrays results;
  for (const Array& result : inline_program(traced.program, parts))
    results.push_back(leave(result, sharding_of_devices(result.rank() - 1)));
  return results;
}

/// The type of one array on all devices: they are dim 0 of a program of one device.
Type ModuleProgram::with_devices(Type type) const {
  return is_of_one_device_ ? type.inserted(Dim{0}, mesh_.devices()) : type;
}

Sharding ModuleProgram::sharding_of_devices(int rank) const {
  Sharding sharding = unsharded(mesh_, rank + 1);
  sharding.dims[0] = mesh_.axes();
  return sharding;
}

}  // namespace tutti
