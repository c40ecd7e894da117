// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/unary_table.hpp"

#include "tutti/base/require.hpp"

namespace tutti {

void refuse(UnaryFn fn, Type x) {
  switch (facts_of(fn).dtypes) {
    case DTypes::numbers:
      fail(Code::dtype, "{} is neither float nor integer; convert it: convert(x, DType::i32)", to_string(x));
    case DTypes::bits:
      fail(Code::dtype, "{} is {}, which has no bits to turn; compare it: equal(x, 0)", to_string(x),
           is_float(x.dtype()) ? "float" : "complex");
    case DTypes::complex:
      fail(Code::dtype, "{} is not complex, it is its own real part; use it as it is", to_string(x));
    case DTypes::integers:
      fail(Code::dtype,
           "{} is not an integer; convert it: convert(x, DType::i32), or take the bits of a float: "
           "bitcast_convert(x, DType::u32)",
           to_string(x));
    case DTypes::floats:
    case DTypes::floats_and_complex:
    case DTypes::all:
    case DTypes::not_complex:
    case DTypes::reals:
    case DTypes::parts: break;
  }
  if (is_complex(x.dtype()))
    fail(Code::dtype, "{} is complex, for which it is not defined; apply it to the parts: real(x), imag(x)",
         to_string(x));
  fail(Code::dtype, "{} is not float; convert it: convert(x, DType::f32)", to_string(x));
}

ExampleOperand example_operand(UnaryFn fn, Type type) {
  const UnaryFacts& facts = facts_of(fn);
  const auto [low, high] = facts.range;
  if (is_unsigned(type.dtype()) && high < 0) return {type, 0, -low};
  if (is_unsigned(type.dtype()) && contains(DTypes::bits, type.dtype()) && low < -2) return {type, 0, high};
  return {type, low, high};
}

}  // namespace tutti
