// SPDX-License-Identifier: Apache-2.0
#include "tutti/ir/array.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>
#include <limits>

#include "tutti/base/require.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/types/counted_dim.hpp"

namespace tutti {
namespace {

std::shared_ptr<const GlobalArray> read(const Array& array) {
  if (array.traced()) Builder::type_of(*array.traced());  // says so if its trace has ended
  require(!array.traced(), Code::trace,
          "the values of an array are not known while its program is traced; return it, and read what the "
          "call returns");
  return array.finished();
}

}  // namespace

Array::Array(Tensor tensor) : is_(std::make_shared<const GlobalArray>(std::move(tensor))) {}

Type Array::type(Where where) const try {
  if (const Traced* value = traced()) return Builder::type_of(*value);
  if (const Type* type = std::get_if<Type>(&is_)) return *type;
  return finished()->type();
} catch (const Error& error) {
  throw error.at(Builder::place_or(where));
}

std::int64_t Array::dim(int index, Where where) const try {
  Type own = type(where);
  return own.shape()[counted_dim(index, own.rank(), [&] { return to_string(own); })];
} catch (const Error& error) {
  throw error.at(Builder::place_or(where));
}

std::shared_ptr<const GlobalArray> Array::data() const {
  auto* data = std::get_if<std::shared_ptr<const GlobalArray>>(&is_);
  return data ? *data : nullptr;
}

std::shared_ptr<const GlobalArray> Array::finished() const {
  require(!std::holds_alternative<Type>(is_), Code::trace,
          "this array only stands for an argument of compile and has no values; hand in data");
  std::shared_ptr<const GlobalArray> found = data();
  bool moved = !found && !std::holds_alternative<std::monostate>(is_);
  require(!moved, Code::trace,
          "this array was moved away, to a call that took its memory or to another array; use what the call "
          "returned, or move a copy");
  require(found != nullptr, Code::trace, "this array is empty; give it a value before it is used");
  return found;
}

Tensor Array::tensor(Where where) const try { return read(*this)->whole(); } catch (const Error& error) {
  throw error.at(where, "tensor");
}

std::optional<Sharding> Array::sharding(Where where) const try {
  return read(*this)->sharding();
} catch (const Error& error) {
  throw error.at(where, "sharding");
}

Tensor Array::shard(int device, Where where) const try {
  std::shared_ptr<const GlobalArray> data = read(*this);
  require(device >= 0, Code::argument, "there is no device {}; devices count from 0", device);
  return data->shard(device);
} catch (const Error& error) {
  throw error.at(where, "shard");
}

double Array::item(Where where) const try {
  Tensor values = read(*this)->whole();
  require(values.elements() == 1, Code::shape,
          "the array has shape [{}], not one element; read it with tensor()", values.shape());
  require(!is_complex(values.dtype()), Code::dtype,
          "the element is {}; read it with tensor(), or take real or imag", name(values.dtype()));
  return values.at(0);
} catch (const Error& error) {
  throw error.at(where, "item");
}

Tensor Array::tensor_of(DType dtype, Where where) const try {
  Tensor whole = read(*this)->whole();
  require(whole.dtype() == dtype, Code::dtype,
          "the elements are {0}, not {1}; ask for those of {0}, or let the program convert them: convert(x, "
          "DType::{1})",
          name(whole.dtype()), name(dtype));
  return whole;
} catch (const Error& error) {
  throw error.at(where, "values");
}

std::string to_string(const Array& array, const PrintOptions& options, Where where) try {
  return to_string(read(array)->whole(), options);
} catch (const Error& error) {
  throw error.at(where, "to_string");
}

Array abstract(Shape shape, DType dtype, Where where) try {
  return Array(Type(dtype, std::move(shape)));
} catch (const Error& error) {
  throw error.at(where, "abstract");
}

namespace {

Axis bound_axis(const std::string& name) {
  Builder* builder = Builder::current_or_null();
  Axes bound = builder ? builder->bound_axes() : Axes{};
  for (const Axis& axis : bound)
    if (axis.name == name) return axis;
  fail(Code::axis_unbound,
       "axis '{0}' is not bound here; bound: {1}. Bind it with shard_map over a mesh that has it, or with "
       "vmap(f, {{.axis = \"{0}\"}})",
       name, bound.empty() ? "none" : to_string(bound));
}

}  // namespace

Axes AxisNames::resolve() const try {
  Axes axes = axes_;
  for (const AxisName& name : names_) axes.push_back(bound_axis(name.text));
  for (auto it = axes.begin(); it != axes.end(); ++it)
    require(std::find(axes.begin(), it, *it) == it, Code::axis_repeated,
            "axis '{}' is named twice; name each axis once", it->name);
  std::int64_t devices = 1;
  for (const Axis& axis : axes) {
    devices *= axis.size;
    require(devices <= std::numeric_limits<int>::max(), Code::shape,
            "{} have more than {} devices together; name fewer axes, or map over fewer lanes", axes,
            std::numeric_limits<int>::max());
  }
  return axes;
} catch (const Error& error) {
  throw error.at(Builder::place_or(where_));
}

}  // namespace tutti
