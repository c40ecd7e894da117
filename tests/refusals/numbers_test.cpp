// SPDX-License-Identifier: Apache-2.0
// Element types that do not fit, and numbers that an element type cannot hold.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/refusal.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

Array integers(const Array& x) { return convert(x, DType::i32); }
Array bools(const Array& x) { return x > 0; }
Array z(const Array& x) { return convert(x, DType::complex64); }

TEST(dtypes, that_differ_are_not_mixed) {
  expect_refused(traced([](Array x) {
                   return integers(x) * x;  // refused
                 }),
                 "T007 {file}:{line}: mul: i32[4] and f32[4] have different dtypes; convert one of them: "
                 "convert(x, DType::f32)");
  expect_refused(traced([](Array x) {
                   return bools(x) | integers(x);  // refused
                 }),
                 "T007 {file}:{line}: or: bool[4] and i32[4] have different dtypes; convert one of them: "
                 "convert(x, DType::i32)");
  expect_refused(traced([](Array x) {
                   return matmul(x, convert(x, DType::f64));  // refused
                 }),
                 "T007 {file}:{line}: matmul: f32[4] and f64[4] have different dtypes (dot_general_c13); "
                 "convert one of them: convert(x, DType::f64)");
  expect_refused(traced([](Array x) {
                   return select(bools(x), x, bools(x));  // refused
                 }),
                 "T007 {file}:{line}: select: f32[4] and bool[4] have different dtypes; convert one of them: "
                 "convert(x, DType::f32)");
}

TEST(dtypes, that_a_function_does_not_take_are_refused) {
  expect_refused(traced([](Array x) {
                   return exp(integers(x));  // refused
                 }),
                 "T007 {file}:{line}: exp: i32[4] is not float; convert it: convert(x, DType::f32)");
  expect_refused(
      traced([](Array x) {
        return -bools(x);  // refused
      }),
      "T007 {file}:{line}: neg: bool[4] is neither float nor integer; convert it: convert(x, DType::i32)");
  expect_refused(
      traced([](Array x) {
        return bools(x) - bools(x);  // refused
      }),
      "T007 {file}:{line}: sub: bool[4] is neither float nor integer; convert it: convert(x, DType::i32)");
  expect_refused(traced([](Array x) {
                   return x & x;  // refused
                 }),
                 "T007 {file}:{line}: and: f32[4] is float; convert it: convert(x, DType::i32)");
  expect_refused(traced([](Array x) {
                   return matmul(bools(x), bools(x));  // refused
                 }),
                 "T007 {file}:{line}: matmul: bool[4] is bool, which has no product of matrices; convert it: "
                 "convert(x, DType::f32)");
  expect_refused(traced([](Array x) {
                   return one_hot(x, 3);  // refused
                 }),
                 "T007 {file}:{line}: one_hot: f32[4] is not an array of integers, so it has no classes; "
                 "convert it: convert(x, DType::i32)");
  expect_refused(traced([](Array x) {
                   return cross_entropy(reshape(x, {2, 2}), zeros({2}, DType::f32));  // refused
                 }),
                 "T007 {file}:{line}: cross_entropy: f32[2] is not an array of integers, so it has no "
                 "classes; convert it: convert(x, DType::i32)");
  expect_refused(traced([](Array x) {
                   return softmax(integers(x));  // refused
                 }),
                 "T007 {file}:{line}: softmax: i32[4] is not float; convert it: convert(x, DType::f32)");
  expect_refused(
      traced([](Array x) {
        return select(x, x, x);  // refused
      }),
      "T007 {file}:{line}: select: the predicate is f32[4], not bool; compare it: not_equal(x, 0)");
  expect_refused(traced([](Array) {
                   return iota({2}, DType::boolean, 0);  // refused
                 }),
                 "T007 {file}:{line}: iota: bool does not count; use DType::i32");
  expect_refused(
      on_devices([](Array x) {
        return psum_scatter(pcast(bools(x), "data", unreduced), "data");  // refused
      }),
      "T007 {file}:{line}: pcast: bool[2]{V:data} is bool, which has no sum; convert it to i32 first");
}

TEST(numbers, with_a_point_do_not_stand_beside_integers) {
  expect_refused(traced([](Array x) {
                   return integers(x) * 0.5;  // refused
                 }),
                 "T008 {file}:{line}: mul: the number 0.5 does not fit i32; write a whole number without a "
                 "point, or convert to a float dtype");
}

TEST(numbers, fit_the_integers_beside_them) {
  expect_refused(traced([](Array x) {
                   return integers(x) + 3'000'000'000;  // refused
                 }),
                 "T008 {file}:{line}: add: the number 3000000000 does not fit i32; write one that is nearer "
                 "to 0, or convert to i64");
  expect_refused(traced([](Array x) {
                   return -3'000'000'000 < integers(x);  // refused
                 }),
                 "T008 {file}:{line}: lt: the number -3000000000 does not fit i32; write one that is nearer "
                 "to 0, or convert to i64");
  expect_refused(traced([](Array x) {
                   return convert(x, DType::i64) + std::numeric_limits<std::uint64_t>::max();  // refused
                 }),
                 "T008 {file}:{line}: add: the number 18446744073709551615 does not fit i64; write one "
                 "that is nearer to 0, or convert to a float dtype");
}

TEST(numbers, fit_narrow_unsigned_and_16_bit_numbers) {
  expect_refused(
      traced([](Array x) {
        return convert(x, DType::i8) + 128;  // refused
      }),
      "T008 {file}:{line}: add: the number 128 does not fit i8; write one that is nearer to 0, or convert "
      "to i64");
  expect_refused(
      traced([](Array x) {
        return convert(x, DType::u16) * -1;  // refused
      }),
      "T008 {file}:{line}: mul: the number -1 does not fit u16; write one that is 0 or more, or convert to "
      "a signed dtype");
  expect_refused(
      traced([](Array x) {
        return convert(x, DType::f16) + 70'000;  // refused
      }),
      "T008 {file}:{line}: add: the number 70000 does not fit f16; write one that is nearer to 0, or "
      "convert to f32");
  expect_refused(
      traced([](Array x) {
        return convert(x, DType::bf16) * 1e39;  // refused
      }),
      "T008 {file}:{line}: mul: the number 1e+39 does not fit bf16; write one that is nearer to 0, or "
      "convert to f64");
}

TEST(numbers, do_not_become_infinite_silently) {
  expect_refused(
      traced([](Array x) {
        return x * 1e300;  // refused
      }),
      "T008 {file}:{line}: mul: the number 1e+300 does not fit f32; write one that is nearer to 0, or "
      "convert to f64");
  expect_refused(
      traced([](Array x) {
        return maximum(x, -3.5e38);  // refused
      }),
      "T008 {file}:{line}: maximum: the number -3.5e+38 does not fit f32; write one that is nearer to 0, "
      "or convert to f64");
  expect_refused(
      traced([](Array x) {
        return z(x) + 1e39;  // refused
      }),
      "T008 {file}:{line}: add: the number 1e+39 does not fit complex64; write one that is nearer to 0, "
      "or convert to complex128");
  expect_refused(
      traced([](Array x) {
        return convert(x, DType::i8) + 300;  // refused
      }),
      "T008 {file}:{line}: add: the number 300 does not fit i8; write one that is nearer to 0, or convert "
      "to i64");
  expect_refused(
      traced([](Array) {
        return full({2}, 1e40, DType::f32);  // refused
      }),
      "T008 {file}:{line}: full: the number 1e+40 does not fit f32; write one that is nearer to 0, or "
      "convert to f64");
}

TEST(numbers, that_round_to_finite_ones_or_are_infinite_are_taken) {
  using Limits = std::numeric_limits<double>;
  for (DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::complex64})
    for (double taken :
         {1e-300, -1e-300, 65504.0, Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()})
      EXPECT_EQ(refusal(traced([&](Array x) { return convert(x, dtype) * taken; })), "accepted")
          << name(dtype) << " " << taken;
  // The next number after the largest f32 that rounds to it, and all of f64.
  double largest = std::numeric_limits<float>::max(), half_a_step = std::ldexp(1.0, 103);
  EXPECT_EQ(refusal(traced([&](Array x) { return x * std::nextafter(largest + half_a_step, 0); })),
            "accepted");
  EXPECT_NE(refusal(traced([&](Array x) { return x * (largest + half_a_step); })), "accepted");
  EXPECT_EQ(refusal(traced([](Array x) { return convert(x, DType::f64) * Limits::max(); })), "accepted");
}

TEST(indices, of_more_than_2_to_the_31_elements_are_i64) {
  const Array longest = abstract({std::int64_t{1} << 31}, DType::i8),
              longer = abstract({2, (std::int64_t{1} << 31) + 1}, DType::i8);
  auto of = [](const Array& x, const std::function<Array(Array)>& f) {
    return [&x, f] { trace({x.type()}, [&](const Arrays& in) { return Arrays{f(in[0])}; }); };
  };
  expect_refused(
      of(longer,
         [](Array x) {
           return argmax(x, 1);  // refused
         }),
      "T007 {file}:{line}: argmax: dim 1 of i8[2,2147483649] has more than 2^31 elements, beyond the "
      "indices of i32 (argmax_c4); ask for i64: argmax(x, dim, DType::i64)");
  expect_refused(
      of(longer,
         [](Array x) {
           return argmin(x, 1);  // refused
         }),
      "T007 {file}:{line}: argmin: dim 1 of i8[2,2147483649] has more than 2^31 elements, beyond the "
      "indices of i32 (argmax_c4); ask for i64: argmin(x, dim, DType::i64)");
  expect_refused(
      of(longer,
         [](Array x) {
           return argsort(x);  // refused
         }),
      "T007 {file}:{line}: argsort: dim 1 of i8[2,2147483649] has more than 2^31 elements, beyond the "
      "indices of i32; carry others along: sort({x, iota(x.shape(), DType::i64, 1)}, 1)[1]");
  expect_refused(
      of(longer,
         [](Array x) {
           return reduce_sum(x > 0, 1);  // refused
         }),
      "T007 {file}:{line}: reduce_sum: bool[2,2147483649] has more bools to count than i32 can; count in "
      "i64: reduce_sum(convert(x, DType::i64))");
  EXPECT_EQ(refusal(of(longer, [](Array x) { return reduce_sum(x > 0, 0); })), "accepted");
  EXPECT_EQ(refusal(of(longest, [](Array x) { return argmax(x); })), "accepted");
  EXPECT_EQ(refusal(of(longer, [](Array x) { return argmax(x, 0); })), "accepted");
  EXPECT_EQ(refusal(of(longer, [](Array x) { return argmin(x, 1, DType::i64); })), "accepted");
}

TEST(dtypes, that_have_no_order_are_not_ordered) {
  expect_refused(
      traced([](Array x) {
        return z(x) < z(x);  // refused
      }),
      "T007 {file}:{line}: lt: complex64[4] is complex and has no order; use real(x), imag(x) or abs(x)");
  expect_refused(
      traced([](Array x) {
        return sort(z(x), 0);  // refused
      }),
      "T007 {file}:{line}: sort: complex64[4] is complex and has no order; use real(x), imag(x) or abs(x)");
  expect_refused(
      traced([](Array x) {
        return argmax(z(x), 0);  // refused
      }),
      "T007 {file}:{line}: argmax: complex64[4] is complex and has no order; use real(x), imag(x) or abs(x)");
  expect_refused(traced([](Array x) {
                   return reduce_max(z(x));  // refused
                 }),
                 "T007 {file}:{line}: reduce_max: complex64[4] is complex and has no order; use real(x), "
                 "imag(x) or abs(x)");
  expect_refused(
      traced([](Array x) {
        return clamp(0, z(x), 1);  // refused
      }),
      "T007 {file}:{line}: clamp: complex64[4] is complex and has no order; use real(x), imag(x) or abs(x)");
  expect_refused(
      on_devices([](Array x) {
        return pmax(z(x), "data");  // refused
      }),
      "T007 {file}:{line}: pmax: complex64[2]{V:data} is complex and has no order; use real(x), imag(x) or "
      "abs(x)");
}

TEST(dtypes, that_are_complex_go_into_complex_functions_only) {
  expect_refused(
      traced([](Array x) {
        return erf(z(x));  // refused
      }),
      "T007 {file}:{line}: erf: complex64[4] is complex, for which it is not defined; apply it to the "
      "parts: real(x), imag(x)");
  expect_refused(
      traced([](Array x) {
        return maximum(z(x), 0);  // refused
      }),
      "T007 {file}:{line}: maximum: complex64[4] is complex, for which it is not defined; apply it to "
      "the parts: real(x), imag(x)");
  expect_refused(
      traced([](Array x) {
        return bitcast_convert(z(x), DType::f32);  // refused
      }),
      "T007 {file}:{line}: bitcast_convert: from complex64 to f32: a complex number is two numbers; take "
      "its parts: real(x), imag(x)");
  expect_refused(traced([](Array x) {
                   return imag(x);  // refused
                 }),
                 "T007 {file}:{line}: imag: f32[4] is not complex, it is its own real part; use it as it is");
  expect_refused(
      traced([](Array x) {
        return complex(convert(x, DType::f16), convert(x, DType::f16));  // refused
      }),
      "T007 {file}:{line}: complex: the parts are f16[4], not f32 or f64; convert them: convert(x, "
      "DType::f32)");
}

TEST(dtypes, of_indices_are_wide) {
  expect_refused(
      traced([](Array x) {
        return take(x, convert(x, DType::u8), 0);  // refused
      }),
      "T007 {file}:{line}: take: the index is u8[4]; indices are i32 or i64 (gather_c2); convert it: "
      "convert(x, DType::i64)");
}

TEST(gradients, are_of_real_losses) {
  auto square = [](const Array& z) { return reduce_sum(z * z); };
  expect_refused(
      traced([&](Array x) {
        return grad(square)(z(x));  // refused
      }),
      "T007 {file}:{line}: grad: the loss is complex64[], which is complex and has no smallest value; "
      "return a real number, such as real(loss)");
}

TEST(numbers, do_not_stand_beside_bools) {
  expect_refused(traced([](Array x) {
                   return bools(x) & 1;  // refused
                 }),
                 "T008 {file}:{line}: and: the number 1 does not fit bool; write true or false");
  expect_refused(traced([](Array x) {
                   return equal(bools(x), 0.0);  // refused
                 }),
                 "T008 {file}:{line}: eq: the number 0.0 does not fit bool; write true or false");
}

TEST(numbers, that_are_bools_do_not_stand_beside_others) {
  expect_refused(traced([](Array x) {
                   return x + true;  // refused
                 }),
                 "T008 {file}:{line}: add: the number true does not fit f32; write 0 or 1");
}

TEST(numbers, alone_are_no_operands) {
  expect_refused(traced([](Array) {
                   return maximum(1, 2);  // refused
                 }),
                 "T008 {file}:{line}: maximum: no operand is an array; compute with numbers in C++");
  expect_refused(on_devices([](Array) {
                   return psum(1, "data");  // refused
                 }),
                 "T008 {file}:{line}: psum: a number is equal on all devices; its sum is the number times "
                 "axis_size(\"data\"), in C++");
}

TEST(numbers, fit_the_dtype_that_is_asked_for) {
  expect_refused(traced([](Array) {
                   return full({2}, 0.5, DType::i32);  // refused
                 }),
                 "T008 {file}:{line}: full: the number 0.5 does not fit i32; write a whole number without a "
                 "point, or convert to a float dtype");
  expect_refused(traced([](Array) {
                   return full({2}, std::int64_t{1} << 40, DType::i32);  // refused
                 }),
                 "T008 {file}:{line}: full: the number 1099511627776 does not fit i32; write one that is "
                 "nearer to 0, or convert to i64");
  expect_refused(traced([](Array) {
                   return full({2}, true, DType::f32);  // refused
                 }),
                 "T008 {file}:{line}: full: the number true does not fit f32; write 0 or 1");
}

TEST(numbers, alone_are_no_branches) {
  expect_refused(traced([](Array x) {
                   return where(x > 1.0f, 1.0f, 0.0f);  // refused
                 }),
                 "T008 {file}:{line}: where: both branches are numbers, which have no dtype; make one an "
                 "array: full({}, "
                 "value, DType::f32)");
}

}  // namespace
}  // namespace tutti
