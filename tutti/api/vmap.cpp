// SPDX-License-Identifier: Apache-2.0
#include "tutti/api/vmap.hpp"

#include <limits>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/refused_trace.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/transpose.hpp"
#include "tutti/transform/batch.hpp"
#include "tutti/types/counted_dim.hpp"

namespace tutti {
namespace {

// The common size of the mapped dimensions.
int lanes(const VmapFlat& call, const VmapOptions& options) {
  std::optional<std::int64_t> size = options.size;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (!call.in[i].dim()) continue;
    Type type = call.arguments[i].type();
    std::int64_t found = type.shape()[as_dim(*call.in[i].dim(), type)];
    require(!size || *size == found, Code::shape,
            "argument leaf {} has {}, dim {} of {}, where {} expected; map dims of one size, or none", i,
            counted(found, "lane"), *call.in[i].dim(), type, counted(size.value_or(0), "is", "are"));
    size = found;
  }
  require(size.has_value(), Code::shape, "no argument is mapped; say how many lanes with .size");
  require(*size >= 0 && *size <= std::numeric_limits<int>::max(), Code::shape, "{}; ask for 0 to {}",
          counted(*size, "lane"), std::numeric_limits<int>::max());
  return static_cast<int>(*size);
}

// Mapped along dim 0, or the same in all lanes.
BatchedArrays entered(const VmapFlat& call) {
  Builder::current().refuse_futures(call.arguments);
  BatchedArrays arguments;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    Array argument = Builder::current().own(call.arguments[i]);
    const std::optional<int>& dim = call.in[i].dim();
    if (dim) argument = move_dim(argument, as_dim(*dim, argument.type()), Dim{0});
    arguments.push_back({argument, dim.has_value()});
  }
  return arguments;
}

// The program of one lane; what it captures goes to the end of `arguments`.
Program traced_body(const VmapFlat& call, const Axis& axis, bool named, BatchedArrays& arguments) {
  Builder& outer = Builder::current();
  Builder inner(Axes{axis});
  auto bound = inner.bind(named ? Axes{axis} : Axes{});
  Arrays inputs;
  for (const Batched& argument : arguments) {
    Type type = argument.array.type();
    Type in_lane = (argument.batched ? type.erased(Dim{0}) : type).with(axis, State::varying);
    inputs.push_back(inner.input(in_lane, outer.moves(argument.array)));
  }
  Program body = finished_program(inner, [&] { return call.function(inputs); });
  for (const Array& captured : inner.captured()) arguments.push_back({outer.own(captured), false});
  return body;
}

Array at_dim(const Array& result, Type in_body, const Axis& axis, const MappedDim& out) {
  require(in_body.at(axis) != State::unreduced, Code::state,
          "a result is {}, an unreduced sum over '{}'; psum it over that axis, or return the terms as "
          "varying values",
          in_body, axis.name);
  bool batched = has_lanes(in_body, axis);
  require(out.dim() || !batched, Code::state,
          "a result differs between the lanes of '{}'; give .out a dim, or make the lanes equal, for example "
          "with pmean",
          axis.name);
  if (!out.dim()) return result;
  Dim dim = counted_dim(*out.dim(), in_body.rank() + 1, "the result (.out)");
  return batched ? move_dim(result, Dim{0}, dim) : insert_dim(result, dim, axis.size);
}

}  // namespace

void internal::check_in_dims(const VmapOptions& options, std::size_t arguments, Where where) try {
  require(options.in.empty() || options.in.size() == arguments, Code::argument,
          "{} for {}; give one per argument: a dim, or none", counted(std::ssize(options.in), "in dim"),
          counted(static_cast<std::int64_t>(arguments), "argument"));
} catch (const Error& error) {
  throw error.at(where, "vmap");
}

Arrays internal::vmap_flat(const VmapFlat& call, const VmapOptions& options, Where where) try {
  Axis axis = front_end("vmap", where, [&] {
    require(options.axis != "", Code::mesh, "the axis has no name; give it one, or leave .axis out");
    return fresh_axis(options.axis.value_or("vmap"), lanes(call, options));
  });
  BatchedArrays arguments = front_end("vmap", where, [&] { return entered(call); });
  Program body = traced_body(call, axis, options.axis.has_value(), arguments);
  Arrays results = front_end("vmap", where, [&] { return inline_batched(body, axis, arguments); });
  return front_end("vmap", where, [&] {
    for (std::size_t i = 0; i < results.size(); ++i)
      results[i] = at_dim(results[i], body.type(body.outputs[i]), axis, options.out);
    return results;
  });
} catch (const Error& error) {
  throw error.at(where, "vmap");
}

}  // namespace tutti
