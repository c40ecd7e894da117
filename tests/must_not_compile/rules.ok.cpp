// SPDX-License-Identifier: Apache-2.0
// Control of the cases about rules of derivatives, and about calls of functions.
#include "tutti/tutti.hpp"

using tutti::Array;
using One = std::tuple<Array>;

Array sine(const Array& x) { return sin(x); }
std::pair<Array, Array> slope(const One& x, const One& t) {
  return {sin(std::get<0>(x)), cos(std::get<0>(x)) * std::get<0>(t)};
}
std::pair<Array, Array> forward(const Array& x) { return {sin(x), x}; }
One backward(const Array& x, const Array& ct) { return {ct * cos(x)}; }

Array f(const Array& x) {
  Array y = tutti::custom_jvp(sine, slope)(x) + tutti::custom_vjp(sine, forward, backward)(x);
  auto pushed = tutti::jvp(sine, std::tuple{x}, std::tuple{y});
  auto pulled = tutti::vjp(sine, std::tuple{x});
  auto linear = tutti::linearize(sine, std::tuple{x});
  auto with_aux = tutti::vjp(forward, std::tuple{x}, tutti::has_aux);
  y = tutti::tree_map(sine, y);
  y += x.at(0).set(1);
  y = x[0];
  return y + pushed.second + std::get<0>(pulled.second(x)) + linear.second(x) + std::get<2>(with_aux);
}
