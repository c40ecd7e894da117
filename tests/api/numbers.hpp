// SPDX-License-Identifier: Apache-2.0
// Whole functions run on a machine, and what they should give worked out with plain loops. All numbers are
// quarters of small whole numbers: sums and products are exact in any order.
#pragma once

#include <functional>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti {

using Doubles = std::vector<double>;

/// Rows and columns, in plain C++.
struct Table {
  std::int64_t rows, columns;
  Doubles values;
  double& at(std::int64_t row, std::int64_t column) {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
  double at(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
  Array array() const { return Tensor(Shape{rows, columns}, values); }
};

/// f(row, column) everywhere.
inline Table table(std::int64_t rows, std::int64_t columns,
                   const std::function<double(std::int64_t, std::int64_t)>& f) {
  Table made{rows, columns, Doubles(static_cast<std::size_t>(rows * columns))};
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column) made.at(row, column) = f(row, column);
  return made;
}

/// Quarters without a pattern that a wrong order would keep: other ones for another `kind`.
inline Table some_table(std::int64_t rows, std::int64_t columns, int kind = 1) {
  return table(rows, columns, [&](std::int64_t row, std::int64_t column) {
    std::int64_t mixed = (row * 7 + column * 3 + row * column * 5 + kind * 11) % 17;
    return static_cast<double>(mixed - 8) / 4;
  });
}

inline Doubles numbers(const Array& array) {
  Tensor tensor = array.tensor();
  Doubles found;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) found.push_back(tensor.at(i));
  return found;
}

/// The results of a function of whole arrays on the mesh a=2, b=2, c=2; each leaf of the result on its own.
template <class F, class... A>
std::vector<Doubles> computed(const F& function, const A&... arguments) {
  static const Machine machine = open_local(Mesh({{"a", 2}, {"b", 2}, {"c", 2}}), {.workers = 2});
  auto program = machine.compile(function, arguments...);
  std::vector<Doubles> found;
  for (const Array& leaf : tree::flatten(program(arguments...))) found.push_back(numbers(leaf));
  return found;
}
template <class F, class... A>
Doubles computed_one(const F& function, const A&... arguments) {
  return computed(function, arguments...).at(0);
}

}  // namespace tutti
