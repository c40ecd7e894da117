// SPDX-License-Identifier: Apache-2.0
// Law: what a device computes depends on another device only along axes that the op says it communicates
// over. Control flow relies on it: where devices go different ways, nobody may need one that went another.
#include <fmt/core.h>

#include "tests/laws/law.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"

namespace tutti {
namespace {

/// `of_some` on the devices at `position` of the axis, `of_others` elsewhere where the type allows it.
PerDevice mixed(Type type, const PerDevice& of_some, const PerDevice& of_others, const Axis& axis,
                int position) {
  if (!is_stored_per_device(type.at(axis))) return of_some;
  PerDevice values = of_others;
  for (std::size_t device = 0; device < values.size(); ++device)
    if (example_mesh().coordinate(static_cast<int>(device), axis) == position)
      values[device] = of_some[device];
  return values;
}

/// Devices at a position of the axis at which the values differ.
std::vector<int> differing(const PerDevice& a, const PerDevice& b, const Axis& axis, int position) {
  std::vector<int> found;
  for (int device = 0; device < example_mesh().devices(); ++device)
    if (auto d = static_cast<std::size_t>(device);
        example_mesh().coordinate(device, axis) == position && a[d] != b[d])
      found.push_back(device);
  return found;
}

void reads_own_position_only(const Example& example, Findings& findings) {
  Program program = program_of(example);
  Random random(9);
  std::vector<PerDevice> some = random_values(random, example.operands, Numbers::any);
  std::vector<PerDevice> others = random_values(random, example.operands, Numbers::any);
  std::vector<PerDevice> expected = evaluate(program, example_mesh(), some);
  auto try_position = [&](const Axis& axis, int position) {
    std::vector<PerDevice> inputs;
    for (std::size_t i = 0; i < some.size(); ++i)
      inputs.push_back(mixed(example.operands[i].type, some[i], others[i], axis, position));
    std::vector<PerDevice> found = evaluate(program, example_mesh(), inputs);
    for (std::size_t i = 0; i < found.size(); ++i)
      findings.expect(differing(found[i], expected[i], axis, position).empty(), [&] {
        return fmt::format("{}: result {} at {} of '{}' depends on other devices", described(example), i,
                           position, axis.name);
      });
  };
  for (const Axis& axis : example_mesh().axes())
    if (!contains(example.op->communicates(), axis))
      for (int position = 0; position < axis.size; ++position) try_position(axis, position);
}

class communicates : public EveryOp {};
TEST_P(communicates, over_no_other_axes_than_it_says) { expect_holds(reads_own_position_only); }
INSTANTIATE_TEST_SUITE_P(every_op, communicates, every_op(), op_name);

/// A sum over devices that says nothing of it.
struct SilentSum : AllReduce {
  Axes communicates() const { return {}; }
  static std::vector<Example> examples() {
    Axis axis = example_mesh().axes()[0];
    return {{SilentSum{{ReduceKind::sum, {axis}}}, {Type(DType::f64, {3}).with(axis, State::varying)}}};
  }
  bool operator==(const SilentSum&) const = default;
};

TEST(communicates, catches_a_sum_over_devices_that_says_nothing_of_it) {
  EXPECT_FALSE(holds(reads_own_position_only, SilentSum::examples()));
}

}  // namespace
}  // namespace tutti
