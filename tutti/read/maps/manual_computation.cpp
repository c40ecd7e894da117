// SPDX-License-Identifier: Apache-2.0
#include "tutti/read/maps/manual_computation.hpp"

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/collectives/assume_invariant.hpp"
#include "tutti/ops/moves/enter.hpp"
#include "tutti/ops/moves/leave.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/read/maps/mesh.hpp"
#include "tutti/tree/specs.hpp"

namespace tutti {
namespace {

template <class T>
const T& attribute_of(const OpReader& op, std::string_view name) {
  const auto* value = find_as<T>(op.op().attributes, name);
  require(value != nullptr, Code::spec, "the attribute '{}' is missing, or is no list of shardings", name);
  return *value;
}

/// The mesh of the shardings: the largest one that they name.
Mesh mesh_of_map(const OpReader& op, const stablehlo::ShardingPerValue& in,
                 const stablehlo::ShardingPerValue& out, const Mesh& otherwise) {
  std::optional<Mesh> mesh;
  for (const auto* shardings : {&in, &out})
    for (const stablehlo::ValueSharding& sharding : shardings->values) {
      const Mesh own = sharding.mesh.empty() ? mesh_of(sharding.own_mesh, op.where())
                                             : mesh_named(op.reading().source(), sharding.mesh);
      if (!mesh || own.devices() > mesh->devices()) mesh = own;
    }
  return mesh.value_or(otherwise);
}

Axes manual_axes_of(const OpReader& op, const Mesh& mesh) {
  const Axes axes =
      axes_named(mesh, attribute_of<stablehlo::ManualAxes>(op, "manual_axes").names, "manual_axes");
  for (const Axis& axis : axes)
    require(!contains(op.reading().bound(), axis), Code::axis_shadowed,
            "axis '{}' is manual already in an enclosing manual_computation; leave it out of manual_axes",
            axis.name);
  return axes;
}

/// The shardings of all values, one each, along the manual axes.
std::vector<Sharding> shardings_of(const stablehlo::ShardingPerValue& shardings,
                                   const std::vector<stablehlo::ValueType>& types, const Mesh& mesh,
                                   const Axes& manual, std::string_view what) {
  require(shardings.values.size() == types.size(), Code::spec, "{} for {}",
          counted(std::ssize(shardings.values), "sharding"), counted(std::ssize(types), what));
  std::vector<Sharding> all;
  for (std::size_t i = 0; i < types.size(); ++i)
    all.push_back(sharding_on(mesh, shardings.values[i], type_of(types[i]).rank(), manual));
  return all;
}

/// A part in the states with which it may leave.
Array as_it_leaves(const Array& part, const Sharding& sharding, const Axes& manual, bool assumes) {
  Array x = part;
  for (const Axis& axis : manual) {
    const State has = x.type().at(axis);
    const bool is_summed = contains(sharding.unreduced, axis);
    const bool is_split =
        std::ranges::any_of(sharding.dims, [&](const Axes& dim) { return contains(dim, axis); });
    if (is_summed) {
      if (has != State::unreduced) x = cast_to(x, {axis}, State::unreduced);
    } else if (is_split) {
      if (has == State::invariant || has == State::reduced) x = cast_to(x, {axis}, State::varying);
    } else if (has == State::varying && (assumes || axis.size == 1)) {
      x = assume_invariant(x, Axes{axis});
    }
  }
  return x;
}

}  // namespace

Arrays manual_computation_read(const OpReader& op) {
  Reading& reading = op.reading();
  const auto& in = attribute_of<stablehlo::ShardingPerValue>(op, "in_shardings");
  const auto& out = attribute_of<stablehlo::ShardingPerValue>(op, "out_shardings");
  const Mesh mesh = mesh_of_map(op, in, out, reading.mesh());
  const Axes manual = manual_axes_of(op, mesh);
  const stablehlo::Block& body = op.op().regions.at(0);
  const std::vector<Sharding> in_shardings =
      shardings_of(in, op.op().operand_types, mesh, manual, "argument");
  const std::vector<Sharding> out_shardings = shardings_of(out, op.op().result_types, mesh, manual, "result");

  const Where where = op.where();
  Arrays parts;
  for (std::size_t i = 0; i < op.operands().size(); ++i) {
    parts.push_back(front_end(op.op().name, where, [&] { return enter(op.operand(i), in_shardings[i]); }));
    const Type stated = type_of(body.argument_types[i]), found = parts[i].type();
    require(stated.shape() == found.shape() && stated.dtype() == found.dtype(), Code::shape,
            "argument {} enters as {}, but the body takes {}", i, Type(found.dtype(), found.shape()), stated);
  }
  Types types;
  for (const Array& part : parts) types.push_back(part.type());
  Axes bound = reading.bound();
  bound.insert(bound.end(), manual.begin(), manual.end());
  const auto traced_body = [&](const Arrays& inputs) {
    const auto scope = Builder::current().bind(manual);
    Reading::Options options = reading.options();
    options.mesh = mesh;
    Reading inside(options, reading.budget(), bound);
    Arrays results = inside.block(body, inputs);
    for (std::size_t i = 0; i < results.size(); ++i)
      results[i] = front_end(op.op().name, where, [&] {
        return as_it_leaves(results[i], out_shardings[i], manual, options.assumes_invariant);
      });
    return results;
  };
  Builder& builder = Builder::current();
  const TracedProgram traced = trace(types, traced_body, {.moving = builder.moving(parts)});
  for (const Array& captured : traced.captured) parts.push_back(builder.own(captured));
  Arrays results = inline_program(traced.program, parts);
  for (std::size_t i = 0; i < results.size(); ++i)
    results[i] = front_end(op.op().name, where, [&] { return leave(results[i], out_shardings[i]); });
  return results;
}

}  // namespace tutti
