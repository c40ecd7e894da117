// SPDX-License-Identifier: Apache-2.0
// The collectives of every leaf of a tree: psum(gradients, "data").
#pragma once

#include <functional>

#include "tutti/base/namespaces.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/checkpoint_name.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/all_to_all.hpp"
#include "tutti/ops/collectives/assume_invariant.hpp"
#include "tutti/ops/collectives/broadcast.hpp"
#include "tutti/ops/collectives/permute.hpp"
#include "tutti/ops/collectives/reduce_scatter.hpp"
#include "tutti/ops/stop_gradient.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti {

namespace tree {

/// A container of arrays, not a single array.
template <class T>
concept Container = !std::convertible_to<const T&, Operand>;

/// f of every leaf; what it records is the user's call of `name` at `where`. Errors name the leaf.
Arrays each_leaf(std::string_view name, Where where, const Arrays& leaves,
                 const internal::Structure& structure, const std::function<Array(const Array&)>& f);

template <class T, class F>
T each(std::string_view name, Where where, const T& t, F f) {
  return rebuild(t, each_leaf(name, where, flatten(t), structure_of(t), f));
}

}  // namespace tree

/// A collective of every leaf of a tree, such as a struct of gradients. The result is a tree of the same
/// structure. Shapes, states, cost and errors are, per leaf, those of the function for one array; the message
/// names the leaf: "psum: leaf .w: ..".
template <tree::Container T>
T psum(const T& t, const AxisNames& axes, const AllReduceOptions& options = {}, Where where = Where::here()) {
  return tree::each("psum", where, t, [&](const Array& x) { return psum(x, axes, options); });
}
template <tree::Container T>
T pmean(const T& t, const AxisNames& axes, const AllReduceOptions& options = {},
        Where where = Where::here()) {
  return tree::each("pmean", where, t, [&](const Array& x) { return pmean(x, axes, options); });
}
template <tree::Container T>
T pmax(const T& t, const AxisNames& axes, const AllReduceOptions& options = {}, Where where = Where::here()) {
  return tree::each("pmax", where, t, [&](const Array& x) { return pmax(x, axes, options); });
}
template <tree::Container T>
T pmin(const T& t, const AxisNames& axes, const AllReduceOptions& options = {}, Where where = Where::here()) {
  return tree::each("pmin", where, t, [&](const Array& x) { return pmin(x, axes, options); });
}
template <tree::Container T>
T all_gather(const T& t, const AxisNames& axes, const AllGatherOptions& options = {},
             Where where = Where::here()) {
  return tree::each("all_gather", where, t, [&](const Array& x) { return all_gather(x, axes, options); });
}
template <tree::Container T>
T psum_scatter(const T& t, const AxisNames& axes, const PsumScatterOptions& options = {},
               Where where = Where::here()) {
  return tree::each("psum_scatter", where, t, [&](const Array& x) { return psum_scatter(x, axes, options); });
}
template <tree::Container T>
T all_to_all(const T& t, const AxisNames& axes, const AllToAllOptions& options = {},
             Where where = Where::here()) {
  return tree::each("all_to_all", where, t, [&](const Array& x) { return all_to_all(x, axes, options); });
}
template <tree::Container T>
T pswapaxes(const T& t, const AxisNames& axes, int dim, const ops::Groups& groups = {},
            Where where = Where::here()) {
  return tree::each("pswapaxes", where, t, [&](const Array& x) { return pswapaxes(x, axes, dim, groups); });
}
template <tree::Container T>
T ppermute(const T& t, const AxisNames& axes, const Pairs& pairs, Where where = Where::here()) {
  return tree::each("ppermute", where, t, [&](const Array& x) { return ppermute(x, axes, pairs); });
}
template <tree::Container T>
T pshuffle(const T& t, const AxisNames& axes, const std::vector<int>& sources, Where where = Where::here()) {
  return tree::each("pshuffle", where, t, [&](const Array& x) { return pshuffle(x, axes, sources); });
}
template <tree::Container T>
T pbroadcast(const T& t, const AxisNames& axes, const PbroadcastOptions& options = {},
             Where where = Where::here()) {
  return tree::each("pbroadcast", where, t, [&](const Array& x) { return pbroadcast(x, axes, options); });
}

/// pcast and assume_invariant of every leaf of a tree. The result is a tree of the same structure. Throws,
/// per leaf, as the function for one array; the message names the leaf.
template <tree::Container T>
T pcast(const T& t, const AxisNames& axes, ops::State to, Where where = Where::here()) {
  return tree::each("pcast", where, t, [&](const Array& x) { return pcast(x, axes, to); });
}
template <tree::Container T>
T assume_invariant(const T& t, const AxisNames& axes, Where where = Where::here()) {
  return tree::each("assume_invariant", where, t, [&](const Array& x) { return assume_invariant(x, axes); });
}

/// stop_gradient and checkpoint_name of every leaf of a tree. The result is a tree of the same structure. All
/// leaves get one name.
/// Throws T015 for an empty name.
template <tree::Container T>
T stop_gradient(const T& t, Where where = Where::here()) {
  return tree::each("stop_gradient", where, t, [&](const Array& x) { return stop_gradient(x); });
}
template <tree::Container T>
T checkpoint_name(const T& t, const std::string& name, Where where = Where::here()) {
  return tree::each("checkpoint_name", where, t, [&](const Array& x) { return checkpoint_name(x, name); });
}

}  // namespace tutti
