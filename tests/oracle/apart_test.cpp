// SPDX-License-Identifier: Apache-2.0
// XLA runs collectives in branches and loops that only some devices run. There it must not wait for the
// others.
#include "tests/support/oracle.hpp"
#include "tests/support/values.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/stablehlo/write/write.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Pairs to_the_next{{0, 1}}, exchanged{{0, 1}, {1, 0}};

class apart : public OracleTest {};

/// Runs `body` here and in XLA, on f64[3] that differs along a and b.
void expect_same(const std::function<Array(const Array&)>& body) {
  const Mesh mesh({{"a", 2}, {"b", 2}});
  Program program = trace({Type(DType::f64, {3}).with(mesh.axes(), varying)}, [&](const Arrays& x) {
                      auto bound = Builder::current().bind(mesh.axes());
                      return Arrays{body(x[0])};
                    }).program;
  std::vector<Tensors> inputs{{}};
  for (int device = 0; device < mesh.devices(); ++device)
    inputs[0].push_back(Tensor({3}, {1.0 + device, 2.0 - device, 0.5 * device}));
  Verdict verdict = Oracle::shared().run(write(lower_per_device(program, mesh)), mesh.devices(), inputs);
  EXPECT_EQ(verdict.errors, std::vector<std::string>{});
  EXPECT_EQ(verdict.failure, "");
  EXPECT_EQ(verdict.results, run_on_machine(program, mesh, inputs));
}

TEST_F(apart, permutations_in_a_branch_that_devices_choose) {
  expect_same([](const Array& x) {
    auto sends = [](const Array& y) { return ppermute(y, "b", to_the_next) + y; };
    auto keeps = [](const Array& y) { return y * 2.0; };
    return cond(axis_index("a") > 0, sends, keeps, x);
  });
}

TEST_F(apart, permutations_of_sums_over_the_same_axis) {
  expect_same([](const Array& x) {
    auto sends = [](const Array& y) {
      return ppermute(y, "b", exchanged) * pcast(psum(y, "b"), "b", varying);
    };
    auto keeps = [](const Array& y) { return y * 2.0; };
    return cond(axis_index("a") > 0, sends, keeps, x);
  });
}

TEST_F(apart, permutations_in_a_loop_that_devices_leave_at_their_time) {
  expect_same([](const Array& x) {
    auto trip = [](const Array&, const Array& c) { return ppermute(c, "b", exchanged) + 1.0; };
    return fori_loop(0, axis_index("a") + 1, trip, x);
  });
}

}  // namespace
}  // namespace tutti
