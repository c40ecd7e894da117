// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/binary_table.hpp"

namespace tutti {
namespace {

bool is_shift(BinaryFn fn) {
  return fn == BinaryFn::shift_left || fn == BinaryFn::shift_right_arithmetic ||
         fn == BinaryFn::shift_right_logical;
}

}  // namespace

std::vector<ExampleOperand> example_operands(BinaryFn fn, Type x, Type y) {
  if (is_shift(fn) && is_unsigned(x.dtype())) return {{x, 0, 255}, {y, 0, 70}};
  if (is_shift(fn)) return {{x, -99, 99}, {y, -3, 35}};
  if (is_unsigned(x.dtype())) return {{x, 0, 200}, {y, 0, fn == BinaryFn::pow ? 3.0 : 7.0}};
  if (!is_inexact(x.dtype()))
    return {{x, -7, 7}, {y, fn == BinaryFn::pow ? 0.0 : -7.0, fn == BinaryFn::pow ? 3.0 : 7.0}};
  const BinaryFacts& facts = facts_of(fn);
  return {{x, facts.x.low, facts.x.high}, {y, facts.y.low, facts.y.high}};
}

}  // namespace tutti
