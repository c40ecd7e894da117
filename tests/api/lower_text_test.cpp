// SPDX-License-Identifier: Apache-2.0
#include "tutti/api/lower_text.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/refusal.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/stablehlo/write/write.hpp"
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

TEST(lower_text, names_the_line_of_the_user_for_windows_that_are_brought_inside) {
  auto window = [](const Array& x, const Array& at) {
    const Array rows =
        gather(x, at, {.offset_dims = {Dim{1}}, .start_index_map = {Dim{0}}, .index_vector_dim = Dim{1}}, {2},
               GatherMode::clip);
    return reduce_sum(rows) + reduce_sum(dynamic_slice_in_dim(x, at[{0, 0}], 2, 0));
  };
  const std::tuple given{abstract({8}, DType::f32), abstract({3, 1}, DType::i32)};
  for (const TextForm form : {TextForm::global, TextForm::per_device, TextForm::replicas}) {
    const std::string text = lower_text(window, given, {.form = form, .mesh = Mesh(), .locations = true});
    EXPECT_TRUE(holds(text, "stablehlo.clamp")) << text;
    EXPECT_TRUE(holds(text, "stablehlo.gather")) << text;
    EXPECT_FALSE(holds(text, "loc(\"tutti/")) << text;
  }
}

using Body = std::function<Array(const Array&)>;
/// The text of what one device of "data" does with its two elements.
std::string text_of(const Body& body, const TextOptions& options, DType dtype = DType::f32) {
  return lower_text(shard_map(body, {.mesh = grid, .in = P("data"), .out = P("data")}),
                    std::tuple{abstract({8}, dtype)}, options);
}

class text_forms : public ::testing::TestWithParam<TextForm> {
 protected:
  /// Fails unless the text has `part` with these options, and only with them.
  static void expect_chosen(const Body& body, const LowerOptions& ops, const std::string& part,
                            DType dtype = DType::f32) {
    const std::string chosen = text_of(body, {.form = GetParam(), .ops = ops}, dtype);
    EXPECT_TRUE(holds(chosen, part)) << chosen;
    EXPECT_FALSE(holds(text_of(body, {.form = GetParam()}, dtype), part));
  }
};

TEST_P(text_forms, write_a_started_collective_in_two_halves) {
  const auto sum = [](const Array& x) {
    auto started = psum_start(x, "data");
    Array meanwhile = sin(x);
    return started.done() + meanwhile;
  };
  expect_chosen(sum, {.async = true}, "stablehlo.async_start");
}

TEST_P(text_forms, write_what_is_sent_as_send_and_recv) {
  const auto moved = [](const Array& x) { return precv(psend(x, "data", {{0, 1}}), x, "data", {{0, 1}}); };
  expect_chosen(moved, {.send_recv = true}, "stablehlo.send");
}

TEST_P(text_forms, write_a_ragged_exchange_as_one_call) {
  const auto ragged = [](const Array& x) {
    const Array none_sent = zeros({4}, DType::i32);
    return ragged_all_to_all(x, x, {none_sent, none_sent, none_sent}, "data");
  };
  expect_chosen(ragged, {.ragged_call = true}, "call_target_name = \"ragged_all_to_all\"");
}

TEST_P(text_forms, write_a_bitwise_reduction_as_one_collective) {
  const auto all_bits = [](const Array& x) {
    return apply_one(AllReduce{ReduceKind::logical_and, {grid.axes()[0]}, {}}, {x});
  };
  expect_chosen(all_bits, {.bitwise_all_reduce = true}, "stablehlo.all_reduce", DType::i32);
}

TEST_P(text_forms, write_a_future_that_passes_a_barrier_plainly) {
  const auto sum = [](const Array& x) { return optimization_barrier(psum_start(x, "data")).done(); };
  const std::string text = text_of(sum, {.form = GetParam(), .ops = {.async = true}});
  EXPECT_TRUE(holds(text, "stablehlo.all_reduce") && !holds(text, "async_start")) << text;
}

// From parts along dim 0 to parts along dim 1.
TEST_P(text_forms, bring_a_value_from_one_shard_map_to_another_by_one_exchange) {
  const auto same = [](const Array& x) { return x + 1; };
  const P rows("data"), columns(none, "data");
  const auto first = shard_map(same, {.mesh = grid, .in = rows, .out = rows});
  const auto second = shard_map(same, {.mesh = grid, .in = columns, .out = columns});
  const std::string text = lower_text([&](const Array& x) { return second(first(x)); },
                                      std::tuple{abstract({8, 8}, DType::f32)}, {.form = GetParam()});
  EXPECT_TRUE(holds(text, "stablehlo.all_to_all") && !holds(text, "stablehlo.all_gather")) << text;
}

INSTANTIATE_TEST_SUITE_P(of, text_forms, ::testing::Values(TextForm::global, TextForm::per_device),
                         [](const auto& row) {
                           return row.param == TextForm::global ? "whole_arrays" : "parts";
                         });

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
