// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tutti/types/axis.hpp"
#include "tutti/types/dtype.hpp"
#include "tutti/types/shape.hpp"
#include "tutti/types/state.hpp"

namespace tutti {

/// What a value is: element type, shape on one device, and a state for every axis. Prints as
/// `f32[8,4]{V:data, U:model}`. Interned: a Type is one pointer, and equal types are the same pointer.
class Type {
 public:
  Type(DType dtype, Shape shape, AxisStates states = {});

  DType dtype() const { return node_->dtype; }
  const Shape& shape() const { return node_->shape; }
  const AxisStates& states() const { return node_->states; }
  int rank() const { return node_->shape.rank(); }
  std::int64_t elements() const { return node_->shape.elements(); }
  std::size_t bytes() const;  // of one device's value
  State at(const Axis& axis) const { return node_->states.at(axis); }

  Type with(DType dtype) const;
  Type with(Shape shape) const;
  Type with(AxisStates states) const;
  Type with(const Axis& axis, State state) const;
  Type with(const Axes& axes, State state) const;
  Type scaled(Dim dim, std::int64_t factor) const;  // that dim, `factor` times as long
  Type inserted(Dim dim, std::int64_t size) const;
  Type erased(Dim dim) const;

  bool operator==(const Type&) const = default;

 private:
  struct Node {
    DType dtype;
    Shape shape;
    AxisStates states;
    bool operator==(const Node&) const = default;
  };
  const Node* node_;
};
using Types = std::vector<Type>;

/// The type of a cotangent: every state dual.
Type dual(Type type);
/// The type of a tangent: the same; none for bool and integers.
std::optional<Type> tangent(Type type);
std::string to_string(Type type);

}  // namespace tutti
