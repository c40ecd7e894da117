// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/moves/exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/rules.hpp"
#include "tests/support/shardings.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/all_to_all.hpp"
#include "tutti/ops/collectives/assume_invariant.hpp"
#include "tutti/ops/collectives/permute.hpp"
#include "tutti/ops/moves/exchange_digits.hpp"
#include "tutti/run/on_machine.hpp"

namespace tutti {
namespace {

const Mesh cube({{"x", 2}, {"y", 2}, {"z", 2}}), two_by_three({{"x", 2}, {"y", 3}}),
    two_by_four({{"x", 2}, {"y", 4}}), six({{"p", 6}, {"q", 4}});

Type block_type(const Shape& shape, const Sharding& sharding) {
  return local_type(Type(DType::i32, shape), sharding);
}

// From one sharding to all of them: one input, one result for each.
Program to_all(const Shape& shape, const Sharding& from, const std::vector<Sharding>& all) {
  return trace({block_type(shape, from)},
               [&](const Arrays& x) {
                 Arrays results;
                 for (const Sharding& to : all) results.push_back(exchange(x[0], shape, from, to));
                 return results;
               })
      .program;
}

Program moves(const Shape& shape, const Sharding& from, const Sharding& to) {
  auto body = [&](const Arrays& x) { return Arrays{exchange_by_moves(x[0], Exchange{shape, from, to})}; };
  return trace({block_type(shape, from)}, body).program;
}

std::string arrow(const Sharding& from, const Sharding& to) {
  return to_string(from) + " -> " + to_string(to) + " on " + to_string(from.mesh);
}

// --- Every pair of shardings -------------------------------------------------------------------------------

void expect_right_blocks(const Mesh& mesh, int rank) {
  const Shape shape = even_shape(mesh, rank);
  const Tensor whole = numbered(DType::i32, shape);
  const std::vector<Sharding> all = all_shardings(mesh, rank);
  for (const Sharding& from : all) {
    std::vector<Tensors> found = run_on_machine(to_all(shape, from, all), mesh, {blocks_of(whole, from)});
    for (std::size_t i = 0; i < all.size(); ++i)
      ASSERT_EQ(found[i], blocks_of(whole, all[i])) << arrow(from, all[i]);
  }
}

TEST(exchange, brings_every_device_its_block_of_a_line) {
  for (const Mesh& mesh : {cube, two_by_three, two_by_four, six}) expect_right_blocks(mesh, 1);
}

TEST(exchange, brings_every_device_its_block_of_a_matrix_on_a_cube) { expect_right_blocks(cube, 2); }

TEST(exchange, brings_every_device_its_block_of_a_matrix_on_axes_of_other_sizes) {
  for (const Mesh& mesh : {two_by_three, two_by_four}) expect_right_blocks(mesh, 2);
}

// XLA takes it for granted that values are equal where they are typed so: here they are compared.
void expect_right_moves(const Mesh& mesh, int rank) {
  const Shape shape = even_shape(mesh, rank);
  const Tensor whole = numbered(DType::i32, shape);
  const std::vector<Sharding> all = all_shardings(mesh, rank);
  for (const Sharding& from : all)
    for (const Sharding& to : all) {
      const Program program = moves(shape, from, to);
      ASSERT_EQ(program.types_of(program.outputs), Types{block_type(shape, to)}) << arrow(from, to);
      std::vector<PerDevice> values = evaluate_all(program, mesh, {blocks_of(whole, from)});
      auto value = [&](Var var) -> const PerDevice& { return values[static_cast<std::size_t>(var)]; };
      ASSERT_EQ(value(program.outputs[0]), blocks_of(whole, to)) << arrow(from, to) << "\n"
                                                                 << to_string(program);
      for (const Equation& equation : program.equations)
        if (equation.op.as<AssumeInvariant>()) {
          ASSERT_EQ(value(equation.operands[0]), value(equation.results[0])) << arrow(from, to);
        }
    }
}

TEST(exchange_by_moves, brings_every_device_its_block_of_a_line) {
  for (const Mesh& mesh : {cube, two_by_three, two_by_four, six}) expect_right_moves(mesh, 1);
}

TEST(exchange_by_moves, brings_every_device_its_block_of_a_matrix_on_a_cube) { expect_right_moves(cube, 2); }

TEST(exchange_by_moves, brings_every_device_its_block_of_a_matrix_on_axes_of_other_sizes) {
  for (const Mesh& mesh : {two_by_three, two_by_four}) expect_right_moves(mesh, 2);
}

// --- One copy ----------------------------------------------------------------------------------------------

std::string view(const Mesh& mesh, const Shape& shape, const std::string& from, const std::string& to) {
  const Exchange op{shape, sharding_on(mesh, from), sharding_on(mesh, to)};
  const Types operands{block_type(shape, op.from)};
  Kernel kernel = op.kernel(Layout(mesh, Storage::by_type, operands, op.infer(operands)));
  if (const auto* sub = std::get_if<kernel::Sub>(&kernel)) return text_of(*sub->programs[0]);
  return to_string(std::get<kernel::View>(kernel));
}

TEST(exchange, of_one_axis_for_another_is_a_digit_from_the_one_to_the_other) {
  EXPECT_EQ(view(cube, {8}, "x", "y"), "2: x > y, 4: d0 > d0");
}

TEST(exchange, of_axes_of_other_sizes_takes_their_coordinates_apart) {
  EXPECT_EQ(view(two_by_four, {8}, "x, y", "y, x"), "2: x > y*2, 2: y*2 > y, 2: y > x");
}

TEST(exchange, from_one_dim_to_another_gives_a_digit_of_each) {
  EXPECT_EQ(view(cube, {4, 6}, "x |", "| x"), "2: x > d0*2, 2: d0 > d0, 2: d1*3 > x, 3: d1 > d1");
}

TEST(exchange, between_blocks_that_share_no_digits_goes_by_way_of_what_they_have_in_common) {
  const std::string from = to_string(sharding_on(two_by_three, "x")),
                    to = to_string(sharding_on(two_by_three, "y")),
                    common = to_string(unsharded(two_by_three, 1));
  EXPECT_EQ(view(two_by_three, {6}, "x", "y"),
            "program(%0: i32[3]{V:x}) {\n  %1: i32[6] = exchange{shape=[6], from=" + from + ", to=" + common +
                "} %0\n  %2: i32[2]{V:y} = exchange{shape=[6], from=" + common + ", to=" + to +
                "} %1\n  return %2\n}\n");
}

TEST(exchange, of_an_array_without_elements_is_no_digits) {
  EXPECT_EQ(view(cube, {0, 4}, "x | y", "y | x"), "0: d0 > d0");
}

// --- Collectives -------------------------------------------------------------------------------------------

std::string collectives(const Mesh& mesh, const Shape& shape, const std::string& from,
                        const std::string& to) {
  const Program program = moves(shape, sharding_on(mesh, from), sharding_on(mesh, to));
  std::string text;
  for (const Equation& equation : program.equations) {
    const Op& op = equation.op;
    if (!op.as<Permute>() && !op.as<AllToAll>() && !op.as<AllGather>()) continue;
    text += (text.empty() ? "" : ", ") + std::string(op->name()) + " " + to_string(op->communicates());
  }
  return text;
}

TEST(exchange_by_moves, needs_nobody_to_take_a_slice) {
  EXPECT_EQ(collectives(cube, {8, 8}, "x | y", "x, z | y"), "");
  EXPECT_EQ(collectives(cube, {8, 8}, "x | y", "x | y"), "");
  EXPECT_EQ((Exchange{{8}, sharding_on(cube, "x"), sharding_on(cube, "x, y")}.communicates()), Axes{});
}

TEST(exchange_by_moves, is_one_permutation_where_blocks_stay_whole) {
  EXPECT_EQ(collectives(cube, {8, 8}, "x | y", "y | x"), "permute ('x', 'y')");
  EXPECT_EQ(collectives(cube, {8, 8}, "x | y", "z | y"), "permute ('x', 'z')");
  EXPECT_EQ(collectives(two_by_three, {6}, "x, y", "y, x"), "permute ('x', 'y')");
}

TEST(exchange_by_moves, is_one_all_to_all_where_axes_change_their_dims) {
  EXPECT_EQ(collectives(cube, {8, 8}, "x, y |", "| y, x"), "all_to_all ('x', 'y')");
  EXPECT_EQ(collectives(cube, {8, 8, 8}, "x | y |", "| | y, x"), "all_to_all ('x', 'y')");
}

TEST(exchange_by_moves, is_one_all_gather_of_several_dims) {
  EXPECT_EQ(collectives(cube, {8, 8}, "x, z | y", "x |"), "all_gather ('z', 'y')");
}

TEST(exchange_by_moves, slices_before_it_moves) {
  const Program program = moves({8, 8}, sharding_on(cube, "x |"), sharding_on(cube, "y | x"));
  EXPECT_EQ(collectives(cube, {8, 8}, "x |", "y | x"), "permute ('x', 'y')");
  for (const Equation& equation : program.equations)
    if (equation.op.as<Permute>()) {
      EXPECT_EQ(program.type(equation.operands[0]).elements(), 16);
    }
}

TEST(exchange_by_moves, permutes_before_it_gathers) {
  EXPECT_EQ(collectives(cube, {8}, "x, y", "y"), "permute ('x', 'y'), all_gather 'x'");
}

TEST(exchange_by_moves, exchanges_in_groups_over_parts_of_an_axis) {
  const Program program = moves({8, 8}, sharding_on(two_by_four, "x | y"), sharding_on(two_by_four, "y | x"));
  std::string groups;
  for (const Equation& equation : program.equations)
    if (const auto* op = equation.op.as<AllToAll>()) groups += to_string(op->groups);
  EXPECT_EQ(groups, "[[0, 1], [2, 3]]");
}

// Source and target of each device that receives from another.
Pairs pairs_of(const Mesh& mesh, const Shape& shape, const std::string& from, const std::string& to) {
  const Program program = moves(shape, sharding_on(mesh, from), sharding_on(mesh, to));
  for (const Equation& equation : program.equations)
    if (const auto* permute = equation.op.as<Permute>()) {
      Pairs pairs = permute->pairs;
      std::erase_if(pairs, [](const auto& pair) { return pair.first == pair.second; });
      std::ranges::sort(pairs);
      return pairs;
    }
  return {};
}

// The pairs of Shardy's lowering for the same shardings.
TEST(exchange_by_moves, permutes_in_the_order_of_the_spec) {
  EXPECT_EQ(pairs_of(two_by_four, {8, 8}, "| x, y", "| y, x"),
            (Pairs{{1, 4}, {2, 1}, {3, 5}, {4, 2}, {5, 6}, {6, 3}}));
}

// Devices with w = x and z = y hold their block already. Paired in ascending order two of them would receive
// it.
TEST(exchange_by_moves, keeps_equal_blocks_in_place) {
  const Mesh mesh({{"x", 2}, {"y", 2}, {"z", 2}, {"w", 2}});
  const Pairs pairs = pairs_of(mesh, {2, 2}, "x | y", "w | z");
  EXPECT_EQ(pairs.size(), 12U);
  for (int kept : {0b0000, 0b0110, 0b1001, 0b1111})
    for (const auto& [source, target] : pairs) EXPECT_NE(target, kept) << source;
}

// --- What it says ------------------------------------------------------------------------------------------

TEST(exchange, communicates_over_all_axes_that_move) {
  auto axes = [](const std::string& from, const std::string& to) {
    return to_string(Exchange{{8, 8}, sharding_on(cube, from), sharding_on(cube, to)}.communicates());
  };
  EXPECT_EQ(axes("x | y", "x | z"), "('y', 'z')");
  EXPECT_EQ(axes("x, y |", "y, x |"), "('x', 'y')");
  EXPECT_EQ(axes("x | y", "x |"), "'y'");
}

TEST(exchange, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(Exchange::examples()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tutti
