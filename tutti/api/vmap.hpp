// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <tuple>

#include "tutti/base/namespaces.hpp"
#include "tutti/tree/flat_call.hpp"
#include "tutti/tree/specs.hpp"

namespace tutti::internal {

/// A dimension, or `none`: the same in every lane.
class MappedDim {
 public:
  MappedDim(int dim) : dim_(dim) {}
  MappedDim(None) {}
  const std::optional<int>& dim() const { return dim_; }

 private:
  std::optional<int> dim_;
};

}  // namespace tutti::internal

namespace tutti {

/// Options of vmap.
struct VmapOptions {
  std::optional<std::string> axis = {};      // a name by which collectives inside may use it
  std::vector<internal::MappedDim> in = {};  // one per argument; empty: dim 0 of all
  internal::MappedDim out = 0;               // of every result
  std::optional<int> size = {};              // of lanes; needed only where no argument is mapped
};

}  // namespace tutti

namespace tutti::internal {

struct VmapFlat {
  std::function<Arrays(const Arrays&)> function;
  Arrays arguments;
  std::vector<MappedDim> in;  // one per leaf
};
Arrays vmap_flat(const VmapFlat& call, const VmapOptions& options, Where where);
/// Throws T015 unless `in` is empty or has one entry per argument.
void check_in_dims(const VmapOptions& options, std::size_t arguments, Where where);

template <class F>
class Vmapped {
 public:
  Vmapped(F function, VmapOptions options, Where where)
      : function_(std::move(function)), options_(std::move(options)), where_(where) {}

  template <class... A>
  auto operator()(const A&... arguments) const {
    check_in_dims(options_, sizeof...(A), where_);
    tree::FlatCall call(function_, std::tuple<A...>{arguments...});
    VmapFlat flat{std::ref(call), call.leaves(), {}};
    std::size_t index = 0;
    (add_dims(flat, index++, tree::flatten(arguments).size()), ...);
    Arrays results = vmap_flat(flat, options_, where_);  // traces: first, then the structure is known
    return call.result(results);
  }

  Where where() const { return where_; }

 private:
  void add_dims(VmapFlat& call, std::size_t argument, std::size_t leaves) const {
    MappedDim dim = options_.in.empty() ? MappedDim(0) : options_.in[argument];
    call.in.insert(call.in.end(), leaves, dim);
  }

  F function_;
  VmapOptions options_;
  Where where_;
};

}  // namespace tutti::internal

namespace tutti {

/// jax.vmap: `function` for every index along one dimension of its arguments at once. Everything that enters
/// the body varies over the new axis, so gradients inside are per example; collectives inside may use it if
/// it has a name.
/// Without lanes the results are empty. A reduction over the axis then gives its neutral element, pmean NaN,
/// a gather nothing. Naming a device is T009, splitting a dim over them T005.
/// Throws T005 if mapped dimensions differ in size, or none is mapped and .size does not say how many lanes,
/// T002 if the axis' name is bound already.
/// Example:
///     auto shares = [](const Array& row) { return row / reduce_sum(row); };
///     auto run = machine.compile(vmap(shares), x);  // of each row of x
template <class F>
internal::Vmapped<F> vmap(F function, VmapOptions options = {}, Where where = Where::here()) {
  return {std::move(function), std::move(options), where};
}

}  // namespace tutti
