// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tutti/tree/tree.hpp"

namespace tutti::tree {

/// True if a function of trees takes these, by value or const &.
template <class F, class... A>
concept Takes = std::invocable<const F&, const A&...>;

/// True if a call is refused as one; a number is refused as a leaf of the tree.
template <class F, class... A>
inline constexpr bool refuses = !Takes<F, A...> && !(std::is_arithmetic_v<A> || ...);

/// Stands for a call that is refused. The compiler's one error names the types and the number of the
/// arguments, and of the parameters. After an error inside of the function's body there is no second one.
template <class F, class... A>
auto refused_call(const F& function, const A&... arguments) {
  // The compiler shows one of these lines.
  if constexpr (std::is_class_v<F>)
    function.operator()(arguments...);  // call: the function does not take these, by value or const &
  else
    function(arguments...);  // call: the function does not take these; has it defaults, call it in a lambda
}

/// The result of F for arguments A; Array where a message says that F returns nothing, or cannot be called.
template <class F, class... A>
struct ReturnedBy {
  using Type = Array;
};
template <class F, class... A>
  requires Takes<F, A...> && (!std::is_void_v<std::invoke_result_t<const F&, const A&...>>)
struct ReturnedBy<F, A...> {
  using Type = std::invoke_result_t<const F&, const A&...>;
};

/// Says that the caller has refused a wrong call in words of its own.
struct Checked {};

/// A call of a function of trees as one of leaves, for the flat functions of api/ and run/, which trace it.
/// It refers to the function, and is itself the function from leaves to leaves.
template <class F, class... A>
class FlatCall {
 public:
  static constexpr bool can_be_called = Takes<F, A...>;
  static constexpr bool returns_nothing = [] {
    if constexpr (can_be_called) return std::is_void_v<std::invoke_result_t<const F&, const A&...>>;
    else return false;
  }();
  static_assert(!returns_nothing, "call: the function returns nothing; return an Array or a tree of them");
  using Result = typename ReturnedBy<F, A...>::Type;

  explicit FlatCall(const F& function, std::tuple<A...> arguments)
      : FlatCall(function, std::move(arguments), Checked{}) {
    if constexpr (refuses<F, A...>) static_cast<void>(&refused_call<F, A...>);
  }
  explicit FlatCall(const F& function, std::tuple<A...> arguments, Checked)
      : function_(function), arguments_(std::move(arguments)) {}

  Arrays leaves() const { return flatten(arguments_); }
  internal::Structure structure() const { return structure_of(arguments_); }

  /// Calls the function on arguments with these leaves; the leaves of what it returns.
  Arrays operator()(const Arrays& leaves) {
    if constexpr (can_be_called && !returns_nothing)
      result_ = std::apply(function_, rebuild(arguments_, leaves));
    return flatten(*result_);
  }

  /// After a call: what the function returned; the same with other leaves; its structure.
  const Result& result() const { return *result_; }
  Result result(const Arrays& leaves) const { return rebuild(*result_, leaves); }
  internal::Structure result_structure() const { return structure_of(*result_); }

 private:
  const F& function_;
  std::tuple<A...> arguments_;
  std::optional<Result> result_;
};

template <class F, class... A>
FlatCall(const F&, std::tuple<A...>) -> FlatCall<F, A...>;

}  // namespace tutti::tree
