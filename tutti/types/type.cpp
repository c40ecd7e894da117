// SPDX-License-Identifier: Apache-2.0
#include "tutti/types/type.hpp"
#include "tutti/base/inside.hpp"

#include <deque>
#include <mutex>
#include <unordered_map>

#include "tutti/base/fork.hpp"
#include "tutti/base/never_destroyed.hpp"

namespace tutti {
namespace {

std::size_t mixed(std::size_t seed, std::size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
}

std::size_t hash_of(DType dtype, const Shape& shape, const AxisStates& states) {
  std::size_t seed = static_cast<std::size_t>(dtype);
  for (std::int64_t size : shape) seed = mixed(seed, static_cast<std::size_t>(size));
  for (const auto& [axis, state] : states)
    seed = mixed(seed, static_cast<std::size_t>(axis.id) * 4 + static_cast<std::size_t>(state));
  return seed;
}

constinit std::mutex nodes_lock;

}  // namespace

bool Type::Node::operator==(const Node& other) const {
  if (dtype != other.dtype || shape != other.shape || states != other.states) return false;
  if (!in_flight || !other.in_flight) return in_flight == other.in_flight;
  return in_flight == other.in_flight || in_flight->equals(*other.in_flight);
}

Type::Type(DType dtype, Shape shape, AxisStates states)
    : Type(Node{dtype, std::move(shape), std::move(states), nullptr}) {}

Type::Type(Node wanted) {
  // Locked and append-only: a node never moves or changes, so Types may be copied and compared by any thread.
  wanted.shape.check();
  static NeverDestroyed<std::deque<Node>> nodes;
  static NeverDestroyed<std::unordered_multimap<std::size_t, const Node*>> index;
  std::size_t hash = hash_of(wanted.dtype, wanted.shape, wanted.states);
  free_at_fork<nodes_lock>();
  std::lock_guard lock(nodes_lock);
  for (auto [it, end] = index->equal_range(hash); it != end; ++it)
    if (*it->second == wanted) {
      node_ = it->second;
      return;
    }
  node_ = &nodes->emplace_back(std::move(wanted));
  index->emplace(hash, node_);
}

std::size_t Type::bytes() const { return static_cast<std::size_t>(elements()) * bytes_per_element(dtype()); }

Type Type::pending(std::shared_ptr<const InFlight> op) const {
  return Type(Node{dtype(), shape(), states(), std::move(op)});
}
Type Type::with(DType dtype) const { return Type(Node{dtype, shape(), states(), node_->in_flight}); }
Type Type::with(Shape shape) const {
  return Type(Node{dtype(), std::move(shape), states(), node_->in_flight});
}
Type Type::with(AxisStates states) const {
  return Type(Node{dtype(), shape(), std::move(states), node_->in_flight});
}
Type Type::with(const Axis& axis, State state) const { return with(states().with(axis, state)); }

Type Type::with(const Axes& axes, State state) const {
  AxisStates changed = states();
  for (const Axis& axis : axes) changed.set(axis, state);
  return with(std::move(changed));
}

Type Type::scaled(Dim dim, std::int64_t factor) const {
  return with(shape().with(dim, shape()[dim] * factor));
}
Type Type::inserted(Dim dim, std::int64_t size) const { return with(shape().inserted(dim, size)); }
Type Type::erased(Dim dim) const { return with(shape().erased(dim)); }

Type ops::dual(Type type) {
  if (type.in_flight()) return type.in_flight()->cotangent();
  AxisStates states;
  for (const auto& [axis, state] : type.states()) states.set(axis, dual(state));
  return type.with(std::move(states));
}

std::optional<Type> ops::tangent(Type type) {
  if (type.in_flight()) return type.in_flight()->tangent();
  if (!is_inexact(type.dtype())) return std::nullopt;
  return type;
}

std::string ops::to_string(Type type) {
  if (const InFlight* op = type.in_flight())
    return "pending<" + op->text() + ", " + to_string(Type(type.dtype(), type.shape(), type.states())) + ">";
  std::string text = std::string(name(type.dtype())) + "[" + to_string(type.shape()) + "]";
  if (type.states().empty()) return text;
  std::string states;
  for (const auto& [axis, state] : type.states())
    states += (states.empty() ? "" : ", ") + std::string(1, letter(state)) + ":" + std::string(axis.name);
  return text + "{" + states + "}";
}

}  // namespace tutti
