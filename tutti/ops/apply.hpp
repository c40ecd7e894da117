// SPDX-License-Identifier: Apache-2.0
// How front-end functions and rules record an op: the one place of implicit casts.
#pragma once

#include <string_view>
#include <utility>

#include "tutti/base/error.hpp"
#include "tutti/ir/builder.hpp"

namespace tutti::ops {

/// Record `op`, its operands cast to the states that its mixing asks for: I -> V, R -> V and I -> R, one cast
/// per value and target in a program. Outside a trace throws T011; where no cast helps, T004 with the way
/// out.
Arrays apply(const Op& op, const Arrays& operands, Where where = {});
// (Where the operands are a non-const vector, write tutti::apply: std::apply is found as well.)
/// The same for an op with one result.
Array apply_one(const Op& op, const Arrays& operands, Where where = {});

/// `x` as an array: a number takes the dtype of the first array in `others`, rounded once (T008 if it does
/// not fit). Throws if `others` has no array.
Array as_array(const Operand& x, std::initializer_list<Operand> others = {});

/// Both as arrays of one dtype and one shape: NumPy's broadcasting, as broadcast_in_dim equations.
std::pair<Array, Array> as_equal_shapes(const Operand& a, const Operand& b);

/// A dim of `x` counted from 0; a negative index counts from the end. Throws T006.
Dim as_dim(int index, const Type& x);

/// The current builder, or T011 for the function `name`, called at `where`, if nothing is traced.
Builder& builder_for(std::string_view name, Where where);

/// The body of a front-end function: what it records carries the caller's place, and its errors get that
/// place and `name`. Of front-end functions that call each other the outermost one, which the user called, is
/// named.
template <class F>
auto front_end(std::string_view name, Where where, F&& body) {
  Builder& builder = builder_for(name, where);
  auto scope = builder.on_behalf_of({where, name});
  try {
    return body();
  } catch (const Error& error) {
    throw error.at(builder.cause()->where, builder.cause()->name);
  }
}

/// The body of a front-end function that also works outside of a trace: there `on_host` makes finished data.
template <class F, class Host>
auto front_end_or_host(std::string_view name, Where where, F&& body, Host&& on_host) {
  if (Builder::current_or_null()) return front_end(name, where, body);
  try {
    return on_host();
  } catch (const Error& error) {
    throw error.at(where, name);
  }
}

}  // namespace tutti::ops
