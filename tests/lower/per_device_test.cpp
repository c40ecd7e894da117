// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/lower/golden.hpp"
#include "tests/support/scripted_op.hpp"
#include "tutti/base/error.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/stablehlo/write/write.hpp"

namespace tutti {
namespace {

const Mesh grid({{"x", 4}, {"y", 2}});
const Axis x = grid.axes()[0], y = grid.axes()[1];
const Type i32_scalar(DType::i32, Shape{});

Lowered sum(const Axes& axes, Emitter& emitter, const Lowered& operands) {
  return {emitter.emit_with_reducer("stablehlo.all_reduce", ReduceKind::sum, operands,
                                    emitter.result_types()[0], emitter.collective(axes, true))};
}

auto sum_over(Axes axes) {
  return [axes](Emitter& emitter, const Lowered& operands) { return sum(axes, emitter, operands); };
}
auto position_along(Axes axes) {
  return [axes](Emitter& emitter, const Lowered&) -> Lowered { return {emitter.position(axes)}; };
}

/// The text of a program without inputs that returns the result of one op.
std::string text_of(const Mesh& mesh, Type result, std::function<Lowered(Emitter&, const Lowered&)> script) {
  ProgramOf program;
  Var only = program.equation(result, {}, std::move(script));
  return write(lower_per_device(program.returning({only}), mesh));
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

TEST(lower_per_device, wraps_the_program_in_one_manual_computation) {
  ProgramOf program;
  Var input = program.input(Type(DType::f32, {2, 3}).with(x, varying));
  Var total = program.equation(Type(DType::f32, {2, 3}), {input}, sum_over({x}));
  EXPECT_EQ(write(lower_per_device(program.returning({total, input}), grid)), golden("psum"));
}

TEST(lower_per_device, computes_positions_once_and_before_all_else) {
  ProgramOf program;
  Var first = program.equation(i32_scalar, {}, [](Emitter& emitter, const Lowered&) -> Lowered {
    return {emitter.constant(Tensor::scalar(std::int32_t{5}))};
  });
  std::vector<Var> results{first};
  for (const Axes& axes : {Axes{x}, Axes{y, x}, Axes{x, y}, Axes{x}})
    results.push_back(program.equation(i32_scalar, {}, position_along(axes)));
  EXPECT_EQ(write(lower_per_device(program.returning(results), grid)), golden("positions"));
}

TEST(lower_per_device, orders_groups_by_the_axes_as_given) {
  auto groups_of = [](Axes axes) {
    ProgramOf program;
    Var input = program.input(i32_scalar);
    std::string text = write(
        lower_per_device(program.returning({program.equation(i32_scalar, {input}, sum_over(axes))}), grid));
    std::size_t from = text.find("dense<") + 6;
    return text.substr(from, text.find('>', from) - from);
  };
  EXPECT_EQ(groups_of({y}), "[[0, 1], [2, 3], [4, 5], [6, 7]]");
  EXPECT_EQ(groups_of({x, y}), "[[0, 1, 2, 3, 4, 5, 6, 7]]");
  EXPECT_EQ(groups_of({y, x}), "[[0, 2, 4, 6, 1, 3, 5, 7]]");
}

TEST(lower_per_device, writes_groups_of_positions_as_groups_of_devices) {
  auto groups_of = [](Axes axes, Groups groups) {
    ProgramOf program;
    Var input = program.input(i32_scalar);
    auto sum = [=](Emitter& emitter, const Lowered& operands) -> Lowered {
      return {emitter.emit_with_reducer("stablehlo.all_reduce", ReduceKind::sum, operands, i32_scalar,
                                        emitter.collective(axes, true, groups))};
    };
    std::string text =
        write(lower_per_device(program.returning({program.equation(i32_scalar, {input}, sum)}), grid));
    std::size_t from = text.find("dense<") + 6;
    return text.substr(from, text.find('>', from) - from);
  };
  EXPECT_EQ(groups_of({x}, {{0, 2}, {3, 1}}), "[[0, 4], [6, 2], [1, 5], [7, 3]]");
  EXPECT_EQ(groups_of({y, x}, {{0, 1, 2, 3}, {7, 4, 5, 6}}), "[[0, 2, 4, 6], [7, 1, 3, 5]]");
  EXPECT_EQ(groups_of({x}, {{0}, {3, 1, 2}}), "[[0, -1, -1], [6, 2, 4], [1, -1, -1], [7, 3, 5]]");
}

TEST(lower_per_device, writes_pairs_of_positions_as_pairs_of_devices) {
  std::string text = text_of(grid, i32_scalar, [](Emitter& emitter, const Lowered&) -> Lowered {
    Lowered one{emitter.constant(Tensor::scalar(std::int32_t{1}))};
    return {emitter.emit("stablehlo.collective_permute", one, i32_scalar,
                         emitter.permutation({y, x}, {{0, 1}, {7, 0}}))};
  });
  EXPECT_TRUE(holds(text, "source_target_pairs = dense<[[0, 2], [7, 0]]> : tensor<2x2xi64>")) << text;
  EXPECT_TRUE(holds(text, "channel_handle")) << text;
}

TEST(lower_per_device, gives_each_collective_its_own_channel) {
  ProgramOf program;
  Var input = program.input(i32_scalar);
  Var once = program.equation(i32_scalar, {input}, sum_over({x}));
  Var twice = program.equation(i32_scalar, {once}, sum_over({x}));
  std::string text = write(lower_per_device(program.returning({twice}), grid));
  EXPECT_TRUE(holds(text, "<handle = 1, type = 1>") && holds(text, "<handle = 2, type = 1>")) << text;
}

TEST(lower_per_device, leaves_global_ids_out_where_the_op_has_none) {
  std::string text = text_of(grid, i32_scalar, [](Emitter& emitter, const Lowered&) -> Lowered {
    Lowered one{emitter.constant(Tensor::scalar(std::int32_t{1}))};
    return {emitter.emit("stablehlo.all_to_all", one, i32_scalar, emitter.collective({x}, false))};
  });
  EXPECT_FALSE(holds(text, "use_global_device_ids")) << text;
}

TEST(lower_per_device, gives_a_local_reduction_its_neutral_element) {
  std::string text = text_of(grid, i32_scalar, [](Emitter& emitter, const Lowered&) -> Lowered {
    Lowered values{emitter.constant(Tensor(Shape{2}, std::vector<std::int32_t>{1, 2}))};
    return {emitter.emit_with_reducer("stablehlo.reduce", ReduceKind::max, values, i32_scalar,
                                      {{"dimensions", stablehlo::integers({0})}})};
  });
  EXPECT_TRUE(holds(text, "dense<-2147483648> : tensor<i32>")) << text;
  EXPECT_TRUE(holds(text, "%3 = \"stablehlo.reduce\"(%1, %2) <{dimensions = array<i64: 0>}> ({")) << text;
  EXPECT_TRUE(holds(text, "\"stablehlo.maximum\"")) << text;
}

TEST(lower_per_device, writes_what_an_op_emits_into_its_region) {
  Type pair(DType::i32, {2}), scalar = i32_scalar;
  std::string text = text_of(grid, pair, [&](Emitter& emitter, const Lowered&) -> Lowered {
    stablehlo::Value values = emitter.constant(Tensor(Shape{2}, std::vector<std::int32_t>{1, 2}));
    auto body = [&](const Lowered& pairs) -> Lowered {
      return {emitter.emit("stablehlo.add", pairs, scalar), pairs[0]};
    };
    return {emitter.emit_with_regions("stablehlo.map", {values, values}, {pair, pair},
                                      {{{scalar, scalar}, body}})[1]};
  });
  EXPECT_TRUE(holds(text, "%2:2 = \"stablehlo.map\"(%1, %1)") ||
              holds(text, "%2, %3 = \"stablehlo.map\"(%1, %1)"))
      << text;
  EXPECT_TRUE(holds(text, "\"stablehlo.add\"(%") && holds(text, ": (tensor<i32>, tensor<i32>) -> ()"))
      << text;
}

TEST(lower_per_device, writes_bool_as_i1) {
  std::string text =
      text_of(grid, Type(DType::boolean, {2}), [](Emitter& emitter, const Lowered&) -> Lowered {
        return {emitter.constant(Tensor(Shape{2}, std::vector<bool>{true, false}))};
      });
  EXPECT_TRUE(holds(text, "dense<[true, false]> : tensor<2xi1>")) << text;
}

TEST(lower_per_device, stands_at_position_0_on_a_mesh_of_one_device) {
  for (const Mesh& mesh : {Mesh(), Mesh({{"one", 1}})}) {
    std::string text = text_of(mesh, i32_scalar, position_along(mesh.axes()));
    EXPECT_TRUE(holds(text, "dense<0> : tensor<i32>") && !holds(text, "partition_id")) << text;
  }
}

TEST(lower_per_device, finds_an_axis_that_no_device_stands_on) {
  Axes lanes{fresh_axis("lanes", 3)};
  EXPECT_THROW(text_of(grid, i32_scalar, position_along(lanes)), Error);
  EXPECT_THROW(text_of(grid, i32_scalar, sum_over(lanes)), Error);
}

TEST(lower_per_device, carries_the_users_line_into_the_text) {
  ProgramOf program;
  Var input = program.input(i32_scalar);
  Var total = program.equation(i32_scalar, {input}, sum_over({x}));
  std::string text = write(lower_per_device(program.returning({total}), grid), {.locations = true});
  EXPECT_TRUE(holds(text, ": (tensor<i32>) -> tensor<i32> loc(\"model.cpp\":7:3)\n")) << text;
}

/// An op that cannot be lowered.
struct Stubborn : Scripted {
  static constexpr std::string_view name = "stubborn";
  static constexpr Refused lower{"it exists on paper only"};
  bool operator==(const Stubborn&) const = default;
};

TEST(lower_per_device, refuses_with_the_place_of_the_equation) {
  Stubborn op;
  op.results = {i32_scalar};
  Program program{{i32_scalar}, {}, {{op, {}, {0}, {"model.cpp", 9, 1}}}, {0}};
  try {
    lower_per_device(program, grid);
    ADD_FAILURE() << "lowered";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::refused_rule);
    EXPECT_STREQ(error.what(), "model.cpp:9:1: stubborn: lower is refused: it exists on paper only");
  }
}

TEST(lower_per_device, finds_a_rule_that_lowers_to_another_type) {
  try {
    text_of(grid, i32_scalar, [](Emitter& emitter, const Lowered&) -> Lowered {
      return {emitter.constant(Tensor::scalar(1.0F))};
    });
    ADD_FAILURE() << "lowered";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::internal);
    EXPECT_STREQ(error.what(),
                 "model.cpp:7:3: scripted: result 0 lowers to tensor<f32>, its type is tensor<i32>");
  }
}

}  // namespace
}  // namespace tutti
