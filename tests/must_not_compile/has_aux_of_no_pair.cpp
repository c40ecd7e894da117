// expect: error: static assertion failed: has_aux: the function returns a pair, of a result and a tree of auxiliary results
// SPDX-License-Identifier: Apache-2.0
#include "tutti/tutti.hpp"

void pulled(const tutti::Array& x) {
  tutti::vjp([](tutti::Array a) { return a * a; }, std::tuple{x}, tutti::has_aux);
}
