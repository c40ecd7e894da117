// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tutti/kernels/check/schedules.hpp"

namespace tutti::kernels {

bool Orders::conflict(const Accesses& x, const Accesses& y) {
  for (const TurnAccess& a : x)
    for (const TurnAccess& b : y)
      if ((a.is_write || b.is_write) && a.address < b.address + b.bytes && b.address < a.address + a.bytes)
        return true;
  return false;
}

// A stream launches the blocks of its rank, and continues when they are done.
bool Orders::are_ordered(int x, int y) const {
  const int first_stream = machine_.actors() - machine_.rank_of(machine_.actors() - 1) - 1;
  return x == y || (machine_.rank_of(x) == machine_.rank_of(y) && (x >= first_stream || y >= first_stream));
}

std::optional<FoundFault> Orders::run(std::int64_t most_turns) {
  machine_.begin(1, 0);
  is_repetition_ = false;
  try {
    for (std::size_t depth = 0;; ++depth) {
      if (machine_.ready().empty() && !machine_.is_finished() && !machine_.expire_waits())
        throw FoundFault{FaultKind::deadlock, machine_.waits()};
      if (machine_.ready().empty()) break;
      is_repetition_ = !choose(depth);
      if (is_repetition_) break;
      machine_.turn(path_[depth].actor);
      if (machine_.turns() > most_turns) throw endless(most_turns);
      if (depth < first_new_) continue;
      path_[depth].accesses = machine_.accesses();
      add_orders(depth);
    }
  } catch (const FoundFault& fault) {
    return fault;
  }
  is_done_ = !advance();
  return {};
}

bool Orders::choose(std::size_t depth) {
  if (depth < path_.size()) return true;  // the path so far is run again
  Node node;
  node.ready = machine_.ready();
  std::ranges::sort(node.ready);
  if (depth > 0)
    for (const Asleep& asleep : path_[depth - 1].asleep)
      if (!are_ordered(asleep.actor, path_[depth - 1].actor) &&
          !conflict(asleep.accesses, path_[depth - 1].accesses))
        node.asleep.push_back(asleep);
  for (int actor : node.ready)
    if (std::ranges::find(node.asleep, actor, &Asleep::actor) == node.asleep.end()) {
      node.actor = actor;
      node.to_try = {actor};
      path_.push_back(std::move(node));
      return true;
    }
  return false;
}

// A turn races with an earlier one if they conflict and no chain of turns between them orders the two.
void Orders::add_orders(std::size_t depth) {
  Node& node = path_[depth];
  std::vector<int> before(static_cast<std::size_t>(machine_.actors()), -1);
  const auto join = [&](const Node& earlier) {
    for (std::size_t i = 0; i < before.size(); ++i) before[i] = std::max(before[i], earlier.clock[i]);
  };
  for (std::size_t i = 0; i < depth; ++i)
    if (are_ordered(path_[i].actor, node.actor)) join(path_[i]);
  std::vector<std::size_t> races;
  for (std::size_t i = depth; i-- > 0;) {
    if (before[static_cast<std::size_t>(path_[i].actor)] >= static_cast<int>(i)) continue;
    if (!conflict(path_[i].accesses, node.accesses)) continue;
    races.push_back(i);
    join(path_[i]);
  }
  before[static_cast<std::size_t>(node.actor)] = static_cast<int>(depth);
  node.clock = std::move(before);
  for (std::size_t i : races) reverse(i, depth);
}

bool Orders::precedes(std::size_t earlier, std::size_t later) const {
  const int actor = path_[earlier].actor;
  return path_[later].clock[static_cast<std::size_t>(actor)] >= static_cast<int>(earlier);
}

// The turns that need not follow `earlier`, and then `later`, form a schedule in which the two are reversed.
// It begins with any turn of these that none of them precedes; one such must be tried at `earlier` (source
// sets, Abdulla et al. 2014).
void Orders::reverse(std::size_t earlier, std::size_t later) {
  Node& node = path_[earlier];
  std::vector<std::size_t> rest;
  std::vector<int> first;
  for (std::size_t i = earlier + 1; i <= later; ++i) {
    if (i < later && precedes(earlier, i)) continue;
    if (std::ranges::none_of(rest, [&](std::size_t other) { return precedes(other, i); }))
      first.push_back(path_[i].actor);
    rest.push_back(i);
  }
  const auto is_tried = [&](int actor) { return std::ranges::find(node.to_try, actor) != node.to_try.end(); };
  if (std::ranges::any_of(first, is_tried)) return;
  const bool is_ready = std::ranges::find(node.ready, first.front()) != node.ready.end();
  for (int actor : is_ready ? std::vector<int>{first.front()} : node.ready)
    if (!is_tried(actor)) node.to_try.push_back(actor);
}

// The deepest turn that has another one to try becomes that one.
bool Orders::advance() {
  while (!path_.empty()) {
    Node& node = path_.back();
    node.asleep.push_back({node.actor, std::move(node.accesses)});
    for (int actor : node.to_try)
      if (std::ranges::find(node.asleep, actor, &Asleep::actor) == node.asleep.end()) {
        node.actor = actor;
        first_new_ = path_.size() - 1;
        return true;
      }
    path_.pop_back();
  }
  return false;
}

std::vector<int> Orders::choices() const {
  std::vector<int> all;
  for (const Node& node : path_) all.push_back(node.actor);
  return all;
}

}  // namespace tutti::kernels
