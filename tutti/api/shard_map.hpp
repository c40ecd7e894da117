// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <tuple>

#include "tutti/base/namespaces.hpp"
#include "tutti/tree/flat_call.hpp"
#include "tutti/tree/specs.hpp"

namespace tutti {

/// Options of shard_map: the mesh, and how arguments and results lie on it.
struct ShardMapOptions {
  Mesh mesh;
  Specs in;                            // P("i") for all arguments, or in braces one per argument
  Specs out;                           // P("i") for the whole result, or in braces one per part of it
  std::vector<std::string> axes = {};  // of the mesh, those that specs and body may name; empty: all
};

}  // namespace tutti

namespace tutti::internal {

/// The body of a shard_map, flat: parts of the arguments to parts of the results, and the results' structure.
using ShardMapBody = std::function<Arrays(const Arrays& parts, Structure& results)>;

/// Enter, run the body with the axes bound, leave. Throws T002 for an axis that is bound already, T013, T005,
/// T001 for specs that do not fit, T004 for a result that differs between devices where its out-spec says
/// that it does not.
Arrays shard_map_flat(const ShardMapBody& body, const Arrays& arguments, const Structure& structure,
                      const ShardMapOptions& options, Where where);

template <class F>
class ShardMapped {
 public:
  ShardMapped(F function, ShardMapOptions options, Where where)
      : function_(std::move(function)), options_(std::move(options)), where_(where) {}

  template <class... A>
  auto operator()(const A&... arguments) const {
    tree::FlatCall call(function_, std::tuple<A...>{arguments...});
    auto body = [&](const Arrays& parts, Structure& structure) {
      Arrays results = call(parts);
      structure = call.result_structure();
      return results;
    };
    Arrays results = shard_map_flat(body, call.leaves(), call.structure(), options_, where_);
    return call.result(results);
  }

  Where where() const { return where_; }

 private:
  F function_;
  ShardMapOptions options_;
  Where where_;
};

}  // namespace tutti::internal

namespace tutti {

/// Makes a function of whole arrays from the function of one device. Each argument is split over the mesh by
/// its in-spec, `function` runs on the parts with the axes of the mesh bound, and the parts of the results
/// are put together by their out-specs.
/// Nests over other axes of the same mesh (both name theirs in .axes), differentiates and batches; the
/// gradient is the same inside and outside.
/// Example:
///     Machine machine = open_local(Mesh({{"i", 4}}));
///     auto norm = [](const Array& part) { return sqrt(psum(reduce_sum(part * part), "i")); };
///     auto whole = shard_map(norm, {.mesh = machine.mesh(), .in = P("i"), .out = P()});
///     auto run = machine.compile(whole, x);
///     Array result = run(x);
template <class F>
internal::ShardMapped<F> shard_map(F function, ShardMapOptions options, Where where = Where::here()) {
  return {std::move(function), std::move(options), where};
}

}  // namespace tutti
