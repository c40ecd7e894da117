// SPDX-License-Identifier: Apache-2.0
// vmap as users write it: with gradients inside and outside, around and inside of shard_map, and with
// collectives over its axis, which mean what they mean over an axis of a mesh. All numbers are quarters: sums
// are exact in any order.
#include "tutti/api/vmap.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/print.hpp"
#include "tests/support/values.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh& mesh() { return example_mesh(); }
Type f64(const Shape& shape) { return {DType::f64, shape}; }

Tensors quarters(const Types& types) {
  Random random(13);
  Tensors found;
  for (const PerDevice& value : random_values(random, types, Numbers::quarters)) found.push_back(value[0]);
  return found;
}

using Function = std::function<Array(const Arrays&)>;

Tensor value_on(const Mesh& devices, const Function& function, const Tensors& arguments) {
  Program program = trace(types_of(arguments), [&](const Arrays& x) { return Arrays{function(x)}; }).program;
  check(program);
  return evaluate_whole(program, devices, arguments)[0];
}
Tensor value_of(const Function& function, const Tensors& arguments) {
  return value_on(mesh(), function, arguments);
}

Tensor lane(const Tensor& x, std::int64_t index) {
  Tensor one(x.shape().erased(Dim{0}), x.dtype());
  std::memcpy(one.mutable_bytes(), x.data() + static_cast<std::size_t>(index) * one.bytes(), one.bytes());
  return one;
}

// Every lane of `vmapped` is `function` of that lane of the arguments that are mapped.
void expect_lanes(const Function& vmapped, const Function& function, const Tensors& arguments,
                  const std::vector<bool>& mapped) {
  Tensor all = value_of(vmapped, arguments);
  for (std::int64_t i = 0; i < all.shape()[0]; ++i) {
    Tensors one = arguments;
    for (std::size_t k = 0; k < one.size(); ++k)
      if (mapped[k]) one[k] = lane(one[k], i);
    EXPECT_EQ(lane(all, i), value_of(function, one)) << "lane " << i;
  }
}

Array quadratic_loss(const Array& w, const Array& x) { return reduce_sum(square(matmul(x, w))); }

TEST(vmap, of_a_gradient_is_the_gradient_of_each_example) {
  Tensors arguments = quarters({f64({3}), f64({4, 2, 3})});
  auto gradient = [](const Array& w, const Array& x) { return grad(quadratic_loss)(w, x); };
  expect_lanes([&](const Arrays& x) { return vmap(gradient, {.in = {none, 0}})(x[0], x[1]); },
               [&](const Arrays& x) { return gradient(x[0], x[1]); }, arguments, {false, true});
}

TEST(vmap, of_a_gradient_sums_to_the_gradient_of_the_sum) {
  Tensors arguments = quarters({f64({3}), f64({4, 2, 3})});
  auto gradient = [](const Array& w, const Array& x) { return grad(quadratic_loss)(w, x); };
  auto total = [](const Array& w, const Array& x) {
    return reduce_sum(vmap(quadratic_loss, {.in = {none, 0}})(w, x));
  };
  Tensor sum_of_each =
      value_of([&](const Arrays& x) { return reduce_sum(vmap(gradient, {.in = {none, 0}})(x[0], x[1]), 0); },
               arguments);
  EXPECT_EQ(sum_of_each, value_of([&](const Arrays& x) { return grad(total)(x[0], x[1]); }, arguments));
}

TEST(vmap, of_a_gradient_by_what_it_closes_over_is_per_example_too) {
  Tensors arguments = quarters({f64({3}), f64({4, 2, 3})});
  auto per_example = [](const Arrays& outer) {
    auto one = [&](const Array& x) {
      return grad([&](const Array& w) { return quadratic_loss(w, x); })(outer[0]);
    };
    return vmap(one)(outer[1]);
  };
  expect_lanes(per_example, [](const Arrays& x) { return grad(quadratic_loss)(x[0], x[1]); }, arguments,
               {false, true});
}

TEST(vmap, of_a_shard_map_is_the_shard_map_of_each) {
  auto body = [](const Array& w, const Array& x) { return psum(quadratic_loss(w, x), "a"); };
  auto sharded = [&](const Array& w, const Array& x) {
    return shard_map(body, {.mesh = mesh(), .in = {P(), P("a")}, .out = P()})(w, x);
  };
  expect_lanes([&](const Arrays& x) { return vmap(sharded, {.in = {0, none}})(x[0], x[1]); },
               [&](const Arrays& x) { return sharded(x[0], x[1]); }, quarters({f64({5, 3}), f64({4, 3})}),
               {true, false});
}

TEST(vmap, of_the_gradient_of_a_shard_map_is_per_example) {
  auto body = [](const Array& w, const Array& x) { return psum(quadratic_loss(w, x), "a"); };
  auto gradient = [&](const Array& w, const Array& x) {
    auto sharded = shard_map(body, {.mesh = mesh(), .in = {P(), P("a")}, .out = P()});
    return grad([&](const Array& u) { return sharded(u, x); })(w);
  };
  expect_lanes([&](const Arrays& x) { return vmap(gradient, {.in = {none, 0}})(x[0], x[1]); },
               [&](const Arrays& x) { return gradient(x[0], x[1]); }, quarters({f64({3}), f64({2, 4, 3})}),
               {false, true});
}

TEST(vmap, maps_other_dims_in_and_out) {
  Tensors arguments = quarters({f64({3, 4})});
  Tensor columns = value_of(
      [](const Arrays& x) {
        return vmap([](const Array& column) { return column * column; }, {.in = {1}, .out = 1})(x[0]);
      },
      arguments);
  EXPECT_EQ(columns, value_of([](const Arrays& x) { return x[0] * x[0]; }, arguments));
}

// --- A vmap axis is an axis --------------------------------------------------------------------------------

// `body` over an axis named "i" of 4, of a mesh or of a vmap: the same.
void expect_same_over_vmap_and_mesh(const Function& body, const Types& types) {
  static const Mesh line({{"i", 4}});
  auto tree = [&](const std::vector<Array>& x) { return body(x); };
  Tensors arguments = quarters(types);
  Tensor over_vmap = value_on(line, [&](const Arrays& x) { return vmap(tree, {.axis = "i"})(x); }, arguments);
  // A device's part has its lane as a first dim of size 1.
  auto on_device = [&](const std::vector<Array>& x) {
    Arrays parts;
    for (const Array& part : x) parts.push_back(reshape(part, part.shape().erased(Dim{0})));
    Array result = body(parts);
    return reshape(result, result.shape().inserted(Dim{0}, 1));
  };
  Tensor over_mesh = value_on(
      line,
      [&](const Arrays& x) { return shard_map(on_device, {.mesh = line, .in = P("i"), .out = P("i")})(x); },
      arguments);
  EXPECT_EQ(over_vmap, over_mesh);
}

TEST(vmap_axis, sums_as_a_mesh_axis_does) {
  expect_same_over_vmap_and_mesh([](const Arrays& x) { return x[0] * psum(x[0], "i") + pmax(x[0], "i"); },
                                 {f64({4, 3})});
}
TEST(vmap_axis, gathers_and_scatters_as_a_mesh_axis_does) {
  expect_same_over_vmap_and_mesh(
      [](const Arrays& x) {
        Array all = all_gather(x[0], "i", {.tiled = true});
        return psum_scatter(all * all, "i", {.tiled = true}) + pbroadcast(x[0], "i", {.source = 2});
      },
      {f64({4, 3})});
}
TEST(vmap_axis, counts_as_a_mesh_axis_does) {
  expect_same_over_vmap_and_mesh(
      [](const Arrays& x) {
        Array here = convert(axis_index("i"), DType::f64);
        return (x[0] - pmean(x[0], "i")) * here + axis_size("i");
      },
      {f64({4, 2})});
}
TEST(vmap_axis, differentiates_as_a_mesh_axis_does) {
  expect_same_over_vmap_and_mesh(
      [](const Arrays& x) {
        auto loss = [&](const Array& w) { return reduce_sum(square(psum(w * x[1], "i"))); };
        return grad(loss)(x[0]);
      },
      {f64({4, 3}), f64({4, 3})});
}

// Lane k of device d is device (d, k) of a mesh that has both axes.
TEST(vmap_axis, stands_in_one_tuple_with_a_mesh_axis) {
  auto one = [](const Array& x) {
    Array all = all_gather(x, {"i", "a"});  // [4, 3]
    return x * psum(x, {"a", "i"}) + reduce_sum(all * all, 0) * convert(axis_index({"i", "a"}), DType::f64);
  };
  auto mixed = [&](const Array& part) { return vmap(one, {.axis = "i"})(part); };
  Mesh line({{"a", 2}}), square({{"a", 2}, {"i", 2}});
  Tensors arguments = quarters({f64({4, 3})});
  Tensor over_both = value_on(
      line,
      [&](const Arrays& x) { return shard_map(mixed, {.mesh = line, .in = P("a"), .out = P("a")})(x[0]); },
      arguments);
  auto alone = [&](const Array& part) { return expand_dims(one(reshape(part, {3})), 0); };
  Tensor over_mesh = value_on(
      square,
      [&](const Arrays& x) {
        P rows(SpecEntry{"a", "i"});
        return shard_map(alone, {.mesh = square, .in = rows, .out = rows})(x[0]);
      },
      arguments);
  EXPECT_EQ(over_both, over_mesh);
}

}  // namespace
}  // namespace tutti
