// SPDX-License-Identifier: Apache-2.0
#include "tutti/ir/array.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ir/builder.hpp"

namespace tutti {

Array::Array(Tensor tensor) : is_(std::make_shared<const GlobalArray>(std::move(tensor))) {}

Type Array::type() const {
  if (const Traced* value = traced()) return Builder::type_of(*value);
  if (const Type* type = std::get_if<Type>(&is_)) return *type;
  std::shared_ptr<const GlobalArray> finished = data();
  require(finished != nullptr, Code::trace, "this Array is empty; give it a value before it is used");
  return finished->type();
}

std::int64_t Array::dim(int index) const {
  int n = rank();
  require(-n <= index && index < n, Code::dim, "dim {} is out of range for {}, which has dims {} to {}", index,
          to_string(type()), -n, n - 1);
  return shape()[index < 0 ? index + n : index];
}

std::shared_ptr<const GlobalArray> Array::data() const {
  auto* data = std::get_if<std::shared_ptr<const GlobalArray>>(&is_);
  return data ? *data : nullptr;
}

Tensor Array::tensor() const {
  require(!traced(), Code::trace,
          "the value of an Array is not known while its program is traced; return it and read it after the call");
  require(data() != nullptr, Code::trace, "this Array has no value; it is empty, or stands for an argument only");
  return data()->whole();
}

double Array::item() const {
  Tensor whole = tensor();
  require(whole.elements() == 1, Code::shape, "item() needs an array of one element, this one has shape [{}]",
          to_string(whole.shape()));
  return whole.at(0);
}

Array abstract(Shape shape, DType dtype) { return Array(Type(dtype, std::move(shape))); }

Axes AxisNames::resolve() const {
  Axes axes = axes_;
  if (!resolved_) {
    Builder* builder = Builder::current_or_null();
    Axes bound = builder ? builder->bound_axes() : Axes{};
    for (const std::string& name : names_) {
      auto it = bound.begin();
      while (it != bound.end() && it->name != name) ++it;
      if (it == bound.end())
        throw_error(Code::axis_unbound, where_,
                    fmt::format("axis '{}' is not bound here; bound are: {}. Bind it with shard_map over a mesh that "
                                "has it, or with vmap",
                                name, bound.empty() ? "none" : to_string(bound)));
      axes.push_back(*it);
    }
  }
  for (std::size_t i = 0; i < axes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (axes[i] == axes[j])
        throw_error(Code::axis_repeated, where_, fmt::format("axis '{}' is named twice; name each axis once", axes[i].name));
  return axes;
}

}  // namespace tutti
