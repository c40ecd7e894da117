// SPDX-License-Identifier: Apache-2.0
// Functions of whole arrays with shard_maps in them, with vmap around and inside, against JAX's own; see
// jax_functions.py. (JAX 0.10 does not lower a shard_map inside another: tests/api/compositions_test.cpp has those.)
#include <gtest/gtest.h>

#include <functional>

#include "tests/oracle/agree.hpp"
#include "tests/support/oracle.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"x", 4}, {"y", 2}});

struct Composition {
  std::string name;  // in jax_functions.py
  std::vector<Shape> shapes;
  std::function<Array(const Arrays&)> function;
};

Array shard_map_in_vmap(const Arrays& a) {
  auto body = [](Array x, Array w) { return x * psum(reduce_sum(x * w), {"x", "y"}); };
  P rows(SpecEntry{"x", "y"});
  auto scaled = shard_map(body, {.mesh = mesh, .in = rows, .out = rows});
  auto each = [&](Array x, Array w) { return scaled(x, w); };
  return reduce_sum(tanh(vmap(each, {.in = {1, none}, .out = 1})(a[0], a[1])));
}

Array vmap_in_shard_map(const Arrays& a) {
  auto of_row = [](Array row) { return tanh(row - pmean(row, {"row", "x"})) * psum(row, "row"); };
  auto body = [&](Array rows) { return psum(reduce_sum(vmap(of_row, {.axis = "row"})(rows)), "x"); };
  return shard_map(body, {.mesh = mesh, .in = P("x"), .out = P()})(a[0]);
}

Array operations_between_shard_maps(const Arrays& a) {
  auto halves =
      shard_map([](Array p) { return tanh(p) / 2; }, {.mesh = mesh, .in = P("x", "y"), .out = P("x", "y")});
  auto sums = shard_map([](Array p) { return psum(p, "x"); }, {.mesh = mesh, .in = P("x"), .out = P()});
  Array y = halves(a[0]);
  Array summed = sums(matmul(y, a[1]) + slice_in_dim(a[0], 0, 3, 1, 1));
  return reduce_sum(slice_in_dim(summed, 1, std::nullopt) * slice_in_dim(reduce_max(y, 1), 0, 1));
}

std::vector<Composition> compositions() {
  return {{"shard_map_in_vmap", {{8, 3}, {8}}, shard_map_in_vmap},
          {"vmap_in_shard_map", {{8, 3}}, vmap_in_shard_map},
          {"operations_between_shard_maps", {{8, 4}, {4, 3}}, operations_between_shard_maps}};
}

class compositions_with : public OracleTest, public ::testing::WithParamInterface<Composition> {};

TEST_P(compositions_with, shard_map_equal_those_of_jax) {
  Tensors arguments = arguments_of(GetParam().shapes);
  Verdict jax = Oracle::shared().run_jax(GetParam().name, arguments);
  ASSERT_EQ(jax.failure, "");
  auto both = [&](const Arrays& all) {
    return value_and_grad([&](const Arrays& a) { return GetParam().function(a); })(all);
  };
  Arrays given(arguments.begin(), arguments.end());
  auto [value, gradients] = open_local(mesh).compile(both, given)(given);
  Tensors ours{value.tensor()};
  for (const Array& gradient : gradients) ours.push_back(gradient.tensor());
  EXPECT_TRUE(agree(ours, jax.results));
}

INSTANTIATE_TEST_SUITE_P(of, compositions_with, ::testing::ValuesIn(compositions()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace tutti
