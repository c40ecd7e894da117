// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "tutti/base/namespaces.hpp"
#include "tutti/control/parts/inner_trace.hpp"
#include "tutti/tree/flat_call.hpp"

namespace tutti {

/// Options of scan.
struct ScanOptions {
  std::optional<std::int64_t> length = {};  // needed only where there are no xs
  bool reverse = false;                     // the last slice first; ys stay in the order of xs
};

}  // namespace tutti

namespace tutti::internal {

struct FlatScan {
  std::string_view name;
  InnerFunction function;  // (carries, slices of xs) -> (carries, slices of ys)
  Arrays init, xs;
  ScanOptions options;
};
Arrays scan_flat(const FlatScan& call, Where where);

struct FlatWhile {
  std::string_view name, what;  // decides how many iterations there are: "the test"
  InnerFunction test, body;
  Arrays init;
  std::size_t own = 0;  // carries that are not the user's, the first ones
};
Arrays while_flat(const FlatWhile& call, Where where);

inline constexpr std::string_view returned_as_started = "return the structure that the loop starts with";

/// `body` takes the number of the iteration and the carries.
Arrays fori_flat(const Operand& lower, const Operand& upper, const InnerFunction& body, const Arrays& init);

template <class T>
concept CarryAndY = tree::TupleLike<T> && std::tuple_size_v<T> == 2;

/// Says what is wrong with a scan's function.
template <class F, class C, class X>
consteval bool returns_carry_and_y() {
  using Call = tree::FlatCall<F, C, X>;
  if constexpr (tree::refuses<F, C, X>) {
    static_cast<void>(&tree::refused_call<F, C, X>);
  } else if constexpr (Call::can_be_called && !Call::returns_nothing) {
    using Result = typename Call::Result;
    static_assert(CarryAndY<Result>, "scan: the function returns a pair: the carry and a y");
    if constexpr (CarryAndY<Result>) {
      constexpr bool keeps_carry = std::is_same_v<std::tuple_element_t<0, Result>, C>;
      static_assert(keeps_carry, "scan: the function returns another type of carry than it starts with");
      return keeps_carry;
    }
  }
  return false;
}

}  // namespace tutti::internal

namespace tutti {

/// jax.lax.scan: f(carry, x) -> {carry, y} for every slice of xs along dim 0, in order; returns the last
/// carry and the ys stacked along dim 0. Carry, x and y are trees; f(carry, x) is called with x = {} where
/// there are no xs.
/// The carry keeps its shapes and dtypes; states are joined until they stay, I < R < V, so f may be called
/// more than once while it is traced. Nothing is unrolled.
/// Throws T005, T007, T012 for a carry that changes, T004 for a carry that becomes a partial sum, T005 for xs
/// of different or unknown length.
/// Example:
///     auto step = [](const Array& sum, const Array& x) { return std::pair{sum + x, sum + x}; };
///     auto [total, sums] = scan(step, zeros({}, DType::f32), xs);  // sums: after each x
template <class F, class C, class X = std::tuple<>>
auto scan(F f, const C& init, const X& xs = {}, const ScanOptions& options = {},
          Where where = Where::here()) {
  if constexpr (internal::returns_carry_and_y<F, C, X>()) {
    tree::FlatCall<F, C, X> call(f, std::tuple<C, X>{init, xs});
    auto one_iteration = [&](const Arrays& leaves) {
      Arrays results = call(leaves);
      internal::require_same_structure("scan", tree::structure_of(init),
                                       tree::structure_of(std::get<0>(call.result())), where,
                                       internal::returned_as_started);
      return results;
    };
    Arrays results =
        internal::scan_flat({"scan", one_iteration, tree::flatten(init), tree::flatten(xs), options}, where);
    return call.result(results);
  } else {
    return std::pair<C, Array>(init, Array());  // callers take it apart: no further errors
  }
}

/// jax.lax.while_loop: carry = body(carry) while test(carry), a bool scalar, holds.
/// States as in scan, and as in cond where the test is V: devices leave one by one. Both functions may be
/// called more than once while they are traced. It has no gradient in reverse: use scan, or fori_loop with
/// numbers for bounds.
/// Throws as scan and cond.
template <class Test, class Body, class C>
C while_loop(Test test, Body body, const C& init, Where where = Where::here()) {
  static_assert(std::is_same_v<typename tree::ReturnedBy<Test, C>::Type, Array>,
                "while_loop: the test returns one bool array");
  static_assert(!tree::Takes<Body, C> || std::is_same_v<typename tree::ReturnedBy<Body, C>::Type, C>,
                "while_loop: the body returns another type of carry than it starts with");
  tree::FlatCall<Test, C> tested(test, std::tuple<C>{init});
  tree::FlatCall<Body, C> call(body, std::tuple<C>{init});
  auto one_iteration = [&](const Arrays& leaves) {
    Arrays results = call(leaves);
    internal::require_same_structure("while_loop", tree::structure_of(init), call.result_structure(), where,
                                     internal::returned_as_started);
    return results;
  };
  auto goes_on = [&](const Arrays& leaves) { return tested(leaves); };
  return tree::rebuild(init, internal::while_flat({"while_loop", "the test", goes_on, one_iteration,
                                                   tree::flatten(init)},
                                                  where));
}

/// jax.lax.fori_loop: carry = body(i, carry) for i = lower, .., upper - 1. With numbers for bounds it is a
/// scan, and i is i32; with an array among them a while loop, and i has its dtype.
/// Example:
///     Array y = fori_loop(0, 3, [](Array, Array a) { return a + a; }, x);  // 8 x
template <class Body, class C>
C fori_loop(const Operand& lower, const Operand& upper, Body body, const C& init) {
  using Call = tree::FlatCall<Body, Array, C>;
  static_assert(!Call::can_be_called || std::is_same_v<typename Call::Result, C>,
                "fori_loop: the body returns another type of carry than it starts with");
  Call call(body, std::tuple<Array, C>{Array(), init});
  auto one_iteration = [&](const Arrays& leaves) {
    Arrays results = call(leaves);
    internal::require_same_structure("fori_loop", tree::structure_of(init), call.result_structure(),
                                     lower.where(), internal::returned_as_started);
    return results;
  };
  return tree::rebuild(init, internal::fori_flat(lower, upper, one_iteration, tree::flatten(init)));
}

}  // namespace tutti
