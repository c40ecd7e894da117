// SPDX-License-Identifier: Apache-2.0
// The twins of jax_indexing.py.
#include "tests/support/functions.hpp"

#include "tutti/base/inside.hpp"

namespace tutti {
namespace {

const P everywhere, by_x("x");

Array over_devices(const Array& x) { return psum(reduce_sum(x), "x"); }
/// (step i + the device's position) modulo n: varying, all different if step and n say so.
Array rows_by_position(int rows, int step, int n) {
  return (arange(rows, DType::i32) * step + axis_index("x")) % n;
}

// x: [2, 3], table: [4, 3].
Array indexed_by_numbers_and_ranges(const Arrays& a) {
  const Array &x = a[0], &table = a[1];
  Array backwards = table[{range(none, none, -1), range(none, none, -2)}];
  Array last = table[{-1, newaxis}], corner = table[{0, 0}];
  Array some = table[{range(1, none, 2), ellipsis}] * corner;
  return over_devices(sin(x * last) * some) + over_devices(exp(backwards) * table[{all, 1, newaxis}]);
}

Array indexed_by_arrays(const Arrays& a) {
  const Array &x = a[0], &table = a[1];
  Array rows = rows_by_position(3, 2, 4), columns = rows_by_position(3, 1, 3);
  Array cube = table[{all, newaxis}] * x;                         // [4, 2, 3]
  Array in_front = cube[{rows, all, columns}];                    // [3, 2]
  Array in_place = cube[{range(1, none, 2), rows % 2, columns}];  // [2, 3]
  Array of_pairs = table[{rows[{all, newaxis}] - 4, columns}];    // [3, 3]
  Array one = table[{axis_index("x"), range(1, none)}];           // [2]
  Array whole = in_front * one + cube[{1, range(none, none, -1), columns}];
  return over_devices(tanh(whole) + sin(in_place[{newaxis, 0, all, newaxis}])) +
         over_devices(of_pairs * in_place[1]);
}

Array indexed_out_of_range(const Arrays& a) {
  const Array &x = a[0], &table = a[1];
  Array rows = arange(2, DType::i32) * 5 + axis_index("x") - 2;  // -2 .. 6
  Array is_there = rows[{all, newaxis}] < 4;
  Array filled = where(is_there, table.at(rows).get({.mode = IndexMode::fill}), 0.5);
  Array clipped = table.at(rows).get({.mode = IndexMode::clip});
  return over_devices(sin(filled * x) * clipped);
}

Array written_by_arrays(const Arrays& a) {
  const Array &x = a[0], &table = a[1];
  Array rows = rows_by_position(2, 2, 4), far = rows * 2 - 3;  // -3 .. 3
  Array beyond = rows + axis_index("x");                       // 0 .. 6
  Array added = table.at(far).add(x) + table.at(beyond).add(x * x, {.mode = IndexMode::clip});
  Array put = table.at(rows).set(x) * table.at({beyond, range(1, none)}).set(x[{all, 1, newaxis}]);
  Array multiplied = table.at({rows, range(none, none, -1)}).multiply(x, {.unique_indices = true});
  Array bounded =
      table.at(beyond).min(x) * table.at({rows[{all, newaxis}], rows % 3}).max(x[{all, range(0, 2)}]);
  return over_devices(sin(added) * multiplied + tanh(put) * bounded);
}

Array extremes_that_meet(const Arrays& a) {
  const Array &x = a[0], &table = a[1];
  Array rows = rows_by_position(2, 4, 4);  // the same twice
  Array doubled = concatenate({x, x[0][newaxis]});
  Array thrice = concatenate({rows, rows[range(0, 1)]});
  return over_devices(sin(table.at(thrice).max(doubled)) + table * table.at(thrice).min(doubled));
}

Array written_by_numbers_and_ranges(const Arrays& a) {
  const Array &x = a[0], &table = a[1];
  Array put = table.at({range(none, none, 2), range(none, none, -1)}).set(x);
  Array corner = table.at({-1, range(0, 2)}).multiply(x[{0, range(1, none)}]);
  Array added = table.at(range(1, 3)).add(sin(x)).at({all, 0}).max(0.25);
  return over_devices(tanh(put) * corner * added.at({ellipsis, range(1, none)}).min(x[{0, 0}]));
}

}  // namespace

std::vector<Function> indexing_functions() {
  const std::vector<P> specs{by_x, everywhere};
  const std::vector<Shape> shapes{{8, 3}, {4, 3}};
  return {
      {"indexed_by_numbers_and_ranges", specs, shapes, indexed_by_numbers_and_ranges},
      {"indexed_by_arrays", specs, shapes, indexed_by_arrays},
      {"indexed_out_of_range", specs, shapes, indexed_out_of_range},
      {"written_by_arrays", specs, shapes, written_by_arrays},
      {"extremes_that_meet", specs, shapes, extremes_that_meet},
      {"written_by_numbers_and_ranges", specs, shapes, written_by_numbers_and_ranges},
  };
}

}  // namespace tutti
