// SPDX-License-Identifier: Apache-2.0
// vmap over no lanes, on a machine: results are empty, and of the shape that they have with lanes. A
// collective over the axis gives the neutral element, or nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/api/numbers.hpp"

#include "tutti/base/inside.hpp"

namespace tutti {
namespace {

const Mesh& mesh() {
  static const Mesh square({{"a", 2}, {"b", 2}});
  return square;
}
template <class F>
Tensor ran(const F& function, const Array& argument) {
  static const Machine machine = open_local(mesh(), {.workers = 2});
  Array result = machine.compile(function, argument)(argument);
  return result.tensor();
}

using Body = std::function<Array(Array)>;
struct Named {
  const char* name;
  Body body;
};

// These functions take the f64[4] of one lane. The lanes differ.
Array index_of(const Array& x) { return convert(reduce_sum(x), DType::i32); }
Array looped(const Array& x) {
  return while_loop([](Array c) { return reduce_sum(c) < 100.0; }, [](Array c) { return c + 1.0; }, x);
}
Array branched(const Array& x) {
  return cond(reduce_sum(x) > 0.0, [](Array y) { return sin(y); }, [](Array y) { return y * y; }, x);
}
const std::vector<Named>& bodies() {
  static const std::vector<Named> all{
      {"elementwise", [](Array x) { return exp(x) * 2.0 + x; }},
      {"reduce", [](Array x) { return reduce_max(x); }},
      {"matmul", [](Array x) { return matmul(expand_dims(x, 1), expand_dims(x, 0)); }},
      {"sort", [](Array x) { return sort(x); }},
      {"argsort", [](Array x) { return argsort(x); }},
      {"argmax", [](Array x) { return argmax(x); }},
      {"cumsum", [](Array x) { return cumsum(x, 0); }},
      {"take", [](Array x) { return take(x, expand_dims(index_of(x), 0), 0); }},
      {"dynamic_slice", [](Array x) { return dynamic_slice_in_dim(x, index_of(x), 2, 0); }},
      {"dynamic_slice of the same in all lanes",
       [](Array x) { return dynamic_slice_in_dim(iota({9}, DType::f64, 0), index_of(x), 2, 0); }},
      {"dynamic_update_slice",
       [](Array x) { return dynamic_update_slice(x, zeros({2}, DType::f64), {index_of(x)}); }},
      {"concatenate", [](Array x) { return concatenate({x, x * 2.0}, 0); }},
      {"one_hot", [](Array x) { return one_hot(index_of(x), 5); }},
      {"reshape", [](Array x) { return transpose(reshape(x, {2, 2})); }},
      {"cond", branched},
      {"while_loop", looped},
      {"fori_loop", [](Array x) { return fori_loop(0, 3, [](Array, Array c) { return c * 2.0; }, x); }},
      {"scan",
       [](Array x) {
         return scan([](Array c, Array y) { return std::pair{c + y, c * y}; }, reduce_sum(x), x).second;
       }},
      {"remat", [](Array x) { return remat([](Array y) { return sin(y); })(x); }},
      {"vmap", [](Array x) { return vmap([](Array y) { return y * 2.0; })(x); }},
      {"vmap of no lanes",
       [](Array x) { return vmap([&](Array y) { return y + x; })(zeros({0, 4}, DType::f64)); }},
      {"grad", [](Array x) { return grad([](Array y) { return reduce_sum(branched(y) * y); })(x); }},
      {"a constant", [](Array) { return ones({3}, DType::f32); }},
  };
  return all;
}

TEST(vmap_of_no_lanes, has_the_shapes_of_some_lanes) {
  for (const auto& [name, body] : bodies()) {
    auto mapped = [body = body](const Array& x) { return vmap(body)(x); };
    Tensor some = ran(mapped, some_table(2, 4).array()), none = ran(mapped, Tensor({0, 4}, DType::f64));
    EXPECT_EQ(none.dtype(), some.dtype()) << name;
    EXPECT_EQ(to_string(none.shape()), to_string(some.shape().with(Dim{0}, 0))) << name;
  }
}

TEST(vmap_of_no_lanes, maps_along_other_dims_and_sizes_alone) {
  auto columns = [](const Array& x) {
    return vmap([](Array y) { return y * 2.0; }, {.in = {1}, .out = 1})(x);
  };
  EXPECT_EQ(ran(columns, Tensor({4, 0}, DType::f64)).shape(), (Shape{4, 0}));
  auto same = [](const Array& x) {
    return vmap([](Array y) { return y + 1.0; }, {.in = {none}, .size = 0})(x);
  };
  EXPECT_EQ(ran(same, Tensor({3}, DType::f64)).shape(), (Shape{0, 3}));
}

// A result that is the same in all lanes, also if there are none.
Tensor over_no_lanes(const Body& body, const Shape& lane, DType dtype = DType::f64) {
  auto mapped = [&](const Array& x) { return vmap(body, {.axis = "i", .out = none})(x); };
  return ran(mapped, Tensor(lane.inserted(Dim{0}, 0), dtype));
}
Tensor in_no_lanes(const Body& body, const Shape& lane) {
  auto mapped = [&](const Array& x) { return vmap(body, {.axis = "i"})(x); };
  return ran(mapped, Tensor(lane.inserted(Dim{0}, 0), DType::f64));
}

TEST(collectives_of_no_lanes, give_the_neutral_element) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(over_no_lanes([](Array x) { return psum(x, "i"); }, {2}), Tensor({2}, {0.0, 0.0}));
  EXPECT_EQ(over_no_lanes([](Array x) { return psum(x > 0.0, "i"); }, {}), Tensor::scalar(std::int32_t{0}));
  EXPECT_EQ(over_no_lanes([](Array x) { return pmax(x, "i"); }, {1}), Tensor({1}, {-infinity}));
  EXPECT_EQ(over_no_lanes([](Array x) { return pmin(x, "i"); }, {1}), Tensor({1}, {infinity}));
  EXPECT_EQ(over_no_lanes([](Array x) { return pmax(x, "i"); }, {}, DType::i32),
            Tensor::scalar(std::numeric_limits<std::int32_t>::min()));
  EXPECT_TRUE(
      std::isnan(over_no_lanes([](Array x) { return pmean(x, "i"); }, {}).at(0)));  // 0 / 0, as numpy.mean
}

TEST(collectives_of_no_lanes, gather_and_exchange_nothing) {
  EXPECT_EQ(over_no_lanes([](Array x) { return all_gather(x, "i", {.to = invariant}); }, {3}).shape(),
            (Shape{0, 3}));
  EXPECT_EQ(
      over_no_lanes([](Array x) { return all_gather(x, "i", {.dim = 1, .tiled = true, .to = invariant}); },
                    {2, 3})
          .shape(),
      (Shape{2, 0}));
  EXPECT_EQ(in_no_lanes([](Array x) { return psum_scatter(x, "i"); }, {0, 3}).shape(), (Shape{0, 3}));
  EXPECT_EQ(
      in_no_lanes([](Array x) { return all_to_all(x, "i", {.split = 0, .concat = 1}); }, {0, 3}).shape(),
      (Shape{0, 3, 0}));
  EXPECT_EQ(in_no_lanes([](Array x) { return ppermute(x, "i", {}); }, {3}).shape(), (Shape{0, 3}));
  EXPECT_EQ(in_no_lanes([](Array x) { return pshuffle(x, "i", {}); }, {3}).shape(), (Shape{0, 3}));
  EXPECT_EQ(in_no_lanes([](Array x) { return keep_on_one(psum(x, "i"), "i"); }, {3}).shape(), (Shape{0, 3}));
  EXPECT_EQ(in_no_lanes([](Array x) { return x * convert(axis_index("i"), DType::f64) + axis_size("i"); },
                        {3})
                .shape(),
            (Shape{0, 3}));
}

TEST(collectives_of_no_lanes, have_gradients) {
  for (const Body& sum :
       std::vector<Body>{[](Array y) { return reduce_sum(psum(y, "i")); },
                         [](Array y) { return reduce_sum(all_gather(y * y, "i")); },
                         [](Array y) {
                           return reduce_sum(all_gather(y, "i", {.tiled = true, .to = invariant}));
                         },
                         [](Array y) { return reduce_sum(keep_on_one(psum(y, "i"), "i")); }})
    EXPECT_EQ(in_no_lanes([&](Array x) { return grad(sum)(x); }, {3}).shape(), (Shape{0, 3}));
  auto of_outside = [](const Array& w) {
    auto loss = [](const Array& u) {
      return reduce_sum(vmap([&](Array x) { return u * x; })(zeros({0, 3}, DType::f64)));
    };
    return grad(loss)(w);
  };
  EXPECT_EQ(ran(of_outside, Tensor({3}, {1.0, 2.0, 3.0})), Tensor({3}, {0.0, 0.0, 0.0}));
}

TEST(collectives_of_no_lanes, stand_in_one_tuple_with_a_mesh_axis) {
  auto body = [](const Array& part) {
    auto lane = [](Array x) {
      Array all = all_gather(x, {"a", "i"}), turned = all_gather(x, {"i", "a"}, {.tiled = true});
      Array here = convert(axis_index({"i", "a"}) + axis_index({"a", "i"}), DType::f64);
      return psum(x, {"a", "i"}) + reduce_sum(all, 0) * here + reduce_sum(turned) +
             ppermute(x, {"a", "i"}, {}) +
             all_to_all(zeros({0, 3}, DType::f64) + x, {"i", "a"}, {.split = 0, .concat = 0}).dim(0);
    };
    return vmap(lane, {.axis = "i"})(part);
  };
  auto sharded = [&](const Array& x) {
    return shard_map(body, {.mesh = mesh(), .in = P(none, "a"), .out = P(none, "a")})(x);
  };
  EXPECT_EQ(ran(sharded, Tensor({0, 6}, DType::f64)).shape(), (Shape{0, 6}));
}

}  // namespace
}  // namespace tutti
