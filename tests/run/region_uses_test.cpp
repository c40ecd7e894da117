// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/region_uses.hpp"

#include <gtest/gtest.h>

#include "tests/run/harness.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/composites.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/run/boundary.hpp"

namespace tutti {
namespace {

/// How many comparisons and selections of a program on x: f32[8,40] become one kernel.
int gates(const std::function<Array(const Array&)>& body) {
  Mesh mesh({{"a", 4}});
  Program program = test_program(mesh, {{DType::f32, {8, 40}, {mesh.axes()}}},
                                 [&](const Arrays& x) { return Arrays{body(x[0])}; }, {{mesh.axes()}});
  Graph graph = make_graph(localised(program, mesh).program, mesh, Storage::by_type);
  Nodes nodes = make_nodes(graph, Fusion::on, Stores::by_size);
  int found = 0;
  for (std::size_t n = 0; n < nodes.list.size(); ++n)
    for (const auto& [last, chain] : uses_of(graph, nodes, static_cast<int>(n)).chains)
      for (const auto& link : chain) found += link.comparison.has_value();
  return found;
}

Array scalar(double value) { return full({}, value, DType::f32); }

TEST(uses_of, makes_one_of_a_comparison_and_the_selection_of_its_limit) {
  EXPECT_EQ(gates([](const Array& x) { return where(x <= scalar(0), x, x + 1.0); }), 0);    // selects another
  EXPECT_EQ(gates([](const Array& x) { return where(x <= scalar(0), scalar(0), x); }), 0);  // another zero
  using Compare = Array (*)(const Operand&, const Operand&);
  for (Compare compare : {Compare(operator<=), Compare(operator<), Compare(operator>), Compare(operator>=)})
    EXPECT_EQ(gates([=](const Array& x) {
                Array limit = scalar(2);
                return where(compare(x, limit), limit, x * 2.0);
              }),
              1);
  EXPECT_EQ(gates([](const Array& x) {
              Array limit = scalar(2), small = x <= limit;  // also for another: the bools are needed
              return where(small, limit, x) + where(small, x, 1.0);
            }),
            0);
}

}  // namespace
}  // namespace tutti
