// SPDX-License-Identifier: Apache-2.0
// Programs of ours in replica form, run by XLA.
#include "tests/support/print.hpp"
#include "tests/xla/real_plugin.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/stablehlo/write/write.hpp"

namespace tutti::xla {
namespace {

using xla_lowered = RealXla;

const Mesh grid({{"x", 4}, {"y", 2}});
const Axis x = grid.axes()[0], y = grid.axes()[1];

/// The first result of a program of one op on each device of the mesh; parts[k] is operand k.
Tensors run(const Op& op, const Types& operands, const std::vector<Tensors>& parts) {
  Program program;
  program.types = operands;
  for (std::size_t i = 0; i < operands.size(); ++i) program.inputs.push_back(static_cast<Var>(i));
  const Type result = op->infer(operands)[0];
  program.types.push_back(result);
  program.outputs = {static_cast<Var>(operands.size())};
  program.equations = {{op, program.inputs, program.outputs, {}}};
  Source source{.text = stablehlo::write(lower_replicas(program, grid)),
                .results = {Type(result.dtype(), result.shape())},
                .overrides = {{"xla_allow_excess_precision", false}}};
  for (const Type& type : operands) source.parameters.emplace_back(type.dtype(), type.shape());
  const auto client = RealXla::client();
  const auto devices = client->choose(first(grid.devices()));
  const Executable executable = Executable::compile(client, devices, source);
  std::vector<Buffers> buffers;
  for (const Tensors& part : parts) buffers.push_back(upload_parts(client, devices, part));
  std::vector<Argument> arguments;
  for (Buffers& buffer : buffers) arguments.push_back({&buffer});
  return executable.run(arguments)[0].download(first(grid.devices()));
}

TEST_F(xla_lowered, sums_over_the_devices_of_an_axis) {
  const Tensors sums =
      run(AllReduce{.axes = {y}}, {Type(DType::f32, {4}).with(Axes{x, y}, varying)}, {parts_of_four(8)});
  for (int device = 0; device < 8; ++device) {
    const int left = device / 2 * 2;
    EXPECT_EQ(sums[static_cast<std::size_t>(device)].at(1), 2 * 2 + 10 * (2 * left + 1)) << device;
  }
}

// A division by a constant zero ends older plugins while they compile; here the divisor is a parameter.
TEST_F(xla_lowered, divides_integers_as_we_do) {
  const std::int32_t least = std::numeric_limits<std::int32_t>::min();
  const Tensor dividends(Shape{5}, std::vector<std::int32_t>{7, -7, 7, least, 0});
  const Tensor divisors(Shape{5}, std::vector<std::int32_t>{2, 2, 0, -1, 0});
  const Type five(DType::i32, {5});
  const std::vector<Tensors> parts{Tensors(8, dividends), Tensors(8, divisors)};
  EXPECT_EQ(run(Binary{BinaryFn::div}, {five, five}, parts),
            Tensors(8, Tensor(Shape{5}, std::vector<std::int32_t>{3, -3, -1, least, -1})));
  EXPECT_EQ(run(Binary{BinaryFn::rem}, {five, five}, parts),
            Tensors(8, Tensor(Shape{5}, std::vector<std::int32_t>{1, -1, 7, 0, 0})));
}

}  // namespace
}  // namespace tutti::xla
