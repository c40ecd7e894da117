// SPDX-License-Identifier: Apache-2.0
// Values, gradients and lanes of small SPMD functions against JAX's own, with its type checks on (see
// jax_functions.py), and against the reference interpreter, which runs what they lower to.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/oracle/functions.hpp"
#include "tests/support/differences.hpp"
#include "tests/support/oracle.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/stablehlo/write.hpp"

namespace tutti {

const Mesh& functions_mesh() {
  static const Mesh mesh({{"x", 4}, {"y", 2}});
  return mesh;
}

void PrintTo(const Function& function, std::ostream* out) { *out << function.name; }

namespace {

std::vector<Function> all_functions() {
  std::vector<Function> functions = collective_functions();
  for (const auto& more : {local_functions(), control_functions(), transform_functions()})
    functions.insert(functions.end(), more.begin(), more.end());
  return functions;
}

/// Different in every element, in [-1, 1], the same in every run.
Tensors numbers(const std::vector<Shape>& shapes, double& phase) {
  Tensors arguments;
  for (const Shape& shape : shapes) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < shape.elements(); ++i) values.push_back(std::sin(phase += 0.7));
    arguments.emplace_back(shape, values);
  }
  return arguments;
}

/// Where two lanes lie: along the last dim of the first argument and dim 0 of the second; they share the rest.
std::vector<MappedDim> dims_of_lanes(const Function& function) {
  std::vector<MappedDim> dims(function.shapes.size(), none);
  dims[0] = function.shapes[0].rank();
  dims[1] = 0;
  return dims;
}

Tensor stacked(const Tensor& one, const Tensor& other, int dim) {
  std::int64_t inner = 1;
  for (int d = dim; d < one.shape().rank(); ++d) inner *= one.shape()[Dim{d}];
  std::vector<double> values;
  for (std::int64_t from = 0; from < one.elements(); from += inner)
    for (const Tensor& lane : {one, other})
      for (std::int64_t i = 0; i < inner; ++i) values.push_back(lane.at(from + i));
  return {Type(one.dtype(), one.shape()).inserted(Dim{dim}, 2).shape(), values};
}

/// The arguments, then two lanes of each, of which the first has the same arguments.
Tensors arguments_of(const Function& function) {
  double phase = 0.3;
  Tensors arguments = numbers(function.shapes, phase), others = numbers(function.shapes, phase);
  std::vector<MappedDim> dims = dims_of_lanes(function);
  for (std::size_t i = 0; i < dims.size(); ++i)
    arguments.push_back(dims[i].dim() ? stacked(arguments[i], others[i], *dims[i].dim()) : arguments[i]);
  return arguments;
}

/// Of whole arguments: the value, then the gradient by every argument, taken outside of the shard_map.
Arrays value_and_gradients(const Function& function, const Arrays& arguments) {
  auto whole = [&](const Arrays& all) {
    if (function.specs.empty()) return function.body(all);
    Specs in(std::vector<Specs>(function.specs.begin(), function.specs.end()));
    return shard_map(function.body, {.mesh = functions_mesh(), .in = Specs{in}, .out = P()})(all);
  };
  if (function.derivatives == Derivatives::refused) return {whole(arguments)};
  auto [value, results] = value_and_grad(whole)(arguments);
  results.insert(results.begin(), value);
  return results;
}

struct Computed {
  Program program;
  Tensors results;  // of the arguments, then of the lanes
};

Computed computed(const Function& function, const Tensors& arguments) {
  auto both = [&](const Arrays& all) {
    auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    Arrays results = value_and_gradients(function, {all.begin(), middle});
    auto of_lane = [&](const Arrays& lane) { return value_and_gradients(function, lane); };
    Arrays of_lanes = vmap_flat({of_lane, {middle, all.end()}, dims_of_lanes(function)}, {}, Where::here());
    results.insert(results.end(), of_lanes.begin(), of_lanes.end());
    return results;
  };
  Arrays given(arguments.begin(), arguments.end());
  auto compiled = open_local(functions_mesh()).compile(both, given);
  Computed made{compiled.program(), {}};
  for (const Array& result : compiled(given)) made.results.push_back(result.tensor());
  return made;
}

// f64 on both sides. Each element is the end of fewer than 200 roundings of numbers below 100 in magnitude:
// 200 * 100 * 2^-53 < 3e-12.
constexpr double bound = 3e-12;

::testing::AssertionResult agree(const Tensors& ours, const std::vector<Tensors>& theirs) {
  if (ours.size() != theirs.size()) return ::testing::AssertionFailure() << "results differ in number";
  for (std::size_t k = 0; k < ours.size(); ++k) {
    if (!(ours[k].shape() == theirs[k][0].shape()))
      return ::testing::AssertionFailure() << "shape of result " << k;
    for (std::int64_t i = 0; i < ours[k].elements(); ++i)
      if (!(std::abs(ours[k].at(i) - theirs[k][0].at(i)) <= bound))
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

class gradients : public OracleTest, public ::testing::WithParamInterface<Function> {};

TEST_P(gradients, and_lanes_equal_those_of_jax) {
  Tensors arguments = arguments_of(GetParam());
  Verdict jax = Oracle::shared().run_jax(GetParam().name, arguments);
  ASSERT_EQ(jax.failure, "");
  Computed ours = computed(GetParam(), arguments);
  EXPECT_TRUE(agree(ours.results, jax.results));
  Verdict interpreter = interpreted(ours.program, arguments);
  EXPECT_EQ(interpreter.errors, std::vector<std::string>{});
  if (communicates_in_a_loop(ours.program)) {
    EXPECT_EQ(interpreter.failure, defect_of_loops);
  } else {
    EXPECT_EQ(interpreter.failure, "");
    EXPECT_TRUE(agree(ours.results, interpreter.results));
  }
}

INSTANTIATE_TEST_SUITE_P(of, gradients, ::testing::ValuesIn(all_functions()),
                         [](const auto& row) { return row.param.name; });

using functions = OracleTest;

TEST_F(functions, have_twins_of_the_same_names_in_jax) {
  std::vector<std::string> names;
  for (const Function& function : all_functions()) names.push_back(function.name);
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
