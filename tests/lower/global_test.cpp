// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/lower/golden.hpp"
#include "tutti/base/error.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/moves/enter.hpp"
#include "tutti/ops/moves/leave.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/stablehlo/write/write.hpp"

namespace tutti {
namespace {

const Mesh grid({{"data", 4}, {"model", 2}});
const Axes data{grid.axes()[0]}, model{grid.axes()[1]};
const Sharding rows{grid, {data, {}}, {}, {}}, columns{grid, {{}, data}, {}, {}},
    everywhere{grid, {{}, {}}, {}, {}};
const Type matrix(DType::f32, {8, 4});

std::string text_of(const Types& types, const std::function<Arrays(const Arrays&)>& function) {
  return write(lower_global(trace(types, function).program, grid));
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

TEST(lower_global, folds_the_borders_of_a_shard_map_into_shardings) {
  Types types{matrix, Type(DType::f32, {4, 6})};
  std::string text = text_of(types, [](const Arrays& arguments) -> Arrays {
    Array images = enter(arguments[0], rows), weights = enter(arguments[1], {grid, {{}, model}, {}, {}});
    Array logits = matmul(images, weights);
    return {leave(logits, {grid, {data, model}, {}, {}}),
            leave(psum(reduce_sum(logits), Axes{data[0], model[0]}), {grid, {}, {}, {}})};
  });
  EXPECT_EQ(text, golden("global"));
}

TEST(lower_global, says_which_parameters_and_results_are_partial_terms) {
  Sharding terms{grid, {data, {}}, model, {}};
  std::string text = text_of({matrix}, [&](const Arrays& arguments) -> Arrays {
    Array x = enter(arguments[0], terms);
    return {leave(x + x, terms)};
  });
  std::string sharding = "<@mesh, [{\"data\"}, {}], unreduced={\"model\"}>";
  std::string placed = "tensor<8x4xf32> {sdy.sharding = #sdy.sharding" + sharding + "}";
  EXPECT_TRUE(holds(text, "@main(%arg0: " + placed + ") -> (" + placed + ")")) << text;
  EXPECT_TRUE(holds(text, "in_shardings = #sdy.sharding_per_value<[" + sharding + "]>")) << text;
  EXPECT_TRUE(holds(text, "out_shardings = #sdy.sharding_per_value<[" + sharding + "]>")) << text;
}

TEST(lower_global, enters_a_parameter_once_for_each_of_its_shardings) {
  std::string text = text_of({matrix}, [](const Arrays& arguments) -> Arrays {
    Array first = enter(arguments[0], rows), second = enter(arguments[0], rows),
          other = enter(arguments[0], columns);
    return {leave(first + second, rows), leave(other, columns), arguments[0]};
  });
  EXPECT_TRUE(
      holds(text, "\"sdy.manual_computation\"(%arg0, %arg0, %arg0) <{in_shardings = #sdy.sharding_per_value<["
                  "<@mesh, [{\"data\"}, {}]>, <@mesh, [{}, {\"data\"}]>, <@mesh, [{}, {}]>]>"))
      << text;
}

TEST(lower_global, moves_nothing_between_shard_maps_that_agree) {
  std::string text = text_of({matrix}, [](const Arrays& arguments) -> Arrays {
    Array once = enter(arguments[0], rows);
    Array between = leave(once + once, rows);
    Array twice = enter(between, rows);
    return {leave(twice + twice, rows)};
  });
  EXPECT_FALSE(holds(text, "all_gather") || holds(text, "dynamic_slice")) << text;
}

TEST(lower_global, goes_by_a_plan_between_shard_maps_that_differ) {
  std::string text = text_of({matrix}, [](const Arrays& arguments) -> Arrays {
    return {leave(enter(leave(enter(arguments[0], rows), rows), columns), columns)};
  });
  EXPECT_TRUE(holds(text, "all_to_all")) << text;
  EXPECT_FALSE(holds(text, "all_gather")) << text;
}

// 4 rows do not split over data and model together: there are no steps but one exchange.
TEST(lower_global, goes_between_shard_maps_whose_blocks_do_not_split_further) {
  std::string text = text_of({Type(DType::f32, {4})}, [](const Arrays& arguments) -> Arrays {
    const Sharding by_data{grid, {{grid.axes()[0]}}, {}, {}}, by_model{grid, {{grid.axes()[1]}}, {}, {}};
    return {leave(enter(leave(enter(arguments[0], by_data), by_data), by_model), by_model)};
  });
  EXPECT_TRUE(holds(text, "all_gather") || holds(text, "collective_permute")) << text;
}

TEST(lower_global, slices_a_whole_that_is_needed_anyway) {
  std::string text = text_of({matrix}, [](const Arrays& arguments) -> Arrays {
    Array whole = leave(enter(arguments[0], rows), rows);
    Array doubled = whole + whole;
    return {doubled, leave(enter(whole, columns), columns)};
  });
  EXPECT_TRUE(holds(text, "all_gather") && holds(text, "dynamic_slice")) << text;
  EXPECT_FALSE(holds(text, "all_to_all")) << text;
}

TEST(lower_global, computes_on_wholes_outside_a_shard_map) {
  std::string text = text_of({matrix}, [](const Arrays& arguments) -> Arrays {
    Array part = enter(arguments[0], rows);
    Array whole = leave(part, rows);
    return {whole, whole + arguments[0]};
  });
  EXPECT_TRUE(
      holds(text, "out_shardings = #sdy.sharding_per_value<[<@mesh, [{\"data\"}, {}]>, <@mesh, [{}, {}]>]>"))
      << text;
  EXPECT_TRUE(holds(text, "\"stablehlo.add\"(%1, %arg2) : (tensor<8x4xf32>, tensor<8x4xf32>)")) << text;
}

TEST(lower_global, keeps_parameters_that_nobody_uses) {
  std::string text =
      text_of({matrix, matrix}, [](const Arrays& arguments) -> Arrays { return {arguments[1]}; });
  EXPECT_TRUE(holds(text, "@main(%arg0: tensor<8x4xf32>, %arg1: tensor<8x4xf32>")) << text;
}

TEST(lower_global, refuses_a_parameter_that_is_one_devices_part) {
  try {
    text_of({matrix.with(data, varying)}, [](const Arrays& arguments) { return arguments; });
    ADD_FAILURE() << "lowered";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::state);
    EXPECT_STREQ(error.what(),
                 "input 0 is f32[8,4]{V:data}, one device's part; lower it per device, or put shard_map "
                 "around the program");
  }
}

TEST(lower_global, refuses_a_border_over_another_mesh) {
  Mesh other({{"data", 2}});
  try {
    text_of({matrix}, [&](const Arrays& arguments) -> Arrays {
      return {enter(arguments[0], {other, {{}, {}}, {}, {}})};
    });
    ADD_FAILURE() << "lowered";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::mesh);
    EXPECT_TRUE(holds(error.what(), "enter: its mesh is data=2, the program is lowered for data=4,model=2"))
        << error.what();
  }
}

}  // namespace
}  // namespace tutti
