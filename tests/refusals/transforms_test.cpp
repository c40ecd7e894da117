// SPDX-License-Identifier: Apache-2.0
// Derivatives and batching of what has none.
#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

// An op that refuses every transform.
struct Opaque {
  static constexpr std::string_view name = "opaque";
  static constexpr About about{"A test's op.", ""};
  static constexpr Refused jvp{"its derivative is not known"}, transpose{"it is not linear"},
      batch{"it takes one row at a time"}, lower{"no program text has it"};

  Mixing mixing() const { return Mixing::alike; }
  Types infer(const Types& operands) const { return operands; }
  Kernel kernel(const Layout&) const { return kernel::View{}; }
  static std::vector<Example> examples() { return {}; }
  bool operator==(const Opaque&) const = default;
};

// Its tangent is what it computes, which it does not know how to transpose.
struct Forward : Opaque {
  static constexpr std::string_view name = "forward";
  static constexpr About about{"A test's op.", ""};
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const {
    return linear_jvp(*this, operands, tangents);
  }
};

Array opaque(const Operand& x) { return apply_one(Opaque{}, {*x.array()}, x.where()); }
Array forward(const Operand& x) { return apply_one(Forward{}, {*x.array()}, x.where()); }

TEST(grad, is_of_a_scalar) {
  expect_refused(
      traced([](Array x) {
        return grad([](Array y) { return y * y; })(x);  // refused
      }),
      "T005 {file}:{line}: grad: the loss is f32[4], not a scalar; sum it with reduce_sum or mean");
}

TEST(grad, is_of_a_float) {
  expect_refused(traced([](Array x) {
                   return grad([](Array y) { return convert(reduce_sum(y), DType::i32); })(x);  // refused
                 }),
                 "T007 {file}:{line}: grad: the loss is i32[], which has no derivative; return a float");
}

TEST(grad, is_of_something) {
  expect_refused(traced([](Array x) {
                   return grad([](Array) { return std::vector<Array>{}; })(x);  // refused
                 }),
                 "T005 {file}:{line}: grad: the function returns nothing; return the loss, a scalar");
}

TEST(grad, is_by_floats) {
  expect_refused(traced([](Array x) {
                   auto loss = [](Array i) { return reduce_sum(convert(i, DType::f32)); };
                   return value_and_grad(loss)(convert(x, DType::i32)).second;  // refused
                 }),
                 "T007 {file}:{line}: value_and_grad: argument leaf 0 is i32[4], which has no derivative; "
                 "close over it or make it a later argument");
}

TEST(grad, names_the_leaf_that_has_no_derivative) {
  struct Params {
    Array w, steps;
  };
  expect_refused(traced([](Array x) {
                   auto loss = [](const Params& p) { return reduce_sum(p.w); };
                   return grad(loss)(Params{x, convert(x, DType::i32)}).w;  // refused
                 }),
                 "T007 {file}:{line}: grad: argument leaf 1 is i32[4], which has no derivative; close over "
                 "it or make it a later argument");
}

TEST(grad, of_an_op_without_a_derivative_says_why) {
  expect_refused(traced([](Array x) {
                   auto loss = [](Array y) {
                     return reduce_sum(opaque(y));  // refused
                   };
                   return grad(loss)(x);
                 }),
                 "T010 {file}:{line}: opaque: jvp is refused: its derivative is not known");
}

TEST(grad, of_an_op_without_a_transpose_says_why) {
  expect_refused(traced([](Array x) {
                   auto loss = [](Array y) {
                     return reduce_sum(forward(y));  // refused
                   };
                   return grad(loss)(x);
                 }),
                 "T010 {file}:{line}: forward: transpose is refused: it is not linear");
}

TEST(jvp, of_an_op_without_a_derivative_says_why) {
  expect_refused(traced([](Array x) {
                   auto f = [](Array y) {
                     return opaque(y);  // refused
                   };
                   return jvp(f, std::tuple{x}, std::tuple{x}).second;
                 }),
                 "T010 {file}:{line}: opaque: jvp is refused: its derivative is not known");
}

TEST(jvp, takes_tangents_like_the_arguments) {
  auto square = [](Array y) { return y * y; };
  expect_refused(
      traced([&](Array x) {
        return jvp(square, std::tuple{x}, std::tuple{reduce_sum(x)}).second;  // refused
      }),
      "T005 {file}:{line}: jvp: tangent leaf 0 is f32[], expected f32[4]; hand in one of that type");
  expect_refused(traced([&](Array x) {
                   auto first = [](std::vector<Array> y) { return y[0]; };
                   std::vector<Array> one{x}, two{x, x};
                   return jvp(first, std::tuple{one}, std::tuple{two}).second;  // refused
                 }),
                 "T012 {file}:{line}: jvp: the trees differ at .0: found 2 parts ([0], [1]), expected 1 part "
                 "([0]); hand in the same structure");
  expect_refused(
      on_devices([&](Array x) {
        return jvp(square, std::tuple{ones_like(x)}, std::tuple{x}).second;  // refused
      }),
      "T004 {file}:{line}: jvp: tangent leaf 0 is f32[2]{V:data}, expected f32[2]; hand in one of that type");
}

TEST(vjp, takes_cotangents_like_the_results) {
  auto square = [](Array y) { return y * y; };
  expect_refused(
      traced([&](Array x) {
        auto [y, pullback] = vjp(square, std::tuple{x});
        return std::get<0>(pullback(reduce_sum(x)));  // refused
      }),
      "T005 {file}:{line}: vjp: cotangent leaf 0 is f32[], expected f32[4]; hand in one of that type");
  expect_refused(traced([&](Array x) {
                   auto [y, pullback] = vjp([](Array z) { return std::vector{z, z}; }, std::tuple{x});
                   return std::get<0>(pullback(std::vector{x}));  // refused
                 }),
                 "T012 {file}:{line}: vjp: the trees differ: found 1 part ([0]), expected 2 parts ([0], "
                 "[1]); hand in the same structure");
  expect_refused(on_devices([&](Array x) {
                   auto [y, pullback] = vjp(square, std::tuple{ones_like(x)});
                   return std::get<0>(pullback(x));  // refused
                 }),
                 "T004 {file}:{line}: vjp: cotangent leaf 0 is f32[2]{V:data}, expected f32[2]; hand in one "
                 "of that type");
}

TEST(vjp, of_an_op_without_a_transpose_says_why) {
  expect_refused(traced([](Array x) {
                   auto f = [](Array y) {
                     return forward(y);  // refused
                   };
                   return vjp(f, std::tuple{x}).first;
                 }),
                 "T010 {file}:{line}: forward: transpose is refused: it is not linear");
}

TEST(vmap, of_an_op_that_has_no_batch_rule_says_why) {
  expect_refused(traced([](Array x) {
                   auto f = [](Array y) {
                     return opaque(y);  // refused
                   };
                   return vmap(f)(x);
                 }),
                 "T010 {file}:{line}: opaque: batch is refused: it takes one row at a time");
}

TEST(vmap, maps_dims_of_one_size) {
  auto sum = [](Array x, Array y) { return x + y; };
  expect_refused(traced([&](Array x) {
                   return vmap(sum)(x, ones({3}, DType::f32));  // refused
                 }),
                 "T005 {file}:{line}: vmap: argument leaf 1 has 3 lanes, dim 0 of f32[3], where 4 are "
                 "expected; map dims of one size, or none");
  expect_refused(traced([&](Array x) {
                   return vmap(sum, {.size = 3})(x, x);  // refused
                 }),
                 "T005 {file}:{line}: vmap: argument leaf 0 has 4 lanes, dim 0 of f32[4], where 3 are "
                 "expected; map dims of one size, or none");
}

TEST(vmap, maps_dims_that_are_there) {
  auto same = [](Array x) { return x; };
  expect_refused(traced([&](Array x) {
                   return vmap(same)(reduce_sum(x));  // refused
                 }),
                 "T006 {file}:{line}: vmap: dim 0 is out of range for f32[], which has no dims");
  expect_refused(traced([&](Array x) {
                   return vmap(same, {.in = {1}})(x);  // refused
                 }),
                 "T006 {file}:{line}: vmap: dim 1 is out of range for f32[4], which has dims -1 to 0");
  expect_refused(
      traced([&](Array x) {
        return vmap(same, {.out = 1})(x);  // refused
      }),
      "T006 {file}:{line}: vmap: dim 1 is out of range for the result (.out), which has dims -1 to 0");
}

TEST(vmap, has_an_in_dim_per_argument) {
  auto same = [](Array x) { return x; };
  expect_refused(traced([&](Array x) {
                   return vmap(same, {.in = {0, none}})(x);  // refused
                 }),
                 "T015 {file}:{line}: vmap: 2 in dims for 1 argument; give one per argument: a dim, or none");
}

TEST(vmap, has_lanes) {
  auto same = [](Array x) { return x; };
  expect_refused(traced([&](Array x) {
                   return vmap(same, {.in = {none}})(x);  // refused
                 }),
                 "T005 {file}:{line}: vmap: no argument is mapped; say how many lanes with .size");
  expect_refused(traced([&](Array x) {
                   return vmap(same, {.in = {none}, .size = -1})(x);  // refused
                 }),
                 "T005 {file}:{line}: vmap: -1 lanes; ask for 0 to 2147483647");
  expect_refused(traced([&](Array x) {
                   Array many = broadcast_to(expand_dims(x, 1), {4, std::int64_t{1} << 31});
                   return vmap(same, {.in = {1}})(many);  // refused
                 }),
                 "T005 {file}:{line}: vmap: 2147483648 lanes; ask for 0 to 2147483647");
}

TEST(vmap, over_lanes_that_no_number_of_devices_counts) {
  auto sum = [](Array x) {
    return psum(x, {"i", "j"});  // refused
  };
  expect_refused(
      traced([&](Array x) {
        auto both = vmap(vmap(sum, {.axis = "j"}), {.axis = "i"});
        return both(broadcast_to(reduce_sum(x), {65'536, 65'536}));
      }),
      "T005 {file}:{line}: psum: ('i', 'j') have more than 2147483647 devices together; name fewer "
      "axes, or map over fewer lanes");
}

TEST(vmap, over_no_lanes_has_no_device_to_name) {
  auto of_lane_0 = [](const std::function<Array(Array)>& body) {
    return [=](Array) { return vmap(body, {.axis = "i"})(zeros({0, 4}, DType::f32)); };
  };
  expect_refused(traced(of_lane_0([](Array x) {
                   return pbroadcast(x, "i");  // refused
                 })),
                 "T009 {file}:{line}: pbroadcast: there is no device 0 along 'i'; it has no devices");
  expect_refused(
      traced(of_lane_0([](Array x) {
        return ppermute(x, "i", {{0, 1}});  // refused
      })),
      "T009 {file}:{line}: ppermute: there is no device 0 along 'i' ([(0, 1)]); it has no devices");
  expect_refused(traced(of_lane_0([](Array x) {
                   return psum(x, "i", {.groups = {{0}}});  // refused
                 })),
                 "T009 {file}:{line}: psum: groups [[0]] name device 0, but 'i' has no devices");
  expect_refused(
      traced(of_lane_0([](Array x) {
        return psum_scatter(x, "i", {.tiled = true});  // refused
      })),
      "T005 {file}:{line}: psum_scatter: dim 0 of f32[4]{U:i} does not split over 'i', which has no "
      "devices (reduce_scatter_c1); only a dim of size 0 does, with tiled = false");
  expect_refused(
      traced(of_lane_0([](Array x) {
        return psum_scatter(x, "i");  // refused
      })),
      "T005 {file}:{line}: psum_scatter: dim 0 of f32[4]{U:i} does not split over 'i', which has no "
      "devices (reduce_scatter_c1); only a dim of size 0 does, with tiled = false");
}

TEST(vmap, gives_results_that_differ_an_out_dim) {
  auto same = [](Array x) { return x; };
  expect_refused(traced([&](Array x) {
                   return vmap(same, {.out = none})(x);  // refused
                 }),
                 "T004 {file}:{line}: vmap: a result differs between the lanes of 'vmap'; give .out a dim, "
                 "or make the lanes equal, for example with pmean");
}

}  // namespace
}  // namespace tutti
