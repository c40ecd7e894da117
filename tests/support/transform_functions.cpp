// SPDX-License-Identifier: Apache-2.0
// The twins of jax_transforms.py.
#include "tests/support/functions.hpp"

#include "tutti/base/inside.hpp"

namespace tutti {
namespace {

const P all, by_x("x"), by_both(SpecEntry{"x", "y"});

Array sum(const Array& x) { return reduce_sum(x); }
Array over_devices(const Array& x) { return psum(reduce_sum(x), "x"); }

template <class Body>
auto mapped(Body body, Specs in, P out) {
  return shard_map(body, {.mesh = functions_mesh(), .in = std::move(in), .out = std::move(out)});
}

// --- Derivatives -------------------------------------------------------------------------------------------

Array gradient_by_ones_own_parameter(const Arrays& a) {
  auto loss = [&](const Array& w) { return sum(tanh(a[0] * w)); };
  Array own = grad(loss)(pcast(a[1], "x", varying));
  return over_devices(own * own * a[0]);
}

Array gradient_by_the_common_parameter(const Arrays& a) {
  Array common = grad([&](const Array& w) { return over_devices(tanh(a[0] * w)); })(a[1]);
  return sum(common * common * a[1]) * 0.1;
}

Array step_of_training(const Arrays& a) {
  auto loss = [&](const Array& w) { return pmean(mean(square(tanh(matmul(a[0], w)))), "x"); };
  auto [value, slope] = value_and_grad(loss)(a[1]);
  return loss(a[1] - 0.5 * slope) + 0.1 * value;
}

Array hessian_times_a_vector(const Arrays& a) {
  auto loss = [&](const Array& w) { return over_devices(exp(psum(a[0], "x") * w * 0.2) * a[0]); };
  return sum(jvp(grad(loss), std::tuple{a[1]}, std::tuple{a[2]}).second * a[1]);
}

Array third_derivative(const Arrays& a) {
  auto f = [&](const Array& w) { return over_devices(sin(a[0] * w)); };
  return grad(grad(f))(index_in_dim(a[1], 0)) * grad(f)(index_in_dim(a[1], 1));
}

Array tangents_through_collectives(const Arrays& a) {
  auto f = [](const Array& x) {
    return all_gather(ppermute(x * x, "x", {{0, 1}, {1, 2}, {2, 3}}), "x", {.tiled = true});
  };
  auto [value, moved] = jvp(f, std::tuple{a[0]}, std::tuple{a[1]});
  return over_devices(tanh(value) * moved * sum(a[0]));
}

Array cotangents_of_a_matrix(const Arrays& a) {
  auto f = [](const Array& x, const Array& w) {
    return psum_scatter(matmul(x, w), "x", {.dim = 1, .tiled = true});
  };
  auto [value, pull] = vjp(f, std::tuple{a[0], pcast(a[1], "x", varying)});
  auto [of_x, of_w] = pull(cos(value));
  return over_devices(of_x * a[0]) + over_devices(of_w * of_w);
}

Array gradient_through_the_largest(const Arrays& a) {
  auto top = [&](const Array& w) { return sum(reduce_max(a[0] * w, 0) * w); };
  return over_devices(sin(grad(top)(pcast(a[1], "x", varying))) * a[0]);
}

/// Smooth, of three numbers: four results.
Array four_of_three(const Array& w, const Array& x) { return psum(reduce_sum(tanh(x * w) * x, 0), "x"); }

Array jacobian_columns(const Arrays& a) {
  Array found = jacfwd([&](const Array& w) { return four_of_three(w, a[0]); })(a[1]);
  return sum(found * found * a[1]);
}

Array jacobian_rows(const Arrays& a) {
  Array found = jacrev([&](const Array& w) { return four_of_three(w, a[0]); })(a[1]);
  return sum(tanh(found) * a[1]);
}

Array jacobian_of_trees(const Arrays& a) {
  auto f = [&](const std::pair<Array, Array>& p) {
    return std::tuple{over_devices(a[0] * p.first) * p.second, sin(p.first) * sum(p.second)};
  };
  const std::pair at{a[1], a[2]};
  auto [first, second] = jacfwd(f)(at);
  auto [first_too, second_too] = jacrev(f)(at);
  return sum(first.first * first.first) + sum(first_too.second) + sum(tanh(second.second)) +
         sum(second_too.first * a[1]);
}

Array jacobian_by_two_arguments(const Arrays& a) {
  auto f = [&](const Array& w, const Array& x, const Array& v) { return tanh(psum(x, "x") * w) * v; };
  auto [by_v, by_w] = jacrev<2, 0>(f)(a[1], a[0], a[1]);
  return sum(by_v * a[1]) + sum(by_w * by_w);
}

Array hessian_of_a_loss(const Arrays& a) {
  Array found = hessian([&](const Array& w) { return over_devices(exp(a[0] * w * 0.5) * a[0]); })(a[1]);
  return sum(found * expand_dims(a[1], 0)) * 0.1;
}

Array hessian_of_a_tree(const Arrays& a) {
  auto loss = [&](const std::pair<Array, Array>& p) {
    return over_devices(tanh(a[0] * p.first) * sum(p.second * p.second));
  };
  auto [by_first, by_second] = hessian(loss)(std::pair{a[1], a[2]});
  return sum(by_first.first) * 0.1 + sum(sin(by_first.second)) + sum(by_second.first) * 0.1 +
         sum(by_second.second) * 0.1;
}

Array hessian_vector_products(const Arrays& a) {
  auto loss = [&](const Array& w) { return over_devices(exp(a[0] * w * 0.5) * a[0]); };
  Array product = hvp(loss, a[1], a[2]);
  return sum(product * product) * 0.1;
}

Array linear_part_called_twice(const Arrays& a) {
  auto f = [&](const Array& w) { return four_of_three(w, a[0]) * w; };
  auto [value, moved] = linearize(f, std::tuple{a[1]});
  Array once = moved(a[2]);
  return sum(value * moved(once)) + sum(vmap(moved)(expand_dims(a[2], 0) * a[2]));
}

Array auxiliary_results_of_vjp(const Arrays& a) {
  auto f = [&](const Array& w) { return std::pair{four_of_three(w, a[0]), tanh(w) * w}; };
  auto [value, pull, aux] = vjp(f, std::tuple{a[1]}, has_aux);
  return sum(std::get<0>(pull(value)) * aux);
}

Array gradient_by_two_arguments(const Arrays& a) {
  auto loss = [](const Array& w, const Array& x, const Array& v) { return over_devices(tanh(x * w) * v); };
  auto [by_w, by_v] = grad<0, 2>(loss)(a[1], a[0], a[2]);
  return sum(by_w * by_v);
}

Array rule_beside_an_integer(const Arrays& a) {
  auto power = [](const Array& x, const Array& n) { return x * convert(n, DType::f64) * x; };
  auto rule = [&](const std::tuple<Array, Array>& at, const std::tuple<Array, Array>& moved) {
    const auto& [x, n] = at;
    Array tangent = 3.0 * x * convert(n, DType::f64) * std::get<0>(moved);
    return std::pair{power(x, n), tangent};
  };
  Array n = full({}, 2, DType::i32);
  Array found = jacfwd([&](const Array& w) { return custom_jvp(power, rule)(w, n); })(a[1]);
  return sum(found) + over_devices(custom_jvp(power, rule)(a[0], n));
}

Array backward_beside_an_integer(const Arrays& a) {
  auto scaled = [](const Array& n, const Array& x) { return sin(x) * convert(n, DType::f64); };
  auto forward = [&](const Array& n, const Array& x) { return std::pair{scaled(n, x), std::pair{n, x}}; };
  auto backward = [](const std::pair<Array, Array>& kept, const Array& ct) {
    return std::tuple{Array(), ct * tanh(kept.second) * convert(kept.first, DType::f64)};
  };
  return over_devices(custom_vjp(scaled, forward, backward)(full({}, 3, DType::i32), a[0] * a[1]));
}

Array kept_by_name(const Arrays& a) {
  auto layers = [](const Array& x, const Array& w) {
    Array hidden = checkpoint_name(tanh(x * w), "hidden");
    return sin(checkpoint_name(hidden * x, "product") * w);
  };
  return over_devices(remat(layers, {.keep = {"hidden"}})(a[0], a[1]));
}

std::vector<Function> derivatives() {
  return {
      {"gradient_by_ones_own_parameter", {by_x, all}, {{8, 3}, {3}}, gradient_by_ones_own_parameter},
      {"gradient_by_the_common_parameter", {by_x, all}, {{8, 3}, {3}}, gradient_by_the_common_parameter},
      {"step_of_training", {by_x, all}, {{8, 3}, {3, 2}}, step_of_training},
      {"hessian_times_a_vector", {by_x, all, all}, {{8, 3}, {3}, {3}}, hessian_times_a_vector},
      {"third_derivative", {by_x, all}, {{8}, {2}}, third_derivative},
      {"tangents_through_collectives", {by_x, by_x}, {{8, 2}, {8, 2}}, tangents_through_collectives},
      {"cotangents_of_a_matrix", {by_x, all}, {{8, 3}, {3, 4}}, cotangents_of_a_matrix},
      {"gradient_through_the_largest", {by_x, all}, {{8, 3}, {3}}, gradient_through_the_largest},
      {"jacobian_columns", {by_x, all}, {{8, 3}, {3}}, jacobian_columns},
      {"jacobian_rows", {by_x, all}, {{8, 3}, {3}}, jacobian_rows},
      {"jacobian_of_trees", {by_x, all, all}, {{8, 3}, {3}, {2}}, jacobian_of_trees},
      {"jacobian_by_two_arguments", {by_x, all}, {{4, 3}, {3}}, jacobian_by_two_arguments},
      {"hessian_of_a_loss", {by_x, all}, {{8, 3}, {3}}, hessian_of_a_loss},
      {"hessian_of_a_tree", {by_x, all, all}, {{8, 3}, {3}, {2}}, hessian_of_a_tree},
      {"hessian_vector_products", {by_x, all, all}, {{8, 3}, {3}, {3}}, hessian_vector_products},
      {"linear_part_called_twice", {by_x, all, all}, {{8, 3}, {3}, {3}}, linear_part_called_twice},
      {"auxiliary_results_of_vjp", {by_x, all}, {{8, 3}, {3}}, auxiliary_results_of_vjp},
      {"gradient_by_two_arguments", {by_x, all, all}, {{8, 3}, {3}, {3}}, gradient_by_two_arguments},
      {"rule_beside_an_integer", {by_x, all}, {{8, 3}, {3}}, rule_beside_an_integer},
      {"backward_beside_an_integer", {by_x, all}, {{8, 3}, {3}}, backward_beside_an_integer},
      {"kept_by_name", {by_x, all}, {{8, 3}, {3}}, kept_by_name},
  };
}

// --- Lanes -------------------------------------------------------------------------------------------------

Array columns_in_lanes(const Arrays& a) {
  auto column = [&](const Array& c) {
    return psum_scatter(sin(all_gather(c, "x", {.tiled = true}) * a[1]), "x", {.tiled = true});
  };
  return over_devices(vmap(column, {.in = {1}, .out = 1})(a[0]) * a[0]);
}

Array lanes_along_other_dims(const Arrays& a) {
  auto f = [](const Array& r, const Array& c, const Array& v) {
    return psum(expand_dims(r * c, 1) * v, "x");
  };
  Array lanes = vmap(f, {.in = {0, 1, none}, .out = 2})(a[0], a[1], a[2]);
  return sum(tanh(lanes) * expand_dims(a[1], 1));
}

Array gradients_of_examples(const Arrays& a) {
  auto loss = [](const Array& w, const Array& r) { return sum(square(tanh(r * w))); };
  Array each = vmap(grad(loss), {.in = {none, 0}})(pcast(a[1], "x", varying), a[0]);
  return over_devices(each / (1.0 + sqrt(0.1 + expand_dims(reduce_sum(each * each, 1), 1))));
}

Array gradient_of_lanes(const Arrays& a) {
  auto loss = [&](const Array& w) {
    return over_devices(vmap([&](const Array& r) { return exp(r * w) * pmean(r, "x"); })(a[0]));
  };
  return sum(grad(loss)(a[1]) * a[1]);
}

Array branches_in_lanes(const Arrays& a) {
  auto yes = [&](const Array& r) { return tanh(r * a[1]); };
  auto no = [&](const Array& r) { return r * r - a[1]; };
  auto lane = [&](const Array& r) { return cond(index_in_dim(r, 0) > 0.0, yes, no, r); };
  return over_devices(vmap(lane)(a[0]) * a[0]);
}

Array loops_in_lanes(const Arrays& a) {
  auto lane = [&](const Array& r) {
    auto trip = [&](const Array& c, const Array& v) {
      return std::pair{sin(c * v + psum(r, "x") * 0.1), sum(c)};
    };
    return scan(trip, r, a[1]);
  };
  auto [last, sums] = vmap(lane)(a[0]);
  return over_devices(last) + over_devices(sums * sums);
}

std::vector<Function> lanes() {
  return {
      {"columns_in_lanes", {by_x, all}, {{8, 3}, {8}}, columns_in_lanes},
      {"lanes_along_other_dims", {by_x, all, all}, {{16, 3}, {3, 4}, {2}}, lanes_along_other_dims},
      {"gradients_of_examples", {by_x, all}, {{16, 3}, {3}}, gradients_of_examples},
      {"gradient_of_lanes", {by_x, all}, {{8, 3}, {3}}, gradient_of_lanes},
      {"branches_in_lanes", {by_x, all}, {{16, 3}, {3}}, branches_in_lanes},
      {"loops_in_lanes", {by_x, all}, {{8, 3}, {2, 3}}, loops_in_lanes},
  };
}

// --- Lanes that communicate --------------------------------------------------------------------------------

/// Every row of the first argument in a lane of its own.
template <class Lane>
Array in_lanes(Lane lane, const Array& rows) {
  return vmap(lane, {.axis = "lane"})(rows);
}

Array gathered_over_lanes_and_devices(const Arrays& a) {
  auto lane = [&](const Array& r) {
    return sum(sin(all_gather(r, {"lane", "x"}) * expand_dims(a[1], 1))) * sum(r);
  };
  return over_devices(in_lanes(lane, a[0]));
}

Array sent_between_lanes(const Arrays& a) {
  auto lane = [&](const Array& r) {
    Array before = ppermute(r, "lane", {{0, 1}, {1, 2}, {2, 3}, {3, 0}});
    Array some = ppermute(r, "lane", {{3, 0}, {1, 2}});
    return tanh(before * a[1]) * convert(axis_index("lane"), DType::f64) * r + some * r * r;
  };
  return over_devices(in_lanes(lane, a[0]));
}

Array lanes_in_lanes(const Arrays& a) {
  auto one = [&](const Array& r) { return tanh(psum(r * a[1], "b")) * pmean(r, "a") * r; };
  auto row = [&](const Array& rows) { return vmap(one, {.axis = "b"})(rows); };
  return over_devices(vmap(row, {.axis = "a"})(reshape(a[0], {2, 2, 3})));
}

std::vector<Function> lanes_that_communicate() {
  return {
      {"sum_over_lanes",
       {by_x, all},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         auto lane = [&](const Array& r) { return square(r - pmean(r, "lane")) * psum(r * a[1], "lane"); };
         return over_devices(in_lanes(lane, a[0]));
       }},
      {"sum_over_lanes_and_devices",
       {by_x, all},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         auto lane = [&](const Array& r) { return r * psum(tanh(r * a[1]), {"lane", "x"}); };
         return over_devices(in_lanes(lane, a[0]));
       }},
      {"gathered_over_lanes_and_devices", {by_x, all}, {{8, 3}, {8}}, gathered_over_lanes_and_devices},
      {"exchanged_between_lanes",
       {by_x, all},
       {{16, 3}, {3}},
       [](const Arrays& a) {
         auto lane = [&](const Array& r) { return exp(all_to_all(r, "lane") * a[1]) * r; };
         return over_devices(in_lanes(lane, reshape(a[0], {2, 2, 3})));
       }},
      {"sent_between_lanes", {by_x, all}, {{16, 3}, {3}}, sent_between_lanes},
      {"scattered_over_lanes",
       {by_x, all},
       {{16, 3}, {3}},
       [](const Arrays& a) {
         auto lane = [&](const Array& r) {
           Array own = psum_scatter(r, "lane");
           return own * own * own * a[1];
         };
         return over_devices(in_lanes(lane, reshape(a[0], {2, 2, 3})));
       }},
      {"scattered_over_lanes_and_devices",
       {by_x, all},
       {{8, 8}, {8}},
       [](const Arrays& a) {
         auto lane = [&](const Array& r) {
           Array own = psum_scatter(r * a[1], {"x", "lane"});
           return sin(own) * (1.0 + convert(axis_index("lane"), DType::f64));
         };
         return over_devices(in_lanes(lane, a[0]));
       }},
      {"largest_of_lanes",
       {by_x, all},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         auto lane = [&](const Array& r) { return std::pair{pmax(r, "lane"), pmin(r, "lane")}; };
         auto [top, low] = vmap(lane, {.axis = "lane", .out = none})(a[0]);
         return over_devices(top * a[1]) + sum(sin(psum(low, "x")));
       }},
      {"lanes_in_lanes", {by_x, all}, {{16, 3}, {3}}, lanes_in_lanes},
  };
}

// --- Maps over the mesh ------------------------------------------------------------------------------------

Array a_map_after_another(const Arrays& a) {
  auto first = [](const Array& x, const Array& w) { return psum(matmul(x, w), "y"); };
  Array rows = mapped(first, {P("x", "y"), P("y")}, P("x"))(a[0], a[1]);
  Array middle = tanh(rev(rows, 0)) * rows;
  auto second = [](const Array& r) {
    return square(all_gather(r, "x", {.dim = 1, .tiled = true, .to = invariant}));
  };
  Array padded = pad(middle, 0.0, {{}, {.high = 5}});
  Array again = mapped(second, {P(none, SpecEntry{"x", "y"})}, P(none, "y"))(padded);
  return sum(again * arange(8, DType::f64));
}

Array a_map_in_a_map(const Arrays& a) {
  auto inner = [](const Array& b, const Array& w) { return psum(tanh(b) * w, "y") + psum(b, {"x", "y"}); };
  auto outer = [&](const Array& x, const Array& w) {
    Array part =
        shard_map(inner, {.mesh = functions_mesh(), .in = {P(none, "y"), P("y")}, .out = P(), .axes = {"y"}})(
            x * 0.5, w);
    return pmean(part * part, "x");
  };
  return sum(
      shard_map(outer, {.mesh = functions_mesh(), .in = {P("x"), P()}, .out = P(), .axes = {"x"}})(a[0],
                                                                                                   a[1]));
}

Array lanes_of_a_map(const Arrays& a) {
  auto body = [](const Array& r, const Array& w) {
    return all_gather(r, "x", {.tiled = true, .to = invariant}) * w + sum(psum(r, {"x", "y"}));
  };
  Array lanes = vmap(mapped(body, {by_both, all}, P("y")), {.in = {1, none}, .out = 1})(a[0], a[1]);
  return sum(sin(lanes) * lanes);
}

Array a_map_in_a_scan(const Arrays& a) {
  auto body = mapped([](const Array& w, const Array& x) { return over_devices(tanh(matmul(x, w))); },
                     {P(), P("x")}, P());
  auto trip = [&](const Array& w, const Array& rows) {
    auto [value, slope] = value_and_grad(body)(w, rows);
    return std::pair{w - 0.25 * slope, value};
  };
  auto [w, values] = scan(trip, a[1], a[0]);
  return sum(w * w) + sum(values);
}

Array values_from_outside_of_a_map(const Arrays& a) {
  Array outside = sin(a[1]);
  auto body = [&](const Array& x) { return over_devices(x * outside) * outside; };
  return sum(mapped(body, {P("x")}, P())(a[0]) * a[1]);
}

Array terms_between_maps(const Arrays& a) {
  auto first = [](const Array& x) { return pcast(reduce_sum(exp(x), 0), "x", unreduced); };
  Array terms = mapped(first, {P("x")}, P().unreduced({"x"}))(a[0]);
  auto second = [](const Array& t, const Array& w) { return sum(sin(psum(t, "x") * 0.1 + w) * w); };
  return mapped(second, {P().unreduced({"x"}), P()}, P())(terms, a[1]);
}

/// Jacobians by basis vectors, forward and in reverse.
Array jacobians(const Arrays& a) {
  auto f = mapped([](const Array& x, const Array& w) { return tanh(psum(x * w, "x")); }, {P("x"), P()}, P());
  Array basis = convert(equal(iota({3, 3}, DType::i32, 0), iota({3, 3}, DType::i32, 1)), DType::f64);
  auto along = [&](const Array& t) {
    return jvp([&](const Array& w) { return f(a[0], w); }, std::tuple{a[1]}, std::tuple{t}).second;
  };
  auto [value, pull] = vjp([&](const Array& x) { return f(x, a[1]); }, std::tuple{a[0]});
  Array rows = reshape(convert(equal(iota({6, 6}, DType::i32, 0), iota({6, 6}, DType::i32, 1)), DType::f64),
                       {6, 2, 3});
  auto back = [&, pull = pull](const Array& t) { return std::get<0>(pull(t)); };
  return sum(vmap(along)(basis)) + sum(sin(vmap(back)(rows)));
}

std::vector<Function> maps() {
  return {
      {"a_map_after_another", {}, {{8, 4}, {4, 3}}, a_map_after_another},
      {"a_map_in_a_map", {}, {{8, 4}, {4}}, a_map_in_a_map},
      {"lanes_of_a_map", {}, {{8, 3}, {4}}, lanes_of_a_map},
      {"a_map_in_a_scan", {}, {{3, 8, 2}, {2}}, a_map_in_a_scan},
      {"values_from_outside_of_a_map", {}, {{8, 3}, {3}}, values_from_outside_of_a_map},
      {"terms_between_maps", {}, {{8, 3}, {3}}, terms_between_maps},
      {"jacobians", {}, {{8, 3}, {3}}, jacobians, Derivatives::refused},
  };
}

}  // namespace

std::vector<Function> transform_functions() {
  std::vector<Function> functions = derivatives();
  for (const auto& more : {lanes(), lanes_that_communicate(), maps()})
    functions.insert(functions.end(), more.begin(), more.end());
  return functions;
}

}  // namespace tutti
