// SPDX-License-Identifier: Apache-2.0
#include "tests/run/harness.hpp"

#include <fmt/core.h>

#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/reference.hpp"
#include "tutti/base/error.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/moves/enter.hpp"
#include "tutti/ops/moves/leave.hpp"

namespace tutti {
namespace {

std::vector<Axes> padded(std::vector<Axes> dims, int rank) {
  dims.resize(static_cast<std::size_t>(rank));
  return dims;
}

std::string text(const Tensor& tensor) {
  std::string values;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(tensor.elements(), 48); ++i)
    values += fmt::format(" {}", tensor.at(i));
  return fmt::format("{}[{}]{}", name(tensor.dtype()), to_string(tensor.shape()), values);
}

void compare_all_plans(const Program& program, const Mesh& mesh, const Tensors& inputs, Tensors expected) {
  Team one(1), two(2, Team::Use::always);
  for (Storage storage : {Storage::by_type, Storage::per_device})
    for (bool fuse : {true, false})
      for (Team* team : {&one, &two})
        for (PlanChoice plan :
             {PlanChoice::cheapest, PlanChoice::one_worker, PlanChoice::by_axis, PlanChoice::by_tiles}) {
          if (team == &one && plan != PlanChoice::cheapest) continue;
          // Each kind of plan once with stores past the caches.
          Stores stores = (storage == Storage::by_type) == fuse ? Stores::streamed : Stores::by_size;
          SCOPED_TRACE(fmt::format("{} storage, {}, {} workers, plan {}{}",
                                   storage == Storage::by_type ? "by type" : "per device",
                                   fuse ? "fused" : "not fused", team->workers(), static_cast<int>(plan),
                                   stores == Stores::streamed ? ", streamed" : ""));
          CompileOptions options{.plan = {.storage = storage,
                                          .fusion = fuse ? Fusion::on : Fusion::off,
                                          .stores = stores,
                                          .choice = plan},
                                 .check_races = true};
          if (storage == Storage::by_type || team == &two) options.plan.least_assembled_bytes = 0;
          Tensors found;
          try {
            found = run_once(program, mesh, inputs, *team, options);
          } catch (const Error& error) {
            FAIL() << error.what() << "\n"
                   << to_string(program) << Executable(program, mesh, *team, options).explain();
          }
          if (expected.empty()) expected = found;
          ASSERT_EQ(found.size(), expected.size());
          for (std::size_t i = 0; i < found.size(); ++i)
            ASSERT_TRUE(found[i] == expected[i])
                << "output " << i << ": " << text(found[i]) << "\nexpected " << text(expected[i]) << "\n"
                << to_string(program);
        }
}

}  // namespace

Sharding sharding_of(const Mesh& mesh, const TestInput& input) {
  return {mesh, padded(input.dims, input.shape.rank()), input.unreduced, input.reduced};
}

Program test_program(const Mesh& mesh, const std::vector<TestInput>& inputs,
                     const std::function<Arrays(const Arrays&)>& body,
                     const std::vector<std::vector<Axes>>& out) {
  Builder builder;
  auto bound = builder.bind(mesh.axes());
  Arrays wholes, parts;
  for (const TestInput& input : inputs) wholes.push_back(builder.input(Type(input.dtype, input.shape)));
  for (std::size_t i = 0; i < inputs.size(); ++i)
    parts.push_back(enter(wholes[i], sharding_of(mesh, inputs[i])));
  Arrays results = body(parts);
  for (std::size_t i = 0; i < results.size(); ++i)
    results[i] =
        leave(results[i],
              {mesh, padded(i < out.size() ? out[i] : std::vector<Axes>{}, results[i].rank()), {}, {}});
  return builder.finish(results);
}

Tensor test_data(DType dtype, const Shape& shape, int seed) {
  Tensor tensor(shape, dtype);
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    std::int64_t value = (i * 7 + seed * 5 + i / 11) % 17 - 8;
    auto at = static_cast<std::size_t>(i);
    Tensor element = Tensor::scalar_of(dtype, dtype == DType::boolean ? std::int64_t{value % 3 == 0} : value);
    std::memcpy(tensor.mutable_bytes() + at * element.bytes(), element.data(), element.bytes());
  }
  return tensor;
}

Tensors test_data(const Program& program) {
  Tensors inputs;
  for (Var var : program.inputs)
    inputs.push_back(
        test_data(program.type(var).dtype(), program.type(var).shape(), static_cast<int>(inputs.size())));
  return inputs;
}

namespace {

/// How the program first takes an input.
Sharding entered(const Program& program, const Mesh& mesh, std::size_t input) {
  for (const Equation& equation : program.equations)
    if (const Enter* enter = equation.op.as<Enter>())
      if (equation.operands[0] == program.inputs[input]) return enter->sharding;
  return unsharded(mesh, program.type(program.inputs[input]).rank());
}

}  // namespace

Tensors run_once(const Program& program, const Mesh& mesh, const Tensors& inputs, Team& team,
                 const CompileOptions& options) {
  Executable executable(program, mesh, team, options);
  GlobalArrays values;
  for (const Tensor& tensor : inputs) values.push_back(std::make_shared<const GlobalArray>(tensor));
  executable.run(values);
  Tensors results;  // of the second run: buffers are then used for the second time
  for (const auto& result : executable.run(values)) results.push_back(result->whole());
  values.clear();
  for (std::size_t i = 0; i < inputs.size(); ++i)
    values.push_back(
        std::make_shared<const GlobalArray>(GlobalArray::distributed(inputs[i], entered(program, mesh, i))));
  Tensors over_inputs;
  for (const auto& result : executable.run(std::move(values))) over_inputs.push_back(result->whole());
  EXPECT_TRUE(over_inputs == results) << "arguments that were given away change the result";
  return results;
}

void expect_all_plans_compute(const Program& program, const Mesh& mesh) {
  Tensors inputs = test_data(program);
  compare_all_plans(program, mesh, inputs, evaluate_whole(program, mesh, inputs));
}

void expect_all_plans_agree(const Program& program, const Mesh& mesh) {
  compare_all_plans(program, mesh, test_data(program), {});
}

Program traced_on(const Mesh& mesh, Type type, const std::function<Array(const Array&)>& body) {
  return trace({type.with(mesh.axes(), varying)},
               [&](const Arrays& x) {
                 const Builder::Bound bound = Builder::current().bind(mesh.axes());
                 return Arrays{body(x[0])};
               })
      .program;
}

}  // namespace tutti
