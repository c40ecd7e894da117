// SPDX-License-Identifier: Apache-2.0
// Values, gradients and lanes of small SPMD functions against JAX's own, with its type checks on (see
// jax_functions.py), and against the reference interpreter, which runs what they lower to.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/support/differences.hpp"
#include "tests/support/functions.hpp"
#include "tests/support/oracle.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/stablehlo/write/write.hpp"

namespace tutti {

void PrintTo(const Function& function, std::ostream* out) { *out << function.name; }

namespace {

struct Computed {
  Program program;
  Tensors results;  // of the arguments, then of the lanes
};

Computed computed(const Function& function, const Tensors& arguments) {
  auto both = [&](const Arrays& all) { return values_gradients_and_lanes(function, all); };
  Arrays given(arguments.begin(), arguments.end());
  auto compiled = open_local(functions_mesh()).compile(both, given);
  Computed made{compiled.program(), {}};
  for (const Array& result : compiled(given)) made.results.push_back(result.tensor());
  return made;
}

::testing::AssertionResult agree(const Tensors& ours, const std::vector<Tensors>& theirs) {
  if (ours.size() != theirs.size()) return ::testing::AssertionFailure() << "results differ in number";
  for (std::size_t k = 0; k < ours.size(); ++k) {
    if (!(ours[k].shape() == theirs[k][0].shape()))
      return ::testing::AssertionFailure() << "shape of result " << k;
    for (std::int64_t i = 0; i < ours[k].elements(); ++i)
      if (!(std::abs(ours[k].at(i) - theirs[k][0].at(i)) <= bound_of_functions))
        return ::testing::AssertionFailure() << "result " << k << " element " << i << ": " << ours[k].at(i)
                                             << ", not " << theirs[k][0].at(i);
  }
  return ::testing::AssertionSuccess();
}

/// The whole arguments are the same on all devices; so are the results.
Verdict interpreted(const Program& program, const Tensors& arguments) {
  int devices = functions_mesh().devices();
  std::vector<Tensors> inputs;
  for (const Tensor& argument : arguments) inputs.emplace_back(devices, argument);
  return Oracle::interpreter().run(write(lower_per_device(program, functions_mesh())), devices, inputs);
}

bool solves_triangles(const Program& program) {
  const std::string text = write(lower_per_device(program, functions_mesh()));
  return text.find("stablehlo.triangular_solve") != std::string::npos;
}

class gradients : public OracleTest, public ::testing::WithParamInterface<Function> {};

TEST_P(gradients, and_lanes_equal_those_of_jax) {
  Tensors arguments = arguments_of(GetParam());
  Verdict jax = Oracle::shared().run_jax(GetParam().name, arguments);
  ASSERT_EQ(jax.failure, "");
  Computed ours = computed(GetParam(), arguments);
  EXPECT_TRUE(agree(ours.results, jax.results));
  Verdict interpreter = interpreted(ours.program, arguments);
  EXPECT_EQ(interpreter.errors, std::vector<std::string>{});
  if (solves_triangles(ours.program)) {
    EXPECT_EQ(interpreter.failure, defect_of_triangles);
  } else if (communicates_in_a_loop(ours.program)) {
    EXPECT_EQ(interpreter.failure, defect_of_loops);
  } else {
    EXPECT_EQ(interpreter.failure, "");
    EXPECT_TRUE(agree(ours.results, interpreter.results));
  }
}

INSTANTIATE_TEST_SUITE_P(of, gradients, ::testing::ValuesIn(all_functions()),
                         [](const auto& row) { return row.param.name; });

class gradients_of_factors : public OracleTest, public ::testing::WithParamInterface<Function> {};

TEST_P(gradients_of_factors, and_lanes_equal_those_of_jax) {
  Tensors arguments = arguments_of(GetParam());
  Verdict jax = Oracle::shared().run_jax(GetParam().name, arguments);
  ASSERT_EQ(jax.failure, "");
  EXPECT_TRUE(agree(computed(GetParam(), arguments).results, jax.results));
}

INSTANTIATE_TEST_SUITE_P(of, gradients_of_factors, ::testing::ValuesIn(spectral_functions()),
                         [](const auto& row) { return row.param.name; });

using functions = OracleTest;

TEST_F(functions, have_twins_of_the_same_names_in_jax) {
  std::vector<std::string> names;
  for (const std::vector<Function>& functions : {all_functions(), spectral_functions()})
    for (const Function& function : functions) names.push_back(function.name);
  EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(Oracle::shared().without_twin(names), std::vector<std::string>{});
  names[0] = "nobody";
  EXPECT_EQ(Oracle::shared().without_twin(names),
            (std::vector<std::string>{"nobody", collective_functions()[0].name}));
}

using planted_gradient = OracleTest;

TEST_F(planted_gradient, that_misses_the_sum_over_devices_is_caught) {
  Function wrong = collective_functions()[0];
  ASSERT_EQ(wrong.name, "parameter_beside_data");
  wrong.body = [](const Arrays& a) { return psum(reduce_sum(tanh(matmul(a[1], stop_gradient(a[0])))), "x"); };
  Tensors arguments = arguments_of(wrong);
  EXPECT_FALSE(
      agree(computed(wrong, arguments).results, Oracle::shared().run_jax(wrong.name, arguments).results));
}

}  // namespace
}  // namespace tutti
