// SPDX-License-Identifier: Apache-2.0
#include "tutti/api/shard_map.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/moves/enter.hpp"
#include "tutti/ops/moves/leave.hpp"
#include "tutti/ops/states.hpp"

namespace tutti {
namespace {

// The state that a part must have along `axis` to leave by `sharding`.
State leaving_state(const Sharding& sharding, const Axis& axis) {
  for (const Axes& axes : sharding.dims)
    if (contains(axes, axis)) return State::varying;
  if (contains(sharding.unreduced, axis)) return State::unreduced;
  return contains(sharding.reduced, axis) ? State::reduced : State::invariant;
}

// `gathered`: by an all_gather whose result is typed as if it might differ.
std::string way_out(State has, State wanted, const Axis& axis, DType dtype, bool gathered) {
  if (has == State::unreduced)
    return fmt::format("Reduce it: psum(x, \"{0}\"), or write .unreduced({{\"{0}\"}}) in the out-spec{1}",
                       axis.name, wanted == State::varying ? " instead" : "");
  if (wanted == State::unreduced && has == State::varying)
    return fmt::format(
        "If the parts are terms of a sum, say so: pcast(x, \"{0}\", unreduced); else name '{0}' for a dim",
        axis.name);
  if (wanted == State::unreduced)
    return fmt::format("Drop .unreduced, or count the value once: mask(x, \"{}\")", axis.name);
  if (gathered)
    return fmt::format(
        "It comes from an all_gather: let that say it, all_gather(x, \"{}\", {{.to = invariant}})",
        axis.name);
  const std::string summed = dtype == DType::boolean
                                 ? ""
                                 : fmt::format("psum(x, \"{}\") if they are terms of a sum, or ", axis.name);
  return fmt::format(
      "Name '{0}' in the out-spec, or make the devices equal, for example with {1}{2}(x, \"{0}\")", axis.name,
      summed, is_inexact(dtype) ? "pmean" : "pmax");
}

// Whether a variable is the result of an all_gather, casts aside.
bool is_gathered(const Program& program, Var var) {
  for (auto it = program.equations.rbegin(); it != program.equations.rend(); ++it) {
    if (std::ranges::find(it->results, var) == it->results.end()) continue;
    if (!it->op.as<Cast>()) return it->op.as<AllGather>() != nullptr;
    var = it->operands[0];
  }
  return false;
}

// Equal values may leave as parts of a larger array; nothing else is cast silently.
// `part` is the value of `output` in `body`.
Array fit(const Array& part, const Sharding& sharding, const Axes& bound, const Program& body, Var output) {
  Array result = part;
  for (const Axis& axis : bound) {
    State has = part.type().at(axis), wanted = leaving_state(sharding, axis);
    if (has == wanted) continue;
    bool widens = wanted == State::varying && has != State::unreduced;
    bool same_bits = !is_stored_per_device(has) && !is_stored_per_device(wanted);  // I and R
    if (!widens && !same_bits)
      fail(Code::state, "{} is {}, but the out-spec {} says {}. {}", to_string(part.type()),
           in_words(part.type(), axis), to_string(sharding), in_words(wanted),
           way_out(has, wanted, axis, part.dtype(), is_gathered(body, output)));
    result = cast_to(result, {axis}, wanted);
  }
  return result;
}

// The axes that this shard_map binds.
Axes bound_axes(const ShardMapOptions& options) {
  if (options.axes.empty()) return options.mesh.axes();
  Axes axes = axes_named(options.mesh, options.axes, ".axes");
  for (auto it = axes.begin(); it != axes.end(); ++it)
    require(std::find(axes.begin(), it, *it) == it, Code::axis_repeated,
            ".axes names axis '{}' twice; name each axis once", it->name);
  return axes;
}

void require_not_bound_yet(const Axes& axes, const Axes& bound) {
  for (const Axis& axis : axes)
    for (const Axis& other : bound)
      require(axis.name != other.name, Code::axis_shadowed,
              "axis '{0}' is bound here already by an enclosing shard_map or vmap; leave it out of .axes, or "
              "give the other one another name",
              axis.name);
}

// `spec` on the mesh, for the axes that are bound.
Sharding sharding_for(const P& spec, Type type, const ShardMapOptions& options) {
  Sharding sharding = spec.on(options.mesh, type);
  require_whole_axes(sharding, options.mesh);
  Axes bound = bound_axes(options);
  for (const Axis& axis : axes_of(sharding))
    require(contains(bound, axis), Code::spec, "the spec {} names axis '{}', but .axes has {}; {}", sharding,
            axis.name, bound,
            contains(Builder::current().bound_axes(), axis)
                ? "drop it from the spec: an enclosing shard_map has bound it"
                : "add it there");
  return sharding;
}

std::vector<P> specs_per_leaf(const Specs& specs, std::string_view which, const Structure& structure,
                              Where where) {
  return front_end("shard_map", where, [&] { return specs.per_leaf(structure, std::string(which)); });
}

Arrays entered(const Arrays& arguments, const Structure& structure, const ShardMapOptions& options,
               Where where) {
  std::vector<P> specs = specs_per_leaf(options.in, ".in", structure, where);
  std::vector<std::string> paths = leaf_paths(structure);
  Arrays parts;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    parts.push_back(front_end(leaf_name("shard_map: argument", paths[i]), where, [&] {
      return enter(arguments[i], sharding_for(specs[i], arguments[i].type(), options));
    }));
  return parts;
}

// `parts` are the outputs of `body`.
Arrays left(const Arrays& parts, const Program& body, const Structure& structure,
            const ShardMapOptions& options, Where where) {
  std::vector<P> specs = specs_per_leaf(options.out, ".out", structure, where);
  std::vector<std::string> paths = leaf_paths(structure);
  Arrays results;
  for (std::size_t i = 0; i < parts.size(); ++i)
    results.push_back(front_end(leaf_name("shard_map: result", paths[i]), where, [&] {
      Array part = Builder::current().own(parts[i]);
      Sharding sharding = sharding_for(specs[i], part.type(), options);
      return leave(fit(part, sharding, bound_axes(options), body, body.outputs[i]), sharding);
    }));
  return results;
}

// In a trace of its own, so that a part that is kept beyond the body is noticed (T011).
TracedProgram traced_body(const ShardMapBody& body, const Arrays& parts, const Axes& axes,
                          Structure& structure) {
  Types types;
  for (const Array& part : parts) types.push_back(part.type());
  auto bound_body = [&](const Arrays& inputs) {
    auto bound = Builder::current().bind(axes);
    return body(inputs, structure);
  };
  return trace(types, bound_body, {.moving = Builder::current().moving(parts)});
}

}  // namespace

Arrays internal::shard_map_flat(const ShardMapBody& body, const Arrays& arguments, const Structure& structure,
                                const ShardMapOptions& options, Where where) try {
  Builder& builder = builder_for("shard_map", where);
  require_not_bound_yet(bound_axes(options), builder.bound_axes());
  builder.refuse_futures(arguments);
  Arrays parts = entered(arguments, structure, options, where);
  Structure result_structure;
  TracedProgram traced = traced_body(body, parts, bound_axes(options), result_structure);
  for (const Array& captured : traced.captured) parts.push_back(builder.own(captured));
  return left(inline_program(traced.program, parts), traced.program, result_structure, options, where);
} catch (const Error& error) {
  throw error.at(where, "shard_map");
}

}  // namespace tutti
