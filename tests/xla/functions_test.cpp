// SPDX-License-Identifier: Apache-2.0
// SPMD functions with collectives, control flow, custom rules and futures, with their gradients and lanes.
// The machine of a plugin gives the numbers of the local machine, which tests/oracle compares with JAX's.
#include <cmath>

#include "tests/support/full_sets.hpp"
#include "tests/support/functions.hpp"
#include "tests/xla/same_numbers.hpp"

namespace tutti {
namespace {

using xla_functions = xla::RealXla;

Tensors computed(const Machine& machine, const std::vector<Function>& functions, const Arrays& arguments) {
  auto all = [&](const Arrays& given) {
    Arrays results;
    auto next = given.begin();
    for (const Function& function : functions) {
      const auto end = next + 2 * std::ssize(function.shapes);
      for (Array& result : values_gradients_and_lanes(function, {next, end})) results.push_back(result);
      next = end;
    }
    return results;
  };
  Tensors values;
  for (const Array& result : machine.compile(all, arguments)(arguments)) values.push_back(result.tensor());
  return values;
}

void expect_near(const Tensors& ours, const Tensors& theirs) {
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t k = 0; k < ours.size(); ++k) {
    ASSERT_EQ(ours[k].shape(), theirs[k].shape());
    for (std::int64_t i = 0; i < ours[k].elements(); ++i)
      ASSERT_NEAR(ours[k].at(i), theirs[k].at(i), bound_of_functions) << "result " << k << " element " << i;
  }
}

/// Compiles some functions as one program, because XLA compiles one program faster.
void expect_same(const std::vector<Function>& functions) {
  Arrays arguments;
  std::string names;
  for (const Function& function : functions) {
    for (const Tensor& argument : arguments_of(function)) arguments.push_back(argument);
    names += function.name + " ";
  }
  SCOPED_TRACE(names);
  expect_near(computed(open_local(functions_mesh()), functions, arguments),
              computed(xla::RealXla::machine(functions_mesh()), functions, arguments));
}

// CI tries every sixth; TUTTI_TEST_FULL all.
TEST_F(xla_functions, have_the_values_gradients_and_lanes_of_the_local_machine) {
  const std::vector<Function> functions = all_functions();
  const std::size_t step = tries_full_sets() ? 1 : 6, together = 4;
  std::vector<Function> batch;
  for (std::size_t i = 0; i < functions.size(); i += step) {
    batch.push_back(functions[i]);
    if (batch.size() < together && i + step < functions.size()) continue;
    expect_same(batch);
    batch.clear();
  }
}

}  // namespace
}  // namespace tutti
