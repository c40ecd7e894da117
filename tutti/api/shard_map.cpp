// SPDX-License-Identifier: Apache-2.0
#include "tutti/api/shard_map.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/enter.hpp"
#include "tutti/ops/leave.hpp"

namespace tutti {
namespace {

// The state that a part must have along `axis` to leave by `sharding`.
State leaving_state(const Sharding& sharding, const Axis& axis) {
  for (const Axes& axes : sharding.dims)
    if (contains(axes, axis)) return State::varying;
  if (contains(sharding.unreduced, axis)) return State::unreduced;
  return contains(sharding.reduced, axis) ? State::reduced : State::invariant;
}

std::string way_out(Type part, const Axis& axis, const std::string& path) {
  if (part.at(axis) == State::unreduced)
    return fmt::format("Reduce it with psum over \"{}\", or say unreduced({{\"{}\"}}) in the spec", axis.name, axis.name);
  return fmt::format("Name \"{}\" in the spec of result{}, or make it equal with psum, pmean, pmax or all_gather over \"{}\"",
                     axis.name, path, axis.name);
}

// Equal values may leave as parts of a larger array; nothing else is cast silently.
Array fit(const Array& part, const Sharding& sharding, const std::string& path) {
  Array result = part;
  for (const Axis& axis : sharding.mesh.axes()) {
    State has = part.type().at(axis), wanted = leaving_state(sharding, axis);
    if (has == wanted) continue;
    bool widens = wanted == State::varying && has != State::unreduced;
    bool drops = has == State::reduced && wanted == State::invariant;
    require(widens || drops, Code::state, "it is {}, {}, but its out-spec says {}. {}", to_string(part.type()),
            has == State::unreduced ? fmt::format("an unreduced sum over '{}'", axis.name)
                                    : fmt::format("{} of '{}'", in_words(has), axis.name),
            in_words(wanted), way_out(part.type(), axis, path));
    result = cast_to(result, {axis}, wanted);
  }
  return result;
}

Arrays entered(const Arrays& arguments, const Structure& structure, const ShardMapOptions& options) {
  std::vector<P> specs = options.in.per_leaf(structure, "in");
  std::vector<std::string> paths = leaf_paths(structure);
  Arrays parts;
  for (std::size_t i = 0; i < arguments.size(); ++i) try {
      parts.push_back(enter(arguments[i], specs[i].on(options.mesh, arguments[i].rank())));
    } catch (const Error& error) {
      throw error.at({}, "shard_map: argument" + paths[i]);
    }
  return parts;
}

Arrays left(const Arrays& parts, const Structure& structure, const ShardMapOptions& options) {
  std::vector<P> specs = options.out.per_leaf(structure, "out");
  std::vector<std::string> paths = leaf_paths(structure);
  Arrays results;
  for (std::size_t i = 0; i < parts.size(); ++i) try {
      Array part = Builder::current().own(parts[i]);
      Sharding sharding = specs[i].on(options.mesh, part.rank());
      results.push_back(leave(fit(part, sharding, paths[i]), sharding));
    } catch (const Error& error) {
      throw error.at({}, "shard_map: result" + paths[i]);
    }
  return results;
}

}  // namespace

Arrays shard_map_flat(const ShardMapBody& body, const Arrays& arguments, const Structure& structure,
                      const ShardMapOptions& options, Where where) {
  Builder& builder = builder_at(where);
  Arrays parts = front_end("shard_map", where, [&] { return entered(arguments, structure, options); });
  Structure result_structure;
  Arrays results;
  try {
    auto bound = builder.bind(options.mesh.axes());
    results = body.run(parts, result_structure);
  } catch (const Error& error) {
    throw error.at(where, "shard_map");
  }
  return front_end("shard_map", where, [&] { return left(results, result_structure, options); });
}

}  // namespace tutti
