// SPDX-License-Identifier: Apache-2.0
// Control of the cases gradient_*.cpp, jacobian_*.cpp and has_aux_*.cpp.
#include "tutti/tutti.hpp"

using tutti::Array;

Array product(Array a, Array b) { return a * b; }

std::tuple<Array, Array> gradient(const Array& x) { return tutti::grad<1, 0>(product)(x, x); }
Array jacobian(const Array& x) { return tutti::jacfwd<1>(product)(x, x); }
Array pulled(const Array& x) {
  auto squares = [](Array a) { return std::pair{a * a, std::vector{a}}; };
  auto [value, pull, aux] = tutti::vjp(squares, std::tuple{x}, tutti::has_aux);
  return std::get<0>(pull(aux[0]));
}
