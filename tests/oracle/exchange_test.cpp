// SPDX-License-Identifier: Apache-2.0
// XLA runs what an exchange lowers to: every device gets its block, as types/block.hpp says.
#include <fmt/core.h>

#include "tests/support/oracle.hpp"
#include "tests/support/shardings.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/ops/moves/enter.hpp"
#include "tutti/ops/moves/exchange.hpp"
#include "tutti/ops/moves/leave.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/stablehlo/write/write.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

class exchange_in_xla : public OracleTest {};

struct Pair {
  Shape shape;
  std::string from, to;  // as sharding_on reads them
};

/// All pairs in one module.
void expect_right_blocks(const Mesh& mesh, const std::vector<Pair>& pairs) {
  Types types;
  std::vector<PerDevice> inputs, expected;
  for (const auto& [shape, from, to] : pairs) {
    const Tensor whole = numbered(DType::i32, shape);
    types.push_back(local_type(Type(DType::i32, shape), sharding_on(mesh, from)));
    inputs.push_back(blocks_of(whole, sharding_on(mesh, from)));
    expected.push_back(blocks_of(whole, sharding_on(mesh, to)));
  }
  auto body = [&](const Arrays& x) {
    Arrays results;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      results.push_back(
          exchange(x[i], pairs[i].shape, sharding_on(mesh, pairs[i].from), sharding_on(mesh, pairs[i].to)));
    return results;
  };
  const std::string text = write(lower_per_device(trace(types, body).program, mesh));
  const Verdict verdict = Oracle::shared().run(text, mesh.devices(), inputs);
  ASSERT_EQ(verdict.errors, std::vector<std::string>{}) << text;
  ASSERT_EQ(verdict.failure, "") << text;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    EXPECT_EQ(verdict.results[i], expected[i]) << pairs[i].from << " -> " << pairs[i].to << "\n" << text;
}

// A flat exchange of the first one would leave rows in the place of columns: nvFuser's lowering did.
TEST_F(exchange_in_xla, moves_rows_to_columns) {
  const Mesh line({{"x", 2}});
  expect_right_blocks(line, {{{4, 4}, "x |", "| x"}, {{4, 4}, "| x", "x |"}, {{2, 6, 4}, "| x |", "| | x"}});
}

TEST_F(exchange_in_xla, permutes_exchanges_gathers_and_slices_on_a_cube) {
  expect_right_blocks(Mesh({{"x", 2}, {"y", 2}, {"z", 2}}), {{{8}, "x", "y"},
                                                             {{8}, "x, y", "y, x"},
                                                             {{8}, "x, y, z", "z, x, y"},
                                                             {{4, 4}, "x | y", "y | x"},
                                                             {{4, 4}, "x | y", "z | x"},
                                                             {{8, 8}, "x, y |", "| y, x"},
                                                             {{4, 4, 4}, "x | y |", "| | y, x"},
                                                             {{8, 4, 4}, "z, x, y | |", "| x | y"},
                                                             {{8, 4}, "x, z | y", "x |"},
                                                             {{4, 4}, "x | y", "|"},
                                                             {{8, 4}, "x | y", "x, z | y"},
                                                             {{4, 4}, "|", "z | x"},
                                                             {{8}, "x, y", "y"},
                                                             {{8, 8}, "x |", "y | x"},
                                                             {{8, 4}, "x, y |", "| z"}});
}

TEST_F(exchange_in_xla, takes_axes_of_other_sizes_apart) {
  expect_right_blocks(Mesh({{"x", 2}, {"y", 4}}), {{{8}, "x, y", "y, x"},
                                                   {{8, 8}, "x | y", "y | x"},
                                                   {{8, 8}, "y, x |", "x | y"},
                                                   {{8, 8}, "y | x", "x |"},
                                                   {{16}, "x", "y"}});
  expect_right_blocks(Mesh({{"x", 2}, {"y", 3}}), {{{6}, "x", "y"},
                                                   {{6}, "y, x", "x, y"},
                                                   {{6, 6}, "x | y", "y | x"},
                                                   {{6, 6}, "| x, y", "y |"}});
}

// Devices that go the other way never come: a permutation must not wait for them.
TEST_F(exchange_in_xla, permutes_in_a_branch_that_devices_choose) {
  const Mesh cube({{"x", 2}, {"y", 2}, {"z", 2}});
  const Axis &x = cube.axes()[0], &y = cube.axes()[1];
  Program program = trace({Type(DType::i32, {2}).with({x, y}, varying)}, [&](const Arrays& in) {
                      auto bound = Builder::current().bind(cube.axes());
                      auto moves = [&](const Array& v) {
                        return exchange(v, {4}, sharding_on(cube, "y"), sharding_on(cube, "z"));
                      };
                      auto stays = [](const Array&) { return zeros({2}, DType::i32); };
                      return Arrays{cond(axis_index("x") > 0, moves, stays, in[0])};
                    }).program;
  Tensors parts;  // different along x and y
  for (int device = 0; device < cube.devices(); ++device)
    parts.push_back(Tensor(Shape{2}, std::vector<std::int32_t>{device / 2, 10 + device / 2}));
  const Verdict verdict =
      Oracle::shared().run(write(lower_per_device(program, cube)), cube.devices(), {parts});
  EXPECT_EQ(verdict.errors, std::vector<std::string>{});
  EXPECT_EQ(verdict.failure, "");
  EXPECT_EQ(verdict.results, run_on_machine(program, cube, {parts}));
}

// The way in which the two shardings have nothing in common stays an op up to here.
TEST_F(exchange_in_xla, moves_blocks_inside_of_a_module_of_whole_values) {
  const Mesh mesh({{"x", 2}, {"y", 3}});
  const Sharding from = sharding_on(mesh, "x, y"), to = sharding_on(mesh, "y, x");
  const Tensor whole = numbered(DType::i32, {6});
  auto body = [&](const Arrays& in) {
    return Arrays{leave(exchange(enter(in[0], from), {6}, from, to), to)};
  };
  const std::string text = write(lower_global(trace({Type(DType::i32, {6})}, body).program, mesh));
  const Verdict verdict = Oracle::shared().run(text, mesh.devices(), {blocks_of(whole, from)});
  ASSERT_EQ(verdict.failure, "") << text;
  EXPECT_EQ(verdict.results, (std::vector<Tensors>{blocks_of(whole, to)}));
  EXPECT_NE(text.find("collective_permute"), text.npos) << text;
}

}  // namespace
}  // namespace tutti
