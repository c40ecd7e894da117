// SPDX-License-Identifier: Apache-2.0
// Every op on the first device of any plugin, a GPU's too: the axes of the example mesh become lanes of one
// device.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "tests/support/example_programs.hpp"
#include "tests/support/halves.hpp"
#include "tests/support/op_bounds.hpp"
#include "tests/support/real_plugin.hpp"
#include "tests/xla/on_xla.hpp"
#include "tutti/base/error.hpp"
#include "tutti/ops/moves/enter.hpp"
#include "tutti/ops/moves/exchange.hpp"
#include "tutti/ops/moves/leave.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/transform/batch.hpp"

namespace tutti {
namespace {

std::shared_ptr<const xla::Client> first_client() {
  static const auto shared = xla::Client::create(xla::Plugin::open(real_plugin_path()), {.cpu_devices = 1});
  return shared;
}

/// The program without the axes of the mesh; none if a rule of its ops refuses that.
std::optional<Program> on_one_device(Program program) {
  try {
    for (const Axis& axis : example_mesh().axes()) program = batch(program, axis);
    return program;
  } catch (const Error& error) {
    if (error.code() != Code::refused_rule) throw;
    return std::nullopt;
  }
}

/// The devices' values as lanes of one.
Values as_lanes(Program program, Values values) {
  for (const Axis& axis : example_mesh().axes()) {
    values = batched_values(program.types_of(program.inputs), axis, values);
    program = batch(program, axis);
  }
  for (Tensors& value : values) value.resize(1);
  return values;
}

/// The part of `lanes`, with a dim for each axis along which `type` differs, that a device of the mesh holds.
Tensor lane_of(const Tensor& lanes, Type type, int device) {
  std::int64_t index = 0;
  const Axes axes = example_mesh().axes();
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis)  // batched last, so the slowest dim
    if (has_lanes(type, *axis)) index = index * axis->size + example_mesh().coordinate(device, *axis);
  Tensor part(type.shape(), type.dtype());
  std::copy_n(lanes.data() + index * static_cast<std::int64_t>(part.bytes()), part.bytes(),
              part.mutable_bytes());
  return part;
}

Values as_devices(const Program& program, const Values& lanes) {
  Values values;
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    values.emplace_back();
    for (int device = 0; device < example_mesh().devices(); ++device)
      values.back().push_back(lane_of(lanes[k][0], program.type(program.outputs[k]), device));
  }
  return values;
}

/// The ops that vmap meets: borders of a shard_map, and exchanges, name axes of a mesh, which are no lanes.
std::vector<OpRow> rows_with_lanes() {
  std::vector<OpRow> rows = lowered_ops();
  std::erase_if(rows, [](const OpRow& row) {
    const Op& op = row.examples.front().op;
    return op.as<Enter>() || op.as<Leave>() || op.as<Exchange>();
  });
  return rows;
}

bool is_on_cpus() { return first_client()->platform() == "cpu"; }

/// Units in the last place of every number, of a complex one's size.
Bounds units(const Values& ours, double n) {
  return [&ours, n](std::size_t k, std::size_t d, std::int64_t i) {
    const Tensor& value = ours[k][d];
    if (!is_inexact(value.dtype())) return 0.0;
    const Tensor parts = in_parts(value);
    const double size =
        is_complex(value.dtype()) ? std::hypot(parts.at(i - i % 2), parts.at(i - i % 2 + 1)) : parts.at(i);
    return n * epsilon(value.dtype()) * std::abs(size);
  };
}

Bounds bounds_in_lanes(const OpRow& row, const Program& program, const Values& inputs, const Values& ours) {
  // XLA multiplies by the reciprocal of a divisor that all lanes have in common: two roundings instead of
  // one.
  if (row.name == "div") return units(ours, 2);
  // sqrt.approx.f32 of PTX has an error of 1 unit at most.
  if (row.name == "sqrt" && !is_on_cpus()) return units(ours, 1);
  // GPUs add what arrives in any order: at most 9 terms of [-2, 2], 4 roundings deep on each side.
  if (row.name == "ragged_all_to_all" && !is_on_cpus()) return bounds_of_epsilons(ours, 2 * 4 * 18);
  return bounds_for(row, program, inputs, ours, Peer::xla);
}

class xla_on_one_device : public WithRealPlugin, public testing::WithParamInterface<OpRow> {};

TEST_P(xla_on_one_device, has_our_numbers_in_lanes) {
  OpRow row = GetParam();
  if (row.name == "scatter" && !is_on_cpus())
    GTEST_SKIP() << "on GPUs any of several values that are written to one place may stay";
  std::erase_if(row.examples, [](const Example& example) { return !on_one_device(program_of({example})); });
  if (row.examples.empty()) GTEST_SKIP() << row.name << ": no example has lanes over all axes";
  const Program program = program_without_phases(row.examples);
  const Values inputs = random_inputs(row.examples);
  const Values ours = run_on_machine(program, example_mesh(), inputs);
  const xla::OnXla theirs(first_client(), *on_one_device(program), Mesh());
  EXPECT_EQ(difference(program, ours, as_devices(program, theirs.run(as_lanes(program, inputs))),
                       bounds_in_lanes(row, program, inputs, ours)),
            "");
}
INSTANTIATE_TEST_SUITE_P(all, xla_on_one_device, testing::ValuesIn(rows_with_lanes()),
                         [](const testing::TestParamInfo<OpRow>& row) { return row.param.name; });

}  // namespace
}  // namespace tutti
