// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/apply.hpp"
#include "tutti/base/inside.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/types/counted_dim.hpp"

namespace tutti {
namespace {

Array cast_once(Builder& builder, const Array& x, const AxisStates& to) {
  if (x.type().states() == to) return x;
  return builder.var_array(
      builder.cast_once(builder.resolve(x), to, [&] { return builder.resolve(cast_to(x, to)); }));
}

}  // namespace

Builder& ops::builder_for(std::string_view name, Where where) try {
  return Builder::current();
} catch (const Error& error) {
  throw error.at(where, name);
}

Arrays ops::apply(const Op& op, const Arrays& operands, Where where) {
  return front_end(op->name(), where, [&] {
    Builder& builder = Builder::current();
    Arrays cast;
    Types types;
    for (const Array& array : operands) {
      cast.push_back(builder.own(array));
      types.push_back(cast.back().type());
    }
    std::vector<AxisStates> wanted =
        op->mixing() == Mixing::own ? op->wants(types) : joined_states(types, op->mixing());
    for (std::size_t i = 0; i < cast.size(); ++i) cast[i] = cast_once(builder, cast[i], wanted[i]);
    return builder.add(op, cast);
  });
}

Array ops::apply_one(const Op& op, const Arrays& operands, Where where) {
  return apply(op, operands, where)[0];
}

Array ops::as_array(const Operand& x, std::initializer_list<Operand> others) {
  if (x.array()) return *x.array();
  for (const Operand& other : others)
    if (other.array()) return constant(as_scalar(*x.number(), other.array()->dtype()));
  fail(Code::number, "no operand is an array; compute with numbers in C++");
}

std::pair<Array, Array> ops::as_equal_shapes(const Operand& a, const Operand& b) {
  Array x = as_array(a, {b}), y = as_array(b, {a});
  require_same_dtype(x.type(), y.type());
  Shape shape = broadcast_shape(x.shape(), y.shape());
  return {broadcast_to(x, shape), broadcast_to(y, shape)};
}

Dim ops::as_dim(int index, const Type& x) {
  return counted_dim(index, x.rank(), [&] { return to_string(x); });
}

}  // namespace tutti
