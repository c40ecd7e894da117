// SPDX-License-Identifier: Apache-2.0
#include "tutti/api/lower_text.hpp"

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/stablehlo/write.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh grid({{"data", 4}, {"model", 2}});

Array layer(const Array& x, const Array& w) { return psum(tanh(matmul(x, w)), "model"); }
const auto mapped =
    shard_map(layer, {.mesh = grid, .in = {P("data", "model"), P("model")}, .out = P("data")});
const std::tuple arguments{abstract({8, 4}, DType::f32), abstract({4, 6}, DType::f32)};

bool holds(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

TEST(lower_text, is_what_a_compiled_program_lowers_to) {
  const Program program = open_local(grid, {.workers = 1})
                              .compile(mapped, std::get<0>(arguments), std::get<1>(arguments))
                              .program();
  EXPECT_EQ(lower_text(mapped, arguments), stablehlo::write(lower_global(program, grid)));
}

TEST(lower_text, has_whole_arrays_with_shardings_or_the_parts_of_a_device) {
  const std::string global = lower_text(mapped, arguments);
  EXPECT_TRUE(holds(global, "@main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"data\"}, "
                            "{\"model\"}]>}, %arg1: tensor<4x6xf32>"))
      << global;
  const std::string part = lower_text(mapped, arguments, {.form = TextForm::per_device});
  EXPECT_TRUE(holds(part, "@main(%arg0: tensor<2x2xf32>")) << part;
  EXPECT_TRUE(holds(part, "manual_computation")) << part;
  EXPECT_TRUE(holds(part, "mhlo.num_partitions = 8")) << part;
  const std::string replica = lower_text(mapped, arguments, {.form = TextForm::replicas});
  EXPECT_TRUE(holds(replica, "@main(%arg0: tensor<2x2xf32>, %arg1: tensor<2x6xf32>) -> ")) << replica;
  EXPECT_TRUE(holds(replica, "mhlo.num_replicas = 8")) << replica;
  EXPECT_FALSE(holds(replica, "sdy")) << replica;
}

TEST(lower_text, of_a_function_of_whole_arrays_is_for_one_device_unless_a_mesh_says_otherwise) {
  auto square = [](const Array& x) { return x * x; };
  const std::tuple one{abstract({3}, DType::f32)};
  EXPECT_TRUE(holds(lower_text(square, one), "mhlo.num_partitions = 1"));
  EXPECT_TRUE(holds(lower_text(square, one, {.mesh = grid}), "mhlo.num_partitions = 8"));
}

TEST(lower_text, finds_the_mesh_of_a_shard_map_in_a_loop) {
  auto f = [](const Array& x, const Array& w) {
    auto trip = [&](const Array& c, const Array& v) { return std::pair{c, mapped(v, w)}; };
    return scan(trip, reduce_sum(x), expand_dims(x, 0)).second;
  };
  EXPECT_TRUE(holds(lower_text(f, arguments), "mhlo.num_partitions = 8"));
}

TEST(lower_text, has_lines_where_asked) {
  const std::string text = lower_text(mapped, arguments, {.locations = true});
  EXPECT_TRUE(holds(text, "loc(\"tests/api/lower_text_test.cpp\":")) << text;
  EXPECT_FALSE(holds(lower_text(mapped, arguments), "loc("));
}

TEST(lower_text, writes_started_collectives_as_its_options_say) {
  auto sum = [](const Array& x) { return psum_start(x, "data").done(); };
  auto f = shard_map(sum, {.mesh = grid, .in = P("data"), .out = P()});
  const std::tuple one{abstract({8}, DType::f32)};
  EXPECT_TRUE(holds(lower_text(f, one, {.ops = {.async = true}}), "async_start"));
  EXPECT_FALSE(holds(lower_text(f, one), "async_start"));
}

TEST(lower_text, says_what_is_wrong) {
  const std::tuple three{abstract({3}, DType::f32)};
  expect_refused(
      [&] {
        lower_text([](const Array& x) { return x + zeros({4}, DType::f32); }, three);  // refused
      },
      "T005 {file}:{line}: add: shapes [3] and [4] do not broadcast: 3 and 4 in dim 1 from the "
      "end; sizes must be equal, or 1");
  expect_refused(
      [&] {
        const Array hole = abstract({3}, DType::f32);
        lower_text([&](const Array& x) { return x * hole; }, three);  // refused
      },
      "T011 {file}:{line}: mul: this array only stands for an argument of compile and has no values; hand in "
      "data");
  expect_refused(
      [&] {
        lower_text(mapped, arguments, {.mesh = Mesh({{"data", 4}})});  // refused
      },
      "T014 {file}:{line}: lower_text: a shard_map is over data=4,model=2, but .mesh is data=4; leave .mesh "
      "out");
  expect_refused(
      [&] {
        lower_text([](const Array& x) { return x; }, std::tuple{Array()});  // refused
      },
      "T011 {file}:{line}: lower_text: argument 0: this array is empty; give it a value before it is used");
}

TEST(lower_text, is_called_outside_of_a_trace) {
  expect_refused(traced([](Array x) {
                   auto same = [](const Array& y) { return y; };
                   lower_text(same, std::tuple{abstract({3}, DType::f32)});  // refused
                   return x;
                 }),
                 "T011 {file}:{line}: lower_text: a function is being traced here; lower it outside of it");
}

}  // namespace
}  // namespace tutti
