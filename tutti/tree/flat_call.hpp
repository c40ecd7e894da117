// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tutti/tree/tree.hpp"

namespace tutti::tree {

/// A call of a function of trees as one of leaves, for the flat functions of api/ and run/, which trace it. It refers to
/// the function, and is itself the function from leaves to leaves.
template <class F, class... A>
class FlatCall {
 public:
  using Result = std::invoke_result_t<const F&, const A&...>;
  static_assert(!std::is_void_v<Result>, "the function returns nothing; return an Array or a tree of them");

  explicit FlatCall(const F& function, std::tuple<A...> arguments)
      : function_(function), arguments_(std::move(arguments)) {}

  Arrays leaves() const { return flatten(arguments_); }
  Structure structure() const { return structure_of(arguments_); }
  const std::tuple<A...>& arguments() const { return arguments_; }

  /// Calls the function on arguments with these leaves; the leaves of what it returns.
  Arrays operator()(const Arrays& leaves) {
    result_ = std::apply(function_, rebuild(arguments_, leaves));
    return flatten(*result_);
  }

  /// After a call: what the function returned; the same with other leaves; its structure.
  const Result& result() const { return *result_; }
  Result result(const Arrays& leaves) const { return rebuild(*result_, leaves); }
  Structure result_structure() const { return structure_of(*result_); }

 private:
  const F& function_;
  std::tuple<A...> arguments_;
  std::optional<Result> result_;
};

template <class F, class... A>
FlatCall(const F&, std::tuple<A...>) -> FlatCall<F, A...>;

}  // namespace tutti::tree
