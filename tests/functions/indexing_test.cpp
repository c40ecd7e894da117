// SPDX-License-Identifier: Apache-2.0
// Indices out of range, errors at their lines, what indexing costs; indexing_as_numpy_test.cpp has what it
// means.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

template <class T>
Tensor row(const std::vector<T>& values) {
  return Tensor(Shape{static_cast<std::int64_t>(values.size())}, values);
}
using Doubles = std::vector<double>;
using Ints = std::vector<std::int32_t>;

const Tensor four = row<double>({10, 11, 12, 13}), beyond = row<std::int32_t>({-5, -4, 3, 4});
const double nan = std::numeric_limits<double>::quiet_NaN();

Tensor of_both(const std::function<Array(Array, Array)>& function, const Tensor& x, const Tensor& i) {
  return computed_by([&](const Arrays& a) { return function(a[0], a[1]); }, {x, i});
}

// --- Indices out of range ----------------------------------------------------------------------------------

TEST(index, of_arrays_reads_the_nearest_element_if_out_of_range) {
  EXPECT_EQ(of_both([](Array x, Array i) { return x[i]; }, four, beyond), row<double>({10, 10, 13, 13}));
  EXPECT_EQ(of_both([](Array x, Array i) { return x[i[-1]]; }, four, beyond), Tensor::scalar(13.0));
  EXPECT_EQ(of_both([](Array x, Array i) { return x[i[0]]; }, four, beyond), Tensor::scalar(10.0));
}

TEST(at, gets_the_nearest_element_or_nan) {
  auto got = [](std::optional<IndexMode> mode) {
    return of_both([=](Array x, Array i) { return select(i < -99, 0, x.at(i).get({.mode = mode})); }, four,
                   beyond);
  };
  EXPECT_EQ(got(std::nullopt), row<double>({10, 10, 13, 13}));
  EXPECT_EQ(got(IndexMode::clip), row<double>({10, 10, 13, 13}));
  for (IndexMode mode : {IndexMode::fill, IndexMode::drop}) {
    Tensor filled = got(mode);
    EXPECT_TRUE(std::isnan(filled.at(0)) && std::isnan(filled.at(3)));
    EXPECT_EQ((Doubles{filled.at(1), filled.at(2)}), (Doubles{10, 13}));
  }
}

TEST(at, fills_integers_with_the_smallest_value_and_unsigned_with_the_largest) {
  auto filled = [](const Tensor& x) {
    return of_both([](Array a, Array i) { return a.at(i).get({.mode = IndexMode::fill}); }, x, beyond);
  };
  EXPECT_EQ(filled(row<std::int8_t>({1, 2, 3, 4})), row<std::int8_t>({-128, 1, 4, -128}));
  EXPECT_EQ(filled(row<std::uint16_t>({1, 2, 3, 4})), row<std::uint16_t>({65535, 1, 4, 65535}));
}

TEST(at, fills_at_a_scalar_index) {
  EXPECT_TRUE(std::isnan(
      of_both([](Array x, Array i) { return x.at(i[0]).get({.mode = IndexMode::fill}); }, four, beyond)
          .at(0)));
}

TEST(at, drops_what_is_out_of_range_or_brings_it_inside) {
  auto added = [](const AtOptions& options) {
    return of_both([=](Array x, Array i) { return x.at(i).add(1.0, options); }, four, beyond);
  };
  EXPECT_EQ(added({}), row<double>({11, 11, 12, 14}));
  EXPECT_EQ(added({.mode = IndexMode::drop}), row<double>({11, 11, 12, 14}));
  EXPECT_EQ(added({.mode = IndexMode::fill}), row<double>({11, 11, 12, 14}));
  EXPECT_EQ(added({.mode = IndexMode::clip}), row<double>({12, 11, 12, 15}));
}

TEST(at, writes_nothing_into_no_elements) {
  EXPECT_EQ(of_both([](Array x, Array i) { return x[range(0, 0)].at(i).set(1.0); }, four, beyond),
            row<double>({}));
  EXPECT_EQ(of_both([](Array x, Array i) { return x.at(i[range(0, 0)]).set(1.0); }, four, beyond), four);
}

TEST(index, takes_indices_of_every_integer_dtype) {
  std::vector<double> values;
  for (int i = 0; i < 300; ++i) values.push_back(i);
  auto at = [&](const Tensor& i) { return of_both([](Array x, Array n) { return x[n]; }, row(values), i); };
  EXPECT_EQ(at(row<std::int8_t>({-1, 127, -128})), row<double>({299, 127, 172}));
  EXPECT_EQ(at(row<std::uint8_t>({255, 0})), row<double>({255, 0}));
  EXPECT_EQ(at(row<std::int16_t>({-300, 299})), row<double>({0, 299}));
  EXPECT_EQ(at(row<std::uint32_t>({4294967295U, 1})), row<double>({299, 1}));
  EXPECT_EQ(at(row<std::int64_t>({-1, std::int64_t{1} << 40})), row<double>({299, 299}));
  EXPECT_EQ(at(row<std::uint64_t>({~std::uint64_t{0}, 2})), row<double>({299, 2}));
}

TEST(index, mixes_arrays_of_different_integers) {
  EXPECT_EQ(computed_by([](const Arrays& a) { return a[0][{a[1], a[2]}]; },
                        {counted(DType::f32, {2, 3}), row<std::int64_t>({1, -1}), row<std::uint8_t>({2, 0})}),
            row<float>({6, 4}));
}

TEST(index, by_cpp_numbers_of_every_type) {
  EXPECT_EQ(of_both([](Array x,
                       Array) { return stack({x[std::size_t{1}], x[short{-1}], x[2U], x[std::int64_t{0}]}); },
                    four, beyond),
            row<double>({11, 13, 12, 10}));
}

// --- all ---------------------------------------------------------------------------------------------------

TEST(all, is_true_where_no_element_is_zero) {
  Tensor x(Shape{2, 3}, Doubles{1, 0, nan, 2, -3, 4});
  auto found = [&](const std::function<Array(Array)>& function) {
    return computed_by([&](const Arrays& a) { return function(a[0]); }, {x});
  };
  EXPECT_EQ(found([](Array a) { return all(a); }), Tensor::scalar(false));
  EXPECT_EQ(found([](Array a) { return convert(all(a, 0), DType::i32); }), row<std::int32_t>({1, 0, 1}));
  EXPECT_EQ(found([](Array a) { return convert(all(a > -5.0, -1), DType::i32); }), row<std::int32_t>({0, 1}));
  EXPECT_EQ(found([](Array a) { return all(a[{all, range(3, none)}]); }), Tensor::scalar(true));
}

TEST(all, refuses_a_dim_that_is_not_there) {
  expect_refused(traced([](Array x) {
                   return all(x, 1);  // refused
                 }),
                 "T006 {file}:{line}: all: dim 1 is out of range for f32[4], which has dims -1 to 0");
}

// --- Errors ------------------------------------------------------------------------------------------------

Array square_of(const Array& x) { return reshape(x, {2, 2}); }

TEST(index, refuses_a_number_out_of_range) {
  expect_refused(
      traced([](Array x) {
        return x[4];  // refused
      }),
      "T006 {file}:{line}: index: 4 is out of range for dim 0 of f32[4], which has size 4; indices "
      "go from -4 to 3");
  expect_refused(
      traced([](Array x) {
        return x[range(0, 0)].at(-1).get();  // refused
      }),
      "T006 {file}:{line}: at.get: -1 is out of range for dim 0 of f32[0], which has size 0; it has "
      "no elements");
}

TEST(index, refuses_a_number_too_large_for_any_array) {
  expect_refused(traced([](Array x) {
                   return x[~std::uint64_t{0}];  // refused
                 }),
                 "T006 {file}:{line}: index: 9223372036854775807 is out of range for dim 0 of f32[4], which "
                 "has size 4; indices go from -4 to 3");
}

TEST(index, names_the_line_of_the_index_that_is_wrong) {
  expect_refused(traced([](Array x) {
                   return square_of(x)[{
                       0,
                       Index(-3),  // refused
                   }];
                 }),
                 "T006 {file}:{line}: index: -3 is out of range for dim 1 of f32[2,2], which has size 2; "
                 "indices go from -2 to 1");
  expect_refused(traced([](Array x) {
                   return square_of(x)
                       .at({
                           all, range(0, 1, 0),  // refused
                       })
                       .set(1);
                 }),
                 "T005 {file}:{line}: at.set: the range along dim 1 of f32[2,2] has a step of 0; it is 1 or "
                 "more, or negative");
  expect_refused(traced([](Array x) {
                   return x[x];  // refused
                 }),
                 "T007 {file}:{line}: index: the index is f32[4], not integers; convert it: "
                 "convert(x, DType::i32)");
}

Array library_function(const Operand& x) {
  return front_end("library_function", x.where(), [&] { return (*x.array())[9]; });
}

TEST(index, in_another_function_names_the_line_of_its_caller) {
  expect_refused(
      traced([](Array x) {
        return library_function(x);  // refused
      }),
      "T006 {file}:{line}: library_function: 9 is out of range for dim 0 of f32[4], which has size "
      "4; indices go from -4 to 3");
}

TEST(index, refuses_masks_and_names_where) {
  expect_refused(traced([](Array x) {
                   return x[x > 0];  // refused
                 }),
                 "T007 {file}:{line}: index: the index is the mask bool[4]; how many elements it selects is "
                 "not known while a program is traced. Use where(mask, x, y), which keeps the shape");
}

TEST(index, refuses_more_indices_than_dims) {
  expect_refused(traced([](Array x) {
                   return x[{newaxis, 0, ellipsis, all}];  // refused
                 }),
                 "T006 {file}:{line}: index: 2 indices for f32[4], which has 1 dim; leave some out");
}

TEST(index, refuses_a_second_ellipsis) {
  expect_refused(traced([](Array x) {
                   return x[{ellipsis, 0, ellipsis}];  // refused
                 }),
                 "T006 {file}:{line}: index: a second ellipsis; one stands for all dims that are left over");
}

TEST(index, refuses_a_step_of_zero) {
  expect_refused(
      traced([](Array x) {
        return x[range(0, 2, 0)];  // refused
      }),
      "T005 {file}:{line}: index: the range along dim 0 of f32[4] has a step of 0; it is 1 or more, "
      "or negative");
}

TEST(index, refuses_arrays_that_do_not_broadcast) {
  expect_refused(
      traced([](Array x) {
        Array three = arange(3, DType::i32), two = arange(2, DType::i32);
        return square_of(x)[{three, two}];  // refused
      }),
      "T005 {file}:{line}: index: shapes [3] and [2] do not broadcast: 3 and 2 in dim 1 from the end; "
      "sizes must be equal, or 1");
}

TEST(index, refuses_to_take_from_nothing) {
  expect_refused(traced([](Array x) {
                   Array rows = arange(3, DType::i32);
                   return x[range(0, 0)][rows];  // refused
                 }),
                 "T005 {file}:{line}: index: f32[0] has no elements to take (gather_c21)");
}

TEST(index, outside_of_a_trace_says_how_to_read_elements) {
  Array finished(four);
  expect_refused([&] { (void)finished[0]; },  // refused
                 "T011 {file}:{line}: index: nothing is traced here; call it in a function that a machine "
                 "compiles: auto run = machine.compile([](Array x) { return x[0]; }, x); Array y = run(x). "
                 "Elements of a finished array are read by x.values<float>()[0]");
}

TEST(at, refuses_updates_of_another_shape_or_dtype) {
  expect_refused(traced([](Array x) {
                   return square_of(x).at(0).set(x);  // refused
                 }),
                 "T005 {file}:{line}: at.set: the updates are f32[4], the indices name elements of the shape "
                 "[2]; they do not broadcast to it");
  expect_refused(traced([](Array x) {
                   return x.at(0).add(convert(x[0], DType::f64));  // refused
                 }),
                 "T007 {file}:{line}: at.add: f32[4] and f64[] have different dtypes; convert one of them: "
                 "convert(x, DType::f64)");
  expect_refused(
      traced([](Array x) {
        return convert(x, DType::i32).at(0).set(1.5);  // refused
      }),
      "T008 {file}:{line}: at.set: the number 1.5 does not fit i32; write a whole number without a "
      "point, or convert to a float dtype");
}

TEST(at, refuses_sums_and_products_of_bool) {
  expect_refused(traced([](Array x) {
                   return (x > 0).at(0).add(true);  // refused
                 }),
                 "T007 {file}:{line}: at.add: bool[4] is bool, which has no sum; convert it to i32 first");
  expect_refused(
      traced([](Array x) {
        Array rows = arange(2, DType::i32);
        return (x > 0).at(rows).multiply(true);  // refused
      }),
      "T007 {file}:{line}: at.multiply: bool[4] is bool, which has no product; for \"and\" take the "
      "minimum, or convert it to i32");
}

// --- States and derivatives --------------------------------------------------------------------------------

TEST(index, refuses_a_varying_index_into_a_sum) {
  expect_refused(
      on_devices([](Array x) {
        Array sum = pcast(x, "data", unreduced);
        return sum[axis_index("data")];  // refused
      }),
      "T004 {file}:{line}: index: the operand is an unreduced sum over 'data' (f32[2]{U:data}), the "
      "index is different on each device along 'data' (i32[]{V:data}): each device would look up "
      "another term. Reduce first: psum(x, \"data\")");
}

TEST(at, refuses_products_of_a_sum) {
  expect_refused(
      on_devices([](Array x) {
        Array sum = pcast(x, "data", unreduced);
        return sum.at(arange(2, DType::i32)).multiply(2);  // refused
      }),
      "T004 {file}:{line}: at.multiply: operand 0 is an unreduced sum over 'data' "
      "(f32[2]{U:data}), which only linear functions take. Reduce first: psum(operand 0, \"data\")");
}

TEST(at, multiplies_with_a_derivative_by_the_array) {
  auto body = [](Array x, Array i) { return reduce_sum(x.at(i).multiply(3.0)); };
  auto slope = [&](const Arrays& a) { return grad(body)(a[0], a[1]); };
  EXPECT_EQ(computed_by(slope, {four, row<std::int32_t>({1, 1, -1, 7})}), row<double>({1, 9, 1, 3}));
}

TEST(at, multiplies_with_a_derivative_by_the_updates_if_indices_are_unique) {
  auto slope_with = [](const AtOptions& options) {
    return [options](const Arrays& a) {
      auto body = [&](Array u) { return reduce_sum(a[0].at(a[1]).multiply(u, options)); };
      return grad(body)(a[2]);
    };
  };
  const Tensor i = row<std::int32_t>({1, -1, 7}), u = row<double>({2, 3, 4});
  EXPECT_EQ(computed_by(slope_with({.unique_indices = true}), {four, i, u}), row<double>({11, 13, 0}));
  expect_refused(traced([](Array x) {
                   auto body = [&](Array factors) {
                     return reduce_sum(x.at(arange(4, DType::i32)).multiply(factors));  // refused
                   };
                   return grad(body)(x);
                 }),
                 "T010 {file}:{line}: scatter_multiply: jvp is refused: the derivative of a product by its "
                 "updates is only known where no two of them meet; if none do, say so with .unique_indices = "
                 "true");
}

TEST(at, of_extremes_shares_the_derivative_among_equals) {
  const Tensors given{four, row<std::int32_t>({1, 1, 2, -1, 9}), row<double>({11, 11, 5, 20, 99})};
  auto by_x = [](const Arrays& a) {
    return grad([&](Array x) { return reduce_sum(x.at(a[1]).max(a[2])); })(a[0]);
  };
  auto by_updates = [](const Arrays& a) {
    return grad([&](Array u) { return reduce_sum(a[0].at(a[1]).max(u)); })(a[2]);
  };
  EXPECT_EQ(computed_by(by_x, given), row<double>({1, 1.0 / 3, 1, 0}));
  EXPECT_EQ(computed_by(by_updates, given), row<double>({1.0 / 3, 1.0 / 3, 0, 1, 0}));
}

// --- Cost --------------------------------------------------------------------------------------------------

std::vector<std::string> ops_of(const std::function<Array(const Arrays&)>& function) {
  const Types types{Type(DType::f32, {5, 3}), Type(DType::i32, {4}), Type(DType::f32, {4, 3})};
  std::vector<std::string> names;
  for (const Equation& equation :
       trace(types, [&](const Arrays& x) { return Arrays{function(x)}; }).program.equations)
    names.emplace_back(equation.op->name());
  return names;
}
using Names = std::vector<std::string>;

TEST(index, by_numbers_and_ranges_is_made_of_views) {
  EXPECT_EQ(ops_of([](const Arrays& a) { return a[0][0]; }), (Names{"slice", "reshape"}));
  EXPECT_EQ(ops_of([](const Arrays& a) { return a[0][{ellipsis, range(none, none, -2)}]; }),
            (Names{"slice", "reverse"}));
  EXPECT_EQ(ops_of([](const Arrays& a) { return a[0][{all, newaxis}]; }), (Names{"reshape"}));
  EXPECT_EQ(ops_of([](const Arrays& a) { return a[0][{}]; }), Names{});
}

TEST(index, by_an_array_is_one_gather) {
  const Names wrapped{"constant", "broadcast_in_dim", "lt", "constant", "broadcast_in_dim", "add", "select"};
  auto then = [&](const std::string& last) {
    Names names = wrapped;
    names.push_back(last);
    return names;
  };
  EXPECT_EQ(ops_of([](const Arrays& a) { return a[0][a[1]]; }), then("gather"));
  EXPECT_EQ(ops_of([](const Arrays& a) { return a[0][{a[1], range(0, 2)}]; }), then("gather"));
  EXPECT_EQ(ops_of([](const Arrays& a) { return a[0].at(a[1]).add(a[2]); }), then("scatter_add"));
  EXPECT_EQ(ops_of([](const Arrays& a) { return a[0].at({all, a[1]}).min(1).at(0).set(1); }).back(),
            "dynamic_update_slice");
}

TEST(index, by_an_array_in_a_trace_of_one_scalar_is_a_dynamic_slice) {
  Names names = ops_of([](const Arrays& a) { return a[0][reduce_sum(a[1])]; });
  EXPECT_EQ(std::ranges::count(names, "gather"), 0);
  EXPECT_EQ(std::ranges::count(names, "dynamic_slice"), 1);
}

TEST(at, of_a_box_adds_in_place) {
  EXPECT_EQ(ops_of([](const Arrays& a) { return a[0].at(range(1, none)).add(a[2]); }),
            (Names{"slice", "add", "constant", "constant", "dynamic_update_slice"}));
}

}  // namespace
}  // namespace tutti
