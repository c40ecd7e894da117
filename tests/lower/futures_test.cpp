// SPDX-License-Identifier: Apache-2.0
// Collectives in two halves, and ragged_all_to_all, in the forms that LowerOptions choose.
#include <gtest/gtest.h>

#include "tests/lower/golden.hpp"
#include "tests/support/scripted_op.hpp"
#include "tutti/lower/in_flight.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/stablehlo/write/write.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh line({{"x", 2}});
const Axes x = line.axes();
const Pairs to_the_next{{0, 1}}, around{{0, 1}, {1, 0}};
const LowerOptions async{.async = true}, messages{.send_recv = true}, ragged{.ragged_call = true};

Type differing(DType dtype, const Shape& shape) { return Type(dtype, shape).with(x, varying); }
const Type square = differing(DType::f32, {2, 2});

using Body = std::function<Arrays(const Arrays&)>;

std::string text_of(const Body& body, const LowerOptions& options, const Types& types = {square}) {
  return write(lower_per_device(trace(types, body).program, line, options));
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }
std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}
/// True if the parts stand in the text one after the other.
bool holds_in_order(const std::string& text, const std::vector<std::string_view>& parts) {
  std::size_t at = 0;
  for (std::string_view part : parts) {
    at = text.find(part, at);
    if (at == text.npos) return false;
    at += part.size();
  }
  return true;
}

// ---- async_start and async_done

TEST(lower_futures, are_one_collective_between_start_and_done) {
  auto body = [](const Arrays& in) -> Arrays {
    auto sum = psum_start(in[0], x);
    auto rows = all_gather_start(in[0], x);
    auto row = psum_scatter_start(in[0], x);
    auto turned = all_to_all_start(in[0], x, {.split = 0, .concat = 1});
    auto other = ppermute_start(in[0], x, to_the_next);
    auto first = pbroadcast_start(in[0], x, {.source = 1});
    return {sum.done(), rows.done(), row.done(), turned.done(), other.done(), first.done()};
  };
  EXPECT_EQ(text_of(body, async), golden("futures"));
}

TEST(lower_futures, of_halves_are_sums_of_f32_between_two_conversions) {
  const std::string text = text_of([](const Arrays& in) -> Arrays { return {psum_start(in[0], x).done()}; },
                                   async, {differing(DType::bf16, {4})});
  EXPECT_TRUE(holds_in_order(text, {"stablehlo.convert", "(tensor<4xbf16>) -> tensor<4xf32>", "async_start",
                                    "async_done", "-> tensor<4xf32>", "stablehlo.convert",
                                    "(tensor<4xf32>) -> tensor<4xbf16>"}))
      << text;
}

TEST(lower_futures, have_other_work_between_start_and_done_and_reshape_after_it) {
  std::string text = text_of(
      [](const Arrays& in) -> Arrays {
        auto row = psum_scatter_start(in[0], x);
        Array work = in[0] * in[0];
        return {row.done(), work};
      },
      async);
  EXPECT_TRUE(holds_in_order(text, {"async_start", "reduce_scatter", "stablehlo.return", "multiply",
                                    "async_done", "stablehlo.reshape", "sdy.return"}))
      << text;
}

TEST(lower_futures, are_plain_by_default) {
  auto body = [](const Arrays& in) -> Arrays { return {psum_start(in[0], x).done()}; };
  auto whole = [](const Arrays& in) -> Arrays { return {psum(in[0], x)}; };
  EXPECT_EQ(text_of(body, {}), text_of(whole, {}));
}

TEST(lower_futures, of_several_collectives_are_plain) {
  std::string text =
      text_of([](const Arrays& in) -> Arrays { return {pbroadcast_start(in[0], x, {.source = 1}).done()}; },
              async, {differing(DType::complex64, {3})});
  EXPECT_EQ(count(text, "stablehlo.all_reduce"), 2U) << text;
  EXPECT_FALSE(holds(text, "async")) << text;
}

TEST(lower_futures, of_a_ragged_exchange_are_plain) {
  auto body = [](const Arrays& in) -> Arrays {
    RaggedSlices slices{in[1], in[1], in[1], in[1]};
    return {ragged_all_to_all_start(in[0], in[0], slices, x).done()};
  };
  const Types types{square, differing(DType::i32, {2})};
  for (bool by_call : {false, true}) {
    std::string text = text_of(body, {.async = true, .ragged_call = by_call}, types);
    EXPECT_FALSE(holds(text, "async")) << text;
    EXPECT_EQ(holds(text, "custom_call"), by_call) << text;
  }
}

TEST(lower_futures, of_no_collective_are_plain) {
  std::string text = text_of([](const Arrays& in) -> Arrays { return {ppermute_start(in[0], x, {}).done()}; },
                             {.async = true, .send_recv = true});
  EXPECT_FALSE(holds(text, "async") || holds(text, "send")) << text;
}

TEST(lower_futures, are_all_plain_in_a_program_where_one_passes_a_barrier) {
  auto body = [](const Arrays& in) -> Arrays {
    auto other = ppermute_start(in[0], x, to_the_next);
    auto [sum, y] = optimization_barrier(std::pair{psum_start(in[0], x), in[0] * 2.0});
    return {sum.done(), y, other.done()};
  };
  std::string text = text_of(body, {.async = true, .send_recv = true});
  EXPECT_TRUE(holds_in_order(text, {"collective_permute", "all_reduce", "optimization_barrier"})) << text;
  EXPECT_FALSE(holds(text, "async") || holds(text, "send")) << text;
}

TEST(lower_futures, are_all_plain_if_one_passes_a_barrier_in_a_loop) {
  auto body = [](const Arrays& in) -> Arrays {
    auto sum = psum_start(in[0], x);
    auto trip = [](const Array&, const Array& c) {
      auto [other] = optimization_barrier(std::tuple{ppermute_start(c, x, around)});
      return other.done();
    };
    return {sum.done(), fori_loop(0, 3, trip, in[0])};
  };
  std::string text = text_of(body, async);
  EXPECT_FALSE(holds(text, "async")) << text;
}

TEST(lower_futures, stay_in_halves_beside_a_barrier_of_arrays) {
  auto body = [](const Arrays& in) -> Arrays {
    auto sum = psum_start(in[0], x);
    Array y = optimization_barrier(in[0] * 2.0);
    return {sum.done(), y};
  };
  std::string text = text_of(body, async);
  EXPECT_TRUE(holds_in_order(text, {"async_start", "optimization_barrier", "async_done"})) << text;
}

TEST(lower_futures, begin_and_end_in_the_body_of_a_loop) {
  auto body = [](const Arrays& in) -> Arrays {
    auto trip = [](const Array&, const Array& c) {
      auto other = ppermute_start(c, x, around);
      Array work = c * 2.0;
      return other.done() + work;
    };
    return {fori_loop(0, 3, trip, in[0])};
  };
  std::string text = text_of(body, async);
  EXPECT_TRUE(holds_in_order(text, {"stablehlo.while", "async_start", "collective_permute", "multiply",
                                    "async_done", "stablehlo.add", "sdy.return"}))
      << text;
}

TEST(lower_futures, of_permutations_are_gathers_in_branches_that_devices_choose) {
  const Mesh grid({{"x", 2}, {"y", 2}});
  const Axes y{grid.axes()[1]};
  auto body = [&](const Arrays& in) -> Arrays {
    auto sends = [&](const Array& c) { return ppermute_start(c, y, to_the_next).done(); };
    auto keeps = [](const Array& c) { return c; };
    return {cond(axis_index(Axes{grid.axes()[0]}) > 0, sends, keeps, in[0])};
  };
  const Program program = trace({Type(DType::f32, {2}).with(grid.axes(), varying)}, body).program;
  std::string in_halves = write(lower_per_device(program, grid, async)),
              without = write(lower_per_device(program, grid, messages));
  EXPECT_TRUE(holds_in_order(in_halves, {"stablehlo.case", "async_start", "all_gather", "async_done"}))
      << in_halves;
  EXPECT_EQ(without, write(lower_per_device(program, grid)));
  EXPECT_FALSE(holds(in_halves, "permute") || holds(without, "permute"));
}

/// psum of an input, started at line 7 and finished at line 9.
Program sum_in_halves() {
  const Op sum = AllReduce{ReduceKind::sum, x};
  const Type pending = Start{sum}.infer({square})[0], result = sum->infer({square})[0];
  return {{square, pending, result},
          {0},
          {{Start{sum}, {0}, {1}, {"model.cpp", 7, 3}}, {Done{sum}, {1}, {2}, {"model.cpp", 9, 5}}},
          {2}};
}

TEST(lower_futures, carry_the_lines_of_their_start_and_of_their_end) {
  std::string text = write(lower_per_device(sum_in_halves(), line, async), {.locations = true});
  EXPECT_TRUE(holds(text, "}) : (tensor<2x2xf32>) -> !stablehlo.future<tensor<2x2xf32>> "
                          "loc(\"model.cpp\":7:3)\n"))
      << text;
  EXPECT_TRUE(holds(text, "(!stablehlo.future<tensor<2x2xf32>>) -> tensor<2x2xf32> loc(\"model.cpp\":9:5)\n"))
      << text;
}

TEST(lower_futures, of_ops_that_lower_to_another_type_are_found) {
  auto as_float = [](Emitter& emitter, const Lowered&) -> Lowered {
    Lowered one{emitter.constant(Tensor::scalar(1.0F))};
    return {emitter.emit("stablehlo.all_gather", one, Type(DType::f32, {}))};
  };
  const Type promised(DType::i32, {});
  Scripted wrong;
  wrong.results = {promised};
  wrong.script = as_float;
  const Type pending = Start{wrong}.infer({})[0];
  Program program{{pending, promised}, {}, {{Start{wrong}, {}, {0}, {}}, {Done{wrong}, {0}, {1}, {}}}, {1}};
  try {
    lower_per_device(program, line, async);
    ADD_FAILURE() << "lowered";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "start: result 0 lowers to tensor<f32>, its type is tensor<i32>");
  }
}

stablehlo::Operation named(const char* name, std::vector<stablehlo::Operation> inside = {}) {
  stablehlo::Operation operation;
  operation.name = name;
  if (!inside.empty()) operation.regions.push_back({{}, {}, std::move(inside)});
  return operation;
}

TEST(lower_futures, have_one_collective_that_async_start_takes) {
  const stablehlo::Operation local = named("stablehlo.add"), sum = named("stablehlo.all_reduce"),
                             call = named("stablehlo.custom_call"),
                             loop = named("stablehlo.while", {local, sum});
  auto only = [](std::vector<stablehlo::Operation> operations) { return only_collective(operations); };
  EXPECT_EQ(only({local, sum, local}), 1U);
  EXPECT_EQ(only({local, sum, sum}), std::nullopt);
  EXPECT_EQ(only({loop, sum}), std::nullopt);
  EXPECT_EQ(only({loop}), std::nullopt);
  EXPECT_EQ(only({call}), std::nullopt);
  EXPECT_EQ(only({}), std::nullopt);
}

TEST(lower_futures, stay_in_halves_in_programs_of_whole_values) {
  auto body = [](const Arrays& in) -> Arrays {
    auto halves = [](const Array& local) {
      auto sum = psum_start(local, "x");
      Array work = local * 2.0;
      return sum.done() + work;
    };
    return {remat(shard_map(halves, {.mesh = line, .in = {P("x")}, .out = {P("x")}}))(in[0])};
  };
  const Program program = trace({Type(DType::f32, {4})}, body).program;
  std::string text = write(lower_global(program, line, async));
  EXPECT_TRUE(holds_in_order(text, {"async_start", "all_reduce", "multiply", "async_done"})) << text;
  EXPECT_FALSE(holds(write(lower_global(program, line)), "async"));
}

TEST(lower_futures, of_transposed_and_batched_collectives_are_in_halves) {
  auto body = [](const Arrays& in) -> Arrays {
    auto of_lane = [](const Array& lane) {
      return reduce_sum(all_gather_start(lane, x, {.tiled = true}).done() * 3.0);
    };
    return {vmap(grad(of_lane))(in[0])};
  };
  std::string text = text_of(body, async);
  EXPECT_TRUE(holds_in_order(text, {"async_start", "reduce_scatter", "async_done"})) << text;
}

// ---- send and recv

TEST(lower_sends, are_received_from_their_token) {
  auto body = [](const Arrays& in) -> Arrays {
    auto token = psend(in[0], x, to_the_next);
    Array work = in[0] * in[0];
    return {precv(token, in[0], x, to_the_next), work};
  };
  EXPECT_EQ(text_of(body, messages), golden("send"));
}

TEST(lower_sends, are_permutations_by_default) {
  auto body = [](const Arrays& in) -> Arrays {
    return {precv(psend(in[0], x, to_the_next), in[0], x, to_the_next)};
  };
  auto whole = [](const Arrays& in) -> Arrays { return {ppermute(in[0], x, to_the_next)}; };
  EXPECT_EQ(text_of(body, {}), text_of(whole, {}));
}

TEST(lower_sends, are_only_those_of_permutations_that_were_started) {
  auto body = [](const Arrays& in) -> Arrays { return {ppermute(in[0], x, to_the_next)}; };
  EXPECT_EQ(text_of(body, messages), text_of(body, {}));
}

/// The text of one permutation along these pairs on a line of 4 devices, sent and received.
std::string sent_along(const Pairs& pairs, const LowerOptions& options) {
  const Mesh four({{"x", 4}});
  const Axes& axes = four.axes();
  auto body = [&](const Arrays& in) -> Arrays {
    return {precv(psend(in[0], axes, pairs), in[0], axes, pairs)};
  };
  Type type = Type(DType::f32, {2}).with(axes, varying);
  return write(lower_per_device(trace({type}, body).program, four, options));
}

TEST(lower_sends, along_a_cycle_stay_a_permutation) {
  const LowerOptions both{.async = true, .send_recv = true};
  for (const Pairs& pairs : {Pairs{{0, 0}}, Pairs{{3, 3}, {0, 1}}, Pairs{{0, 1}, {1, 0}},
                             Pairs{{3, 0}, {1, 2}, {0, 3}}, Pairs{{0, 1}, {1, 2}, {2, 3}, {3, 0}}}) {
    std::string text = sent_along(pairs, messages);
    EXPECT_TRUE(holds(text, "collective_permute") && !holds(text, "send") && !holds(text, "async")) << text;
    EXPECT_TRUE(holds_in_order(sent_along(pairs, both), {"async_start", "collective_permute", "async_done"}));
  }
}

TEST(lower_sends, along_a_chain_are_messages) {
  for (const Pairs& pairs :
       {Pairs{{0, 1}, {1, 2}, {2, 3}}, Pairs{{3, 2}, {1, 0}}, Pairs{{2, 0}, {0, 1}, {1, 3}}, Pairs{{0, 1}}}) {
    std::string text = sent_along(pairs, {.async = true, .send_recv = true});
    EXPECT_TRUE(holds_in_order(text, {"create_token", "stablehlo.send", "stablehlo.recv"})) << text;
    EXPECT_FALSE(holds(text, "permute") || holds(text, "async")) << text;
  }
}

// ---- ragged_all_to_all

const Type numbers = differing(DType::i32, {4});
const Types rows_and_slices{
    differing(DType::f32, {3, 2}), differing(DType::f32, {5, 2}), numbers, numbers, numbers, numbers};
Array exchanged(const Array& rows, const Array& output, const Array& from, const Array& sizes,
                const Array& to, const Array& expected) {
  return ragged_all_to_all(rows, output, {from, sizes, to, expected}, x);
}
Arrays exchange(const Arrays& in) { return {exchanged(in[0], in[1], in[2], in[3], in[4], in[5])}; }

/// The text of an exchange in 6 lanes, which all operands have.
std::string exchange_of_lanes(const LowerOptions& options) {
  Types lanes;
  for (Type type : rows_and_slices) lanes.push_back(type.inserted(Dim{0}, 6));
  auto body = [](const Arrays& in) -> Arrays {
    return {vmap(exchanged)(in[0], in[1], in[2], in[3], in[4], in[5])};
  };
  return text_of(body, options, lanes);
}

TEST(lower_ragged, is_the_custom_call_of_xla_where_asked_for) {
  EXPECT_EQ(text_of(exchange, ragged, rows_and_slices), golden("ragged"));
}

TEST(lower_ragged, is_dense_by_default) {
  std::string text = text_of(exchange, {}, rows_and_slices);
  EXPECT_TRUE(holds(text, "all_gather") && holds(text, "all_to_all") && !holds(text, "custom_call")) << text;
}

TEST(lower_ragged, is_one_call_for_all_lanes) {
  std::string text = exchange_of_lanes(ragged);
  EXPECT_EQ(count(text, "custom_call"), 1U);
  EXPECT_TRUE(holds(text, "(tensor<18x2xf32>, tensor<30x2xf32>, tensor<24xi32>, tensor<24xi32>, "
                          "tensor<24xi32>, tensor<24xi32>) -> tensor<30x2xf32>"))
      << text;
}

// Lane 1 begins at row 3 of the rows of all lanes, and at row 5 of their outputs.
TEST(lower_ragged, counts_the_rows_of_earlier_lanes) {
  std::string text = exchange_of_lanes(ragged);
  EXPECT_TRUE(holds_in_order(text, {"iota", "dense<3>", "multiply", "add", "iota", "dense<5>", "multiply",
                                    "add", "custom_call"}))
      << text;
  EXPECT_EQ(count(text, "stablehlo.iota"), 2U) << text;
}

TEST(lower_ragged, is_dense_where_rows_are_added) {
  auto body = [](const Arrays& in) -> Arrays {
    auto sum = [&](const Array& rows) {
      return reduce_sum(exchanged(rows, in[1], in[2], in[3], in[4], in[5]));
    };
    return {grad(sum)(in[0])};
  };
  std::string text = text_of(body, ragged, rows_and_slices);
  EXPECT_TRUE(holds(text, "stablehlo.scatter")) << text;
  EXPECT_EQ(count(text, "custom_call"), 1U) << text;  // of the value
}

TEST(lower_ragged, is_the_custom_call_in_programs_of_whole_values) {
  auto body = [](const Arrays& in) -> Arrays {
    auto local = [](const Array& rows, const Array& sizes) {
      return ragged_all_to_all(rows, rows, {sizes, sizes, sizes, sizes}, "x");
    };
    return {shard_map(local, {.mesh = line, .in = {P("x"), P("x")}, .out = {P("x")}})(in[0], in[1])};
  };
  const Program program = trace({Type(DType::f32, {4}), Type(DType::i32, {4})}, body).program;
  EXPECT_TRUE(holds(write(lower_global(program, line, ragged)), "custom_call"));
  EXPECT_FALSE(holds(write(lower_global(program, line)), "custom_call"));
}

}  // namespace
}  // namespace tutti
