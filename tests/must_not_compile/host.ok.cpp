// SPDX-License-Identifier: Apache-2.0
// Control of the cases about data on the host.
#include "tutti/tutti.hpp"

using namespace tutti;

Array f(const Machine& machine, const Tensor& x, const Tensors& several) {
  auto one = machine.compile([](const Array& a) { return a + iota(a.shape(), a.dtype(), 0); }, x);
  auto list = machine.compile([](const Arrays& a) { return a[0]; }, several);
  auto two = machine.compile([](const std::pair<Array, Array>& a) { return a.first; }, std::pair{x, x});
  static_cast<void>(list(several));
  static_cast<void>(two(std::pair{x, Array(x)}));
  return one(Tensor({2, 3}, DType::f32));
}
std::string text() { return to_string(P("i")); }
Array borrowed(const std::vector<float>& mine, std::array<double, 4>& own) {
  static_cast<void>(Tensor::borrow({4}, std::span(own)));
  static_cast<void>(Tensor({2, 2}, own));
  return Tensor::borrow({2, 2}, mine);
}
