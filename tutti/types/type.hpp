// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tutti/types/axis.hpp"
#include "tutti/types/dtype.hpp"
#include "tutti/types/shape.hpp"
#include "tutti/types/state.hpp"

namespace tutti::ops {

class InFlight;

/// The type of a value: element type, shape on one device, and a state for every axis. Prints as
/// `f32[8,4]{V:data, U:model}`. Interned: a Type is one pointer, and equal types are the same pointer.
/// A value may be pending: the result of an op that was started. It has the dtype, shape and states that the
/// result will have, and prints as `pending<permute{..}, f32[8,4]>`. Only the end of its op takes it.
class Type {
 public:
  Type(DType dtype, Shape shape, AxisStates states = {});

  /// The dtype of the elements.
  DType dtype() const { return node_->dtype; }
  /// The shape of one device's block.
  const Shape& shape() const { return node_->shape; }
  /// The states along all axes.
  const AxisStates& states() const { return node_->states; }
  /// The number of dims.
  int rank() const { return node_->shape.rank(); }
  /// The number of elements of one block.
  std::int64_t elements() const { return node_->shape.elements(); }
  std::size_t bytes() const;  // of one device's value
  /// The state along an axis.
  State at(const Axis& axis) const { return node_->states.at(axis); }
  /// The op that a pending value waits for; null for other values.
  const InFlight* in_flight() const { return node_->in_flight.get(); }
  /// The same, pending.
  Type pending(std::shared_ptr<const InFlight> op) const;

  /// The same type with another dtype, shape, or state along some axes.
  Type with(DType dtype) const;
  Type with(Shape shape) const;
  Type with(AxisStates states) const;
  Type with(const Axis& axis, State state) const;
  Type with(const Axes& axes, State state) const;
  Type scaled(Dim dim, std::int64_t factor) const;  // that dim, `factor` times as long
  /// The type with a new dim at `dim`.
  Type inserted(Dim dim, std::int64_t size) const;
  /// The type without `dim`.
  Type erased(Dim dim) const;

  bool operator==(const Type&) const = default;

 private:
  struct Node {
    DType dtype;
    Shape shape;
    AxisStates states;
    std::shared_ptr<const InFlight> in_flight;
    bool operator==(const Node& other) const;
  };
  explicit Type(Node wanted);
  const Node* node_;
};
using Types = std::vector<Type>;

/// An op that was started, as types know it.
class InFlight {
 public:
  InFlight() = default;
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;
  virtual ~InFlight() = default;
  virtual std::string text() const = 0;  // the op: "permute{axes=('x'), pairs=[(0, 1)]}"
  /// True if `other` is the same op.
  virtual bool equals(const InFlight& other) const = 0;
  /// The cotangent type of the pending value. It is pending, too: it waits for the transposed op.
  virtual Type cotangent() const = 0;
  /// The tangent type of the pending value; none if it has no tangent.
  virtual std::optional<Type> tangent() const = 0;
};

/// The type of a cotangent: every state dual. For a pending value, what its op says.
Type dual(Type type);
/// The type of a tangent: the same; none for bool and integers. For a pending value, what its op says.
std::optional<Type> tangent(Type type);
/// "f32[8,4]{V:data}"; states that are invariant are left out.
std::string to_string(Type type);

}  // namespace tutti::ops
