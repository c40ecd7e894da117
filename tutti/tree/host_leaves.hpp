// SPDX-License-Identifier: Apache-2.0
// Data on the host as leaves of trees: a Tensor stands for the Array that it converts to.
#pragma once

#include <array>
#include <concepts>
#include <map>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tutti/tree/tree.hpp"

namespace tutti::tree {

template <class T>
struct ArraysFor {
  using Type = T;
};
template <>
struct ArraysFor<Tensor> {
  using Type = Array;
};
/// T with an Array for each Tensor, inside of tuples, pairs, optionals, std::arrays, vectors and maps.
template <class T>
using WithArrays = typename ArraysFor<T>::Type;

template <class... A>
struct ArraysFor<std::tuple<A...>> {
  using Type = std::tuple<WithArrays<A>...>;
};
template <class A, class B>
struct ArraysFor<std::pair<A, B>> {
  using Type = std::pair<WithArrays<A>, WithArrays<B>>;
};
template <class A>
struct ArraysFor<std::optional<A>> {
  using Type = std::optional<WithArrays<A>>;
};
template <class A, std::size_t n>
struct ArraysFor<std::array<A, n>> {
  using Type = std::array<WithArrays<A>, n>;
};
template <class A>
struct ArraysFor<std::vector<A>> {
  using Type = std::vector<WithArrays<A>>;
};
template <class K, class V>
struct ArraysFor<std::map<K, V>> {
  using Type = std::map<K, WithArrays<V>>;
};

/// The same tree with Arrays, which share the elements of the Tensors.
template <class T>
WithArrays<T> with_arrays(const T& t) {
  using Result = WithArrays<T>;
  if constexpr (std::same_as<T, Result> || std::same_as<T, Tensor>) {
    return t;
  } else if constexpr (is<T, std::optional>) {
    return t ? Result(with_arrays(*t)) : Result();
  } else if constexpr (is<T, std::vector>) {
    Result result;
    for (const auto& child : t) result.push_back(with_arrays(child));
    return result;
  } else if constexpr (is<T, std::map>) {
    Result result;
    for (const auto& [key, child] : t) result.emplace(key, with_arrays(child));
    return result;
  } else {
    return std::apply([](const auto&... child) { return Result{with_arrays(child)...}; }, t);
  }
}

/// A parameter that is a T, and also takes the same tree with Tensors, which does not convert to a T.
template <class T>
class TakesTensors : public T {
 public:
  using T::T;
  TakesTensors() = default;
  TakesTensors(T t) : T(std::move(t)) {}
  template <class Host>
    requires(std::same_as<WithArrays<Host>, T> && !std::same_as<Host, T>)
  TakesTensors(const Host& host) : T(with_arrays(host)) {}
};
template <class T>
using Parameter = std::conditional_t<is<T, std::vector> || is<T, std::map>, TakesTensors<T>, T>;

/// T with Arrays if a call with a T converts to it, else T.
template <class T>
using AsArgument =
    std::conditional_t<std::convertible_to<const T&, Parameter<WithArrays<T>>>, WithArrays<T>, T>;
template <class T>
AsArgument<T> as_argument(const T& t) {
  if constexpr (std::same_as<AsArgument<T>, T>) return t;
  else return with_arrays(t);
}

}  // namespace tutti::tree
