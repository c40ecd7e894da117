// SPDX-License-Identifier: Apache-2.0
// Collectives in two halves: psum_start(x, "data") begins one, .done() takes its result. What stands between
// may run at the same time.
#pragma once

#include <functional>
#include <memory>
#include <tuple>
#include <utility>

#include "tutti/base/namespaces.hpp"
#include "tutti/control/wrapped/start.hpp"
#include "tutti/ops/collectives/of_trees.hpp"
#include "tutti/ops/moves/ragged_all_to_all.hpp"

namespace tutti::internal {

/// The work of a front end after its collective, with the values that it needs.
struct AfterCollective;

/// A collective of one array that was started.
struct PendingArray {
  Array pending;
  std::shared_ptr<const AfterCollective> after;
  auto tie() { return std::tie(pending); }
};

/// Starts the collective that `function`, a front end, records last; what it records before stands here.
PendingArray start_flat(std::string_view name, const Operand& x, Where where,
                        const std::function<Array(const Array&)>& function);
Array done_flat(const PendingArray& started, Where where);

}  // namespace tutti::internal

namespace tutti {

/// The results of collectives that were started, one for each leaf of a tree T. It can be finished once, in
/// the function that started it. optimization_barrier takes it, and gives another.
template <class T>
class Future {
 public:
  Future(T like, std::vector<internal::PendingArray> leaves)
      : like_(std::move(like)), leaves_(std::move(leaves)) {}

  /// Waits, and returns the results.
  /// Throws T016 where the function that started them ends, unless every future is finished exactly once.
  T done(Where where = Where::here()) const {
    Arrays results;
    for (const internal::PendingArray& leaf : leaves_) results.push_back(internal::done_flat(leaf, where));
    return tree::rebuild(like_, results);
  }
  /// One started collective per leaf of the tree.
  const std::vector<internal::PendingArray>& leaves() const { return leaves_; }
  /// A tree of the structure that done() returns.
  const T& like() const { return like_; }
  /// Makes a future a tree itself, for optimization_barrier.
  auto tie() { return std::tie(leaves_); }

 private:
  T like_;
  std::vector<internal::PendingArray> leaves_;
};

namespace tree {

/// Starts `f` of every leaf.
template <class T, class F>
auto start_each(std::string_view name, Where where, const T& t, F f) {
  if constexpr (Container<T>) {
    std::vector<internal::PendingArray> leaves;
    for (const Array& leaf : flatten(t)) leaves.push_back(internal::start_flat(name, leaf, where, f));
    return Future<T>(t, std::move(leaves));
  } else {
    return Future<Array>(Array(), {internal::start_flat(name, Operand(t, where), where, f)});
  }
}

}  // namespace tree

/// The collective of this name, of a tree, in two halves: psum_start begins psum, and done() of the future
/// takes its results.
template <class T>
auto psum_start(const T& t, const AxisNames& axes, const AllReduceOptions& options = {},
                Where where = Where::here()) {
  return tree::start_each("psum_start", where, t, [&](const Array& x) { return psum(x, axes, options); });
}
template <class T>
auto pmean_start(const T& t, const AxisNames& axes, const AllReduceOptions& options = {},
                 Where where = Where::here()) {
  return tree::start_each("pmean_start", where, t, [&](const Array& x) { return pmean(x, axes, options); });
}
template <class T>
auto pmax_start(const T& t, const AxisNames& axes, const AllReduceOptions& options = {},
                Where where = Where::here()) {
  return tree::start_each("pmax_start", where, t, [&](const Array& x) { return pmax(x, axes, options); });
}
template <class T>
auto pmin_start(const T& t, const AxisNames& axes, const AllReduceOptions& options = {},
                Where where = Where::here()) {
  return tree::start_each("pmin_start", where, t, [&](const Array& x) { return pmin(x, axes, options); });
}
template <class T>
auto all_gather_start(const T& t, const AxisNames& axes, const AllGatherOptions& options = {},
                      Where where = Where::here()) {
  return tree::start_each("all_gather_start", where, t,
                          [&](const Array& x) { return all_gather(x, axes, options); });
}
template <class T>
auto psum_scatter_start(const T& t, const AxisNames& axes, const PsumScatterOptions& options = {},
                        Where where = Where::here()) {
  return tree::start_each("psum_scatter_start", where, t,
                          [&](const Array& x) { return psum_scatter(x, axes, options); });
}
template <class T>
auto all_to_all_start(const T& t, const AxisNames& axes, const AllToAllOptions& options = {},
                      Where where = Where::here()) {
  return tree::start_each("all_to_all_start", where, t,
                          [&](const Array& x) { return all_to_all(x, axes, options); });
}
template <class T>
auto ppermute_start(const T& t, const AxisNames& axes, const Pairs& pairs, Where where = Where::here()) {
  return tree::start_each("ppermute_start", where, t,
                          [&](const Array& x) { return ppermute(x, axes, pairs); });
}
template <class T>
auto pbroadcast_start(const T& t, const AxisNames& axes, const PbroadcastOptions& options = {},
                      Where where = Where::here()) {
  return tree::start_each("pbroadcast_start", where, t,
                          [&](const Array& x) { return pbroadcast(x, axes, options); });
}

/// ragged_all_to_all in two halves. Rows that nothing lands on are taken from `output` when it is done.
Future<Array> ragged_all_to_all_start(const Operand& operand, const Array& output, const RaggedSlices& slices,
                                      const AxisNames& axes, const RaggedOptions& options = {});

/// A send that was started. Only precv takes it, once, with the same axes and pairs.
template <class T>
class SendToken {
 public:
  SendToken(Future<T> sent, Axes axes, Pairs pairs)
      : sent_(std::move(sent)), axes_(std::move(axes)), pairs_(std::move(pairs)) {}
  /// The future of the sent values; precv finishes it.
  const Future<T>& sent() const { return sent_; }
  /// The axes that the send goes along.
  const Axes& axes() const { return axes_; }
  /// Source and destination of each transfer, as positions along the axes.
  const Pairs& pairs() const { return pairs_; }
  /// Makes a token a tree itself, for optimization_barrier.
  auto tie() { return sent_.tie(); }

 private:
  Future<T> sent_;
  Axes axes_;
  Pairs pairs_;
};

}  // namespace tutti

namespace tutti::internal {

/// Throws T009 unless a token was sent over these axes with these pairs, T005 and T007 unless what was sent
/// is like `like`.
void require_sent(const Axes& sent_over, const Pairs& sent_pairs, const std::vector<Type>& sent,
                  const AxisNames& axes, const Pairs& pairs, const Arrays& like, Where where);

}  // namespace tutti::internal

namespace tutti {

/// jax.lax.psend: sends every leaf along the pairs (source, target). Returns a token for precv.
template <class T>
auto psend(const T& t, const AxisNames& axes, const Pairs& pairs, Where where = Where::here()) {
  auto sent = tree::start_each("psend", where, t, [&](const Array& x) { return ppermute(x, axes, pairs); });
  return SendToken(std::move(sent), axes.resolve(), pairs);
}
/// jax.lax.precv: what the device's source sent; zeros where nobody sends. `like` is a tree of arrays, or of
/// abstract(..), of the shapes and dtypes that arrive.
/// No order of sends and receives can deadlock: a token is a value, so each is received after it was sent.
template <class T, class L>
T precv(const SendToken<T>& token, const L& like, const AxisNames& axes, const Pairs& pairs,
        Where where = Where::here()) {
  std::vector<ops::Type> sent;
  for (const internal::PendingArray& leaf : token.sent().leaves()) sent.push_back(leaf.pending.type(where));
  internal::require_sent(token.axes(), token.pairs(), sent, axes, pairs, tree::flatten(like), where);
  internal::require_same_structure("precv", tree::structure_of(token.sent().like()), tree::structure_of(like),
                                   where);
  return token.sent().done(where);
}

}  // namespace tutti
