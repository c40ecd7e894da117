// SPDX-License-Identifier: Apache-2.0
// Jacobians, Hessians and linear parts, with numbers that one can check by hand.
#include "tutti/api/jacobians.hpp"

#include <gtest/gtest.h>

#include "tests/ops/worked.hpp"
#include "tests/support/recorded.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

Tensor matrix(const Shape& shape, const std::vector<float>& values) { return {shape, values}; }
Tensor of_one(const std::function<Array(Array)>& f, const Shape& shape, const std::vector<float>& values) {
  return of_whole(line(1), f, shape, values);
}
Array row(const std::vector<float>& values) {
  return constant(Tensor(Shape{static_cast<std::int64_t>(values.size())}, values));
}

struct Layer {
  Array w, b;
};

// (x0 x1, x1^2, x0 + 3 x1)
Array three_of_two(const Array& x) {
  Array first = index_in_dim(x, 0), second = index_in_dim(x, 1);
  Array parts = concatenate(
      {reshape(first * second, {1}), reshape(second * second, {1}), reshape(first + 3 * second, {1})});
  return parts;
}

TEST(jacobian, has_a_row_per_result_and_a_column_per_argument) {
  const Tensor expected = matrix({3, 2}, {5, 2, 0, 10, 1, 3});
  EXPECT_EQ(of_one(jacfwd(three_of_two), {2}, {2, 5}), expected);
  EXPECT_EQ(of_one(jacrev(three_of_two), {2}, {2, 5}), expected);
}

TEST(jacobian, has_the_dims_of_results_before_those_of_arguments) {
  auto f = [](const Array& x) { return reduce_sum(x * x, 1); };  // [2, 3] -> [2]
  const Tensor expected = matrix({2, 2, 3}, {2, 4, 6, 0, 0, 0, 0, 0, 0, 8, 10, 12});
  EXPECT_EQ(of_one(jacfwd(f), {2, 3}, {1, 2, 3, 4, 5, 6}), expected);
  EXPECT_EQ(of_one(jacrev(f), {2, 3}, {1, 2, 3, 4, 5, 6}), expected);
}

TEST(jacobian, of_a_scalar_by_a_scalar_is_a_scalar) {
  auto cube = [](const Array& x) { return x * x * x; };
  EXPECT_EQ(of_one(jacfwd(cube), {}, {2}), matrix({}, {12}));
  EXPECT_EQ(of_one(jacrev(jacfwd(cube)), {}, {2}), matrix({}, {12}));
}

TEST(jacobian, of_no_elements_is_empty) {
  auto none_in = [](const Array& x) { return reshape(reduce_sum(x), {1}); };
  auto none_out = [](const Array& x) { return slice_in_dim(x, 0, 0); };
  for (const auto& [f, in, shape] :
       {std::tuple{std::function<Array(Array)>(jacfwd(none_in)), 0, Shape{1, 0}},
        std::tuple{std::function<Array(Array)>(jacrev(none_in)), 0, Shape{1, 0}},
        std::tuple{std::function<Array(Array)>(jacfwd(none_out)), 3, Shape{0, 3}},
        std::tuple{std::function<Array(Array)>(jacrev(none_out)), 3, Shape{0, 3}}})
    EXPECT_EQ(of_one(f, {in}, numbers(in)), Tensor(shape, DType::f32));
}

TEST(jacobian, of_what_does_not_depend_on_the_argument_is_zero) {
  auto constant_too = [](const Array&) { return row({1, 2}); };
  EXPECT_EQ(of_one(jacfwd(constant_too), {3}, {1, 2, 3}), Tensor({2, 3}, DType::f32));
  EXPECT_EQ(of_one(jacrev(constant_too), {3}, {1, 2, 3}), Tensor({2, 3}, DType::f32));
}

TEST(jacobian, by_a_tree_is_a_tree_of_its_kind) {
  auto f = [](const Layer& p) { return p.w * p.b; };  // [2] * [] -> [2]
  for (bool ahead : {true, false}) {
    auto both = [&](const Array& x) {
      Layer p{x, index_in_dim(x, 0) + 1};
      Layer found = ahead ? jacfwd(f)(p) : jacrev(f)(p);
      return concatenate({found.w, reshape(found.b, {2, 1})}, 1);
    };
    EXPECT_EQ(of_one(both, {2}, {4, 6}), matrix({2, 3}, {5, 0, 4, 0, 5, 6}));
  }
}

TEST(jacobian, of_a_tree_by_a_tree_nests_the_arguments_in_the_results) {
  Builder builder;
  Layer p{builder.input(Type(DType::f32, {2})), builder.input(Type(DType::f32, {}))};
  auto f = [](const Layer& q) { return std::pair{q.w * q.b, std::vector{q.b, q.b * q.b}}; };
  std::pair<Layer, std::vector<Layer>> found = jacrev(f)(p);
  EXPECT_EQ(found.first.w.shape(), (Shape{2, 2}));
  EXPECT_EQ(found.first.b.shape(), Shape{2});
  EXPECT_EQ(found.second[1].w.shape(), Shape{2});
  EXPECT_EQ(found.second[1].b.shape(), Shape{});
  auto same = [](const Layer& q) { return q; };
  std::tuple<Layer, Layer> of_struct = jacfwd(same)(p);  // a struct of results is a tuple of its fields
  EXPECT_EQ(std::get<1>(of_struct).w.shape(), Shape{2});
  auto struct_of_array = [](const Array& x) { return Layer{x, reduce_sum(x)}; };
  Layer by_array = jacfwd(struct_of_array)(p.w);
  EXPECT_EQ(by_array.b.shape(), Shape{2});
}

TEST(jacobian, is_by_the_arguments_that_are_named) {
  auto f = [](const Array& x, const Array& y, const Array& z) { return x * y * y * z; };
  auto all = [&](const Array& v) {
    Array x = index_in_dim(v, 0), y = index_in_dim(v, 1), z = index_in_dim(v, 2);
    Array second = jacfwd<1>(f)(x, y, z);
    auto [third, first] = jacrev<2, 0>(f)(x, y, z);
    auto [by_x, by_z] = grad<0, 2>(f)(x, y, z);
    auto [value, by_y] = value_and_grad<1>(f)(x, y, z);
    Arrays parts;
    for (const Array& part : {second, third, first, by_x, by_z, value, by_y})
      parts.push_back(reshape(part, {1}));
    return concatenate(parts);
  };
  EXPECT_EQ(of_one(all, {3}, {2, 3, 5}), matrix({7}, {60, 18, 45, 45, 18, 90, 60}));
}

TEST(jacobian, traces_its_function_once) {
  int calls = 0;
  Program program = recorded({Type(DType::f64, {5})}, [&](const Arrays& a) {
    auto f = [&](const Array& x) {
      ++calls;
      return tanh(x);
    };
    return Arrays{jacfwd(f)(a[0]), jacrev(f)(a[0])};
  });
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(count(program, "tanh"), 2);
}

TEST(jacobian, goes_through_loops_branches_and_lanes) {
  auto power = [](const Array& x) {  // x^4 by a loop
    auto trip = [](const Array& c, const Array& w) { return std::pair{c * w, std::tuple<>{}}; };
    return scan(trip, x, concatenate({expand_dims(x, 0), expand_dims(x, 0), expand_dims(x, 0)})).first;
  };
  const Tensor expected = matrix({2, 2}, {4, 0, 0, 32});
  EXPECT_EQ(of_one(jacfwd(power), {2}, {1, 2}), expected);
  EXPECT_EQ(of_one(jacrev(power), {2}, {1, 2}), expected);
  auto branch = [](const Array& x) {
    auto yes = [](const Array& y) { return y * y; };
    auto no = [](const Array& y) { return 3.0F * y; };
    return cond(reduce_sum(x) > 0, yes, no, x);
  };
  EXPECT_EQ(of_one(jacfwd(branch), {2}, {1, 2}), matrix({2, 2}, {2, 0, 0, 4}));
  EXPECT_EQ(of_one(jacrev(branch), {2}, {-1, -2}), matrix({2, 2}, {3, 0, 0, 3}));
  EXPECT_EQ(of_one(vmap(jacfwd(three_of_two)), {2, 2}, {2, 5, 1, 1}),
            matrix({2, 3, 2}, {5, 2, 0, 10, 1, 3, 1, 1, 0, 2, 1, 3}));
  EXPECT_EQ(of_one(vmap(jacrev(three_of_two)), {2, 2}, {2, 5, 1, 1}),
            matrix({2, 3, 2}, {5, 2, 0, 10, 1, 3, 1, 1, 0, 2, 1, 3}));
}

// x0^2 x1 + x1^3
Array polynomial(const Array& x) {
  Array first = index_in_dim(x, 0), second = index_in_dim(x, 1);
  return first * first * second + second * second * second;
}

TEST(hessian, has_all_second_derivatives) {
  EXPECT_EQ(of_one(hessian(polynomial), {2}, {2, 5}), matrix({2, 2}, {10, 4, 4, 30}));
  EXPECT_EQ(of_one(jacfwd(jacrev(polynomial)), {2}, {2, 5}), matrix({2, 2}, {10, 4, 4, 30}));
  EXPECT_EQ(of_one(jacrev(jacfwd(polynomial)), {2}, {2, 5}), matrix({2, 2}, {10, 4, 4, 30}));
}

TEST(hessian, by_a_tree_is_a_tree_of_trees) {
  auto f = [](const Layer& p) { return reduce_sum(p.w * p.w) * p.b; };
  auto part = [&](const Array& x) {
    std::tuple<Layer, Layer> found = hessian(f)(Layer{x, index_in_dim(x, 1)});
    const auto& [by_w, by_b] = found;
    Array corner = reshape(by_b.b, {1, 1}), column = reshape(by_w.b, {2, 1}), below = reshape(by_b.w, {1, 2});
    Array above = concatenate({by_w.w, column}, 1);
    Array last = concatenate({below, corner}, 1);
    return concatenate({above, last});
  };
  EXPECT_EQ(of_one(part, {2}, {3, 4}), matrix({3, 3}, {8, 0, 6, 0, 8, 8, 6, 8, 0}));
}

TEST(hessian, by_two_arguments_has_a_tree_for_each) {
  auto f = [](const Array& x, const Array& y) { return x * x * y; };
  auto part = [&](const Array& x) {
    auto found = hessian<0, 1>(f)(index_in_dim(x, 0), index_in_dim(x, 1));
    const auto& [xx, xy] = std::get<0>(found);
    const auto& [yx, yy] = std::get<1>(found);
    Arrays parts;
    for (const Array& one : {xx, xy, yx, yy}) parts.push_back(reshape(one, {1}));
    return concatenate(parts);
  };
  EXPECT_EQ(of_one(part, {2}, {3, 4}), matrix({4}, {8, 6, 6, 0}));
}

TEST(hvp, is_the_hessian_times_a_vector) {
  auto product = [](const Array& x) { return hvp(polynomial, x, row({1, -1})); };
  EXPECT_EQ(of_one(product, {2}, {2, 5}), matrix({2}, {6, -26}));
}

TEST(hvp, of_a_tree_is_a_tree) {
  auto f = [](const Layer& p) { return reduce_sum(p.w * p.w) * p.b; };
  auto product = [&](const Array& x) {
    Layer at{x, index_in_dim(x, 1)}, along{row({1, 2}), constant(0.5F)};
    Layer found = hvp(f, at, along);
    return concatenate({found.w, reshape(found.b, {1})});
  };
  EXPECT_EQ(of_one(product, {2}, {3, 4}), matrix({3}, {8 + 3, 16 + 4, 6 + 16}));
}

TEST(linearize, runs_the_function_once_and_its_linear_part_at_every_call) {
  Program program = recorded({Type(DType::f64, {3}), Type(DType::f64, {3})}, [](const Arrays& a) {
    auto [value, moved] = linearize([](const Array& x) { return tanh(x) * x; }, std::tuple{a[0]});
    Array once = moved(a[1]);
    return Arrays{value, once, moved(once)};
  });
  EXPECT_EQ(count(program, "tanh"), 1);
}

TEST(linearize, gives_what_jvp_gives) {
  auto both = [](const Array& x) {
    auto f = [](const Array& y, const Array& z) { return std::pair{y * z, y + y}; };
    auto [value, moved] = linearize(f, std::tuple{x, x * x});
    auto [product, sum] = moved(row({1, 2}), row({0, 1}));
    auto [value_too, moved_too] = jvp(f, std::tuple{x, x * x}, std::tuple{row({1, 2}), row({0, 1})});
    Array difference = product - moved_too.first;
    return concatenate({value.first, product, sum, difference});
  };
  EXPECT_EQ(of_one(both, {2}, {3, 5}), matrix({8}, {27, 125, 9, 50 + 5, 2, 4, 0, 0}));
}

TEST(linearize, may_be_called_in_lanes) {
  auto f = [](const Array& x) {
    auto [value, moved] = linearize(three_of_two, std::tuple{x});
    return vmap(moved)(constant(matrix({2, 2}, {1, 0, 1, 1})));
  };
  EXPECT_EQ(of_one(f, {2}, {2, 5}), matrix({2, 3}, {5, 0, 1, 7, 10, 4}));
}

TEST(linearize, has_zeros_for_results_that_do_not_move) {
  auto f = [](const Array& x) {
    auto still = [](const Array& y) { return std::tuple{y * y, ones_like(y), argmax(stop_gradient(y))}; };
    auto [value, moved] = linearize(still, std::tuple{x});
    auto [first, second, third] = moved(row({1, 1}));
    return concatenate({first, second, reshape(convert(third, DType::f32), {1})});
  };
  EXPECT_EQ(of_one(f, {2}, {2, 5}), matrix({5}, {4, 10, 0, 0, 0}));
}

TEST(aux, is_handed_out_beside_the_pullback_and_the_linear_function) {
  auto f = [](const Array& x) { return std::pair{x * x, std::tuple{argmax(x), x + 1}}; };
  auto both = [&](const Array& x) {
    auto [value, pull, aux] = vjp(f, std::tuple{x}, has_aux);
    auto [value_too, moved, aux_too] = linearize(f, std::tuple{x}, has_aux);
    Array first = convert(std::get<0>(aux), DType::f32), second = std::get<1>(aux_too);
    return concatenate({std::get<0>(pull(row({1, 10}))), moved(row({1, 1})), second, reshape(first, {1})});
  };
  EXPECT_EQ(of_one(both, {2}, {2, 5}), matrix({7}, {4, 100, 4, 10, 3, 6, 1}));
}

// As in JAX: only the derivative that says so holds auxiliary results; one around it follows them.
TEST(aux, is_differentiated_by_a_derivative_around_it) {
  auto by_vjp = [](const Array& x) {
    auto f = [](const Array& y) { return std::pair{y * y, y * y * y}; };
    return reduce_sum(std::get<2>(vjp(f, std::tuple{x}, has_aux)));
  };
  EXPECT_EQ(of_one(grad(by_vjp), {2}, {1, 2}), matrix({2}, {3, 12}));
  auto by_grad = [](const Array& x) {
    auto f = [](const Array& y) { return std::pair{reduce_sum(y), y * y * y}; };
    return reduce_sum(value_and_grad(f)(x).first.second);
  };
  EXPECT_EQ(of_one(grad(by_grad), {2}, {1, 2}), matrix({2}, {3, 12}));
}

// ---- Refusals

TEST(jacobian, refuses_numbers_without_derivatives) {
  auto same = [](const Array& y) { return y; };
  expect_refused(traced([&](Array x) {
                   return jacfwd(same)(convert(x, DType::i32));  // refused
                 }),
                 "T007 {file}:{line}: jacfwd: argument leaf 0 is i32[4], which has no derivative; close over "
                 "it, or name another argument");
  expect_refused(
      traced([&](Array x) {
        return jacrev([](const Array& y) { return argmax(stop_gradient(y)); })(x);  // refused
      }),
      "T007 {file}:{line}: jacrev: result leaf 0 is i32[], which has no derivative; return a float");
  expect_refused(
      traced([&](Array x) {
        return jacfwd(same)(complex(x, x));  // refused
      }),
      "T007 {file}:{line}: jacfwd: argument leaf 0 is complex64[4]: its derivative is not one number "
      "per element; take its parts by real and imag, or use jvp and vjp");
  expect_refused(
      traced([&](Array x) {
        return jacrev([](const Array& y) { return complex(y, y); })(x);  // refused
      }),
      "T007 {file}:{line}: jacrev: result leaf 0 is complex64[4]: its derivative is not one number per "
      "element; take its parts by real and imag, or use jvp and vjp");
}

TEST(jacrev, of_a_real_function_of_complex_numbers_is_their_gradient) {
  auto f = [](const Array& x) {
    Array z = complex(x, 2 * x);
    return reduce_sum(real(jacrev([](const Array& c) { return real(c * c); })(z)), 1);
  };
  EXPECT_EQ(of_one(f, {2}, {1, 3}), matrix({2}, {2, 6}));
}

TEST(hessian, is_of_a_scalar) {
  expect_refused(
      traced([](Array x) {
        return hessian([](const Array& y) { return y * y; })(x);  // refused
      }),
      "T005 {file}:{line}: hessian: the loss is f32[4], not a scalar; sum it with reduce_sum or mean");
  expect_refused(traced([](Array x) {
                   return hvp([](const Array& y) { return y * y; }, x, x);  // refused
                 }),
                 "T005 {file}:{line}: hvp: the loss is f32[4], not a scalar; sum it with reduce_sum or mean");
}

TEST(hvp, takes_a_vector_like_its_argument) {
  expect_refused(
      traced([](Array x) {
        return hvp([](const Array& y) { return reduce_sum(y * y); }, x, reduce_sum(x));  // refused
      }),
      "T005 {file}:{line}: hvp: tangent leaf 0 is f32[], expected f32[4]; hand in one of that type");
}

TEST(linearize, takes_tangents_like_its_arguments) {
  auto square = [](const Array& y) { return y * y; };
  expect_refused(
      traced([&](Array x) {
        auto [value, moved] = linearize(square, std::tuple{x});
        return moved(reduce_sum(x));  // refused
      }),
      "T005 {file}:{line}: linearize: tangent leaf 0 is f32[], expected f32[4]; hand in one of that "
      "type");
}

Array with_clipped_gradient(const Array& x) {
  auto same = [](const Array& v) { return v * 1; };
  auto forward = [](const Array& v) { return std::pair{v * 1, std::tuple<>{}}; };
  auto backward = [](const std::tuple<>&, const Array& ct) {
    return std::tuple{minimum(ct, 0.5F)};  // refused
  };
  return custom_vjp(same, forward, backward)(x);
}

TEST(jacobian, of_a_gradient_of_ones_own_runs_backwards_only_unless_it_is_linear) {
  EXPECT_EQ(of_one(jacrev(with_clipped_gradient), {2}, {1, 3}), matrix({2, 2}, {0.5, 0, 0, 0.5}));
  const std::string why =
      ": the tangent of a custom_vjp needs its backward to be linear; minimum: transpose is "
      "refused: it is not linear";
  expect_refused(traced([](Array x) {
                   return jacfwd(with_clipped_gradient)(x);  // refused
                 }),
                 "T010 {file}:{line}: jacfwd" + why);
  expect_refused(traced([](Array x) {
                   return linearize(with_clipped_gradient, std::tuple{x}).first;  // refused
                 }),
                 "T010 {file}:{line}: linearize" + why);
}

}  // namespace
}  // namespace tutti
