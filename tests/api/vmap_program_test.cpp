// SPDX-License-Identifier: Apache-2.0
#include "tutti/api/vmap.hpp"

#include <gtest/gtest.h>

#include "tests/support/tracing.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

Type f32(Shape shape) { return Type(DType::f32, std::move(shape)); }
Array sum_of_products(Array x, Array y) { return reduce_sum(x * y); }

// The type of vmap(f)(inputs of these shapes).
template <class F>
std::string mapped_type(F f, VmapOptions options, const std::vector<Shape>& shapes) {
  Builder builder;
  Arrays x;
  for (const Shape& shape : shapes) x.push_back(builder.input(f32(shape)));
  if constexpr (std::is_invocable_v<F, Array>) return to_string(vmap(f, std::move(options))(x[0]).type());
  else return to_string(vmap(f, std::move(options))(x[0], x[1]).type());
}

TEST(vmap, removes_its_axis_from_the_program) {
  EXPECT_EQ(program_text({f32({5, 3}), f32({5, 3})},
                         [](const Arrays& x) { return vmap(sum_of_products)(x[0], x[1]); }),
            "program(%0: f32[5,3], %1: f32[5,3]) {\n"
            "  %2: f32[5,3] = mul %0, %1\n"
            "  %3: f32[5] = reduce_sum{dims=[1]} %2\n"
            "  return %3\n"
            "}\n");
}

TEST(vmap, maps_any_dim_in_and_out) {
  auto same = [](Array x) { return x; };
  EXPECT_EQ(mapped_type(same, {.in = {1}}, {{3, 5}}), "f32[5,3]");
  EXPECT_EQ(mapped_type(same, {.in = {-1}, .out = 1}, {{3, 4, 5}}), "f32[3,5,4]");
  EXPECT_EQ(mapped_type(same, {.out = -1}, {{5, 3, 4}}), "f32[3,4,5]");
}

TEST(vmap, leaves_unmapped_arguments_alone) {
  EXPECT_EQ(program_text({f32({5, 3}), f32({3})},
                         [](const Arrays& x) {
                           return vmap([](Array a, Array b) { return a + b; }, {.in = {0, none}})(x[0], x[1]);
                         }),
            "program(%0: f32[5,3], %1: f32[3]) {\n"
            "  %2: f32[5,3] = broadcast_in_dim{to=[5,3], dims=[1]} %1\n"
            "  %3: f32[5,3] = add %0, %2\n"
            "  return %3\n"
            "}\n");
}

TEST(vmap, of_unmapped_arguments_needs_a_size) {
  auto same = [](Array x) { return x; };
  EXPECT_EQ(mapped_type(same, {.in = {none}, .size = 7}, {{3}}), "f32[7,3]");
}

TEST(vmap, gives_results_that_are_equal_in_all_lanes_once) {
  auto mean_of_lanes = [](Array x) { return pmean(x, "batch"); };
  EXPECT_EQ(mapped_type(mean_of_lanes, {.axis = "batch", .out = none}, {{5, 3}}), "f32[3]");
  EXPECT_EQ(mapped_type(mean_of_lanes, {.axis = "batch"}, {{5, 3}}), "f32[5,3]");
}

TEST(vmap, binds_its_axis_by_name) {
  EXPECT_EQ(program_text({f32({5})},
                         [](const Arrays& x) {
                           return vmap([](Array y) { return y / psum(y, "rows"); }, {.axis = "rows"})(x[0]);
                         }),
            "program(%0: f32[5]) {\n"
            "  %1: f32[] = reduce_sum{dims=[0]} %0\n"
            "  %2: f32[5] = broadcast_in_dim{to=[5], dims=[]} %1\n"
            "  %3: f32[5] = div %0, %2\n"
            "  return %3\n"
            "}\n");
}

TEST(vmap, nests) {
  auto rows = vmap([](Array x) { return vmap([](Array y) { return y + 1; }, {.axis = "columns"})(x); });
  EXPECT_EQ(program_text({f32({5, 3})}, [&](const Arrays& x) { return rows(x[0]); }),
            "program(%0: f32[5,3]) {\n"
            "  %1: f32[] = constant{value=1}\n"
            "  %2: f32[3] = broadcast_in_dim{to=[3], dims=[]} %1\n"
            "  %3: f32[5,3] = broadcast_in_dim{to=[5,3], dims=[1]} %2\n"
            "  %4: f32[5,3] = add %0, %3\n"
            "  return %4\n"
            "}\n");
}

TEST(vmap, maps_all_leaves_of_an_argument_alike) {
  Builder builder;
  std::pair<Array, Array> both{builder.input(f32({5, 3})), builder.input(f32({5}))};
  auto swapped = vmap([](const std::pair<Array, Array>& p) { return std::pair{p.second, p.first}; })(both);
  EXPECT_EQ(to_string(swapped.first.type()), "f32[5]");
  EXPECT_EQ(to_string(swapped.second.type()), "f32[5,3]");
}

TEST(vmap, of_grad_gives_a_gradient_per_example) {
  EXPECT_EQ(program_text({f32({3}), f32({5, 3})},
                         [](const Arrays& x) {
                           return vmap(grad(sum_of_products), {.in = {none, 0}})(x[0], x[1]);
                         }),
            "program(%0: f32[3], %1: f32[5,3]) {\n"
            "  %2: f32[] = constant{value=1}\n"
            "  %3: f32[5,3] = broadcast_in_dim{to=[5,3], dims=[1]} %0\n"
            "  %4: f32[5,3] = mul %3, %1\n"
            "  %5: f32[5] = reduce_sum{dims=[1]} %4\n"
            "  %6: f32[3] = broadcast_in_dim{to=[3], dims=[]} %2\n"
            "  %7: f32[5,3] = broadcast_in_dim{to=[5,3], dims=[1]} %6\n"
            "  %8: f32[5,3] = mul %7, %1\n"
            "  return %8\n"
            "}\n");
}

TEST(vmap, of_shard_map_maps_whole_arrays) {
  Mesh mesh({{"data", 2}});
  auto sum = [](Array x) { return psum(x, "data"); };
  auto mapped = vmap(shard_map(sum, {.mesh = mesh, .in = P("data"), .out = P()}));
  EXPECT_EQ(program_text({f32({5, 4})}, [&](const Arrays& x) { return mapped(x[0]); }),
            "program(%0: f32[5,4]) {\n"
            "  %1: f32[5,2]{V:data} = enter{sharding=P(none, data)} %0\n"
            "  %2: f32[5,2] = all_reduce{kind=sum, axes='data'} %1\n"
            "  %3: f32[5,2] = leave{sharding=P()} %2\n"
            "  return %3\n"
            "}\n");
}

}  // namespace
}  // namespace tutti
