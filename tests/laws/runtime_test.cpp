// SPDX-License-Identifier: Apache-2.0
// Laws of running. Whatever the plan - storage by type or per device, fused or not, one worker or two, split
// by axes or by tiles - the bits are the same. With storage per device, whatever is typed equal comes out
// equal (or run throws).
// For every op they are the bits of the definition of its kernel.
#include <algorithm>
#include <optional>
#include <set>

#include "tests/laws/law.hpp"
#include "tests/laws/planted.hpp"
#include "tests/laws/transforms.hpp"
#include "tests/support/programs.hpp"
#include "tutti/base/error.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/run/on_machine.hpp"

namespace tutti {
namespace {

struct Plan {
  std::string name;
  int workers;
  CompileOptions options;
};

const std::vector<Plan>& plans() {
  static const std::vector<Plan> all{
      {"one worker", 1, {.check_races = true}},
      {"two workers", 2, {.check_races = true}},
      {"two workers, not fused, streamed",
       2,
       {.plan = {.fusion = Fusion::off, .stores = Stores::streamed}, .check_races = true}},
      {"two workers, split by axes", 2, {.plan = {.choice = PlanChoice::by_axis}, .check_races = true}},
      {"two workers, split by tiles", 2, {.plan = {.choice = PlanChoice::by_tiles}, .check_races = true}},
      {"two workers, streamed", 2, {.plan = {.stores = Stores::streamed}, .check_races = true}},
      {"storage per device", 1, {.plan = {.storage = Storage::per_device}, .check_races = true}},
      {"storage per device, not fused, two workers",
       2,
       {.plan = {.storage = Storage::per_device, .fusion = Fusion::off}, .check_races = true}},
  };
  return all;
}

std::vector<PerDevice> run(const Plan& plan, const Program& program, const std::vector<PerDevice>& inputs) {
  static Team one(1), two(2, Team::Use::always);
  return run_on_machine(program, example_mesh(), inputs, plan.workers == 1 ? one : two, plan.options);
}

void expect_in_all_plans(const Program& program, const std::vector<PerDevice>& inputs,
                         const std::vector<PerDevice>& expected, const std::string& what,
                         Findings& findings) {
  for (const Plan& plan : plans()) try {
      findings.expect(run(plan, program, inputs) == expected,
                      [&] { return what + ": other bits by " + plan.name + "\n" + to_string(program); });
    } catch (const Error& error) {
      findings.broken(what + " by " + plan.name + ": " + error.what());
    }
}

// Quarters: sums have no rounding, whatever their order.
void bits_of_the_definition(const Example& example, Findings& findings) {
  Random random(7);
  Program program = program_of(example);
  std::vector<PerDevice> inputs = random_values(random, example.operands, Numbers::quarters);
  expect_in_all_plans(program, inputs, evaluate(program, example_mesh(), inputs), described(example),
                      findings);
}

void expect_same_bits(const Program& program, const std::vector<ExampleOperand>& operands,
                      const std::string& what, Findings& findings) {
  Random random(8);
  std::vector<PerDevice> inputs = values_for(random, program, operands, Numbers::any);
  expect_in_all_plans(program, inputs, run(plans()[0], program, inputs), what, findings);
}

void same_bits_after_transforms(const Example& example, Findings& findings) {
  Program program = program_of(example);
  for (const Transform& transform : transforms_of(example)) try {
      expect_same_bits(transform.apply(program).program, example.operands,
                       described(example) + ", " + transform.name, findings);
    } catch (const Error& error) {
      if (error.code() != Code::refused_rule) throw;  // the law of types says what may be refused
    }
}

// --- More than a tile --------------------------------------------------------------------------------------

enum class Longer { first_dim, last_dim };

/// The example with operands that a region walks in several tiles (of 4 or 8 KiB, run/region_space.cpp). The
/// last tile is cut short: one dim of all operands that have the largest shape becomes longer.
/// None if its op takes no such operands, or if their values are given.
std::optional<Example> in_tiles(Example example, Longer longer) {
  constexpr std::int64_t tile_bytes = 8192;
  Shape largest;
  std::int64_t widest = 1;  // bytes per element
  for (const ExampleOperand& operand : example.operands) {
    if (operand.type.elements() > largest.elements()) largest = operand.type.shape();
    auto bytes = static_cast<std::int64_t>(bytes_per_element(operand.type.dtype()));
    widest = std::max(widest, bytes);
  }
  if (largest.rank() == 0 || largest.elements() == 0) return std::nullopt;
  Dim dim{longer == Longer::first_dim ? 0 : largest.rank() - 1};
  std::int64_t others = largest.elements() / largest[dim];
  Shape wanted = largest.with(dim, tile_bytes / widest / others + 5);
  for (ExampleOperand& operand : example.operands) {
    if (operand.type.shape() != largest) continue;
    if (operand.given) return std::nullopt;  // there are no more of its values
    operand.type = operand.type.with(wanted);
  }
  try {
    example.op->infer(types_of(example.operands));
    return example;
  } catch (const Error& error) {
    if (error.code() == Code::internal) throw;
    return std::nullopt;
  }
}

class runtime : public EveryOp {};
TEST_P(runtime, gives_the_bits_of_the_definition_in_all_plans) {
  Findings findings;
  for (const Example& example : GetParam().examples) bits_of_the_definition(example, findings);
  EXPECT_TRUE(findings.text().empty()) << findings.text();
  RecordProperty("cases", findings.held());
}
TEST_P(runtime, gives_the_bits_of_the_definition_where_the_last_tile_is_cut_short) {
  Findings findings;
  for (const Example& example : GetParam().examples)
    for (Longer longer : {Longer::first_dim, Longer::last_dim})
      if (std::optional<Example> large = in_tiles(example, longer)) bits_of_the_definition(*large, findings);
  EXPECT_TRUE(findings.text().empty()) << findings.text();
  RecordProperty("cases", findings.held());
}
TEST_P(runtime, gives_the_same_bits_after_transforms_in_all_plans) {
  Findings findings;
  for (const Example& example : GetParam().examples) same_bits_after_transforms(example, findings);
  EXPECT_TRUE(findings.text().empty()) << findings.text();
  RecordProperty("cases", findings.held());
}
INSTANTIATE_TEST_SUITE_P(every_op, runtime, every_op(), op_name);

TEST(runtime, has_shapes_whose_last_tile_is_cut_short) {
  const std::set<std::string> such{"add", "all_reduce", "atan2",      "convert",
                                   "exp", "ge",         "reduce_max", "select"};
  auto can_be_longer = [](const Example& example) { return in_tiles(example, Longer::last_dim).has_value(); };
  std::set<std::string> found;
  for (const OpRow& row : all_ops())
    if (such.contains(row.name) && std::ranges::any_of(row.examples, can_be_longer)) found.insert(row.name);
  EXPECT_EQ(found, such);
}

// Memory behind a shorter value would be read: other bits, but not every time.
TEST(runtime, takes_values_of_the_types_of_the_inputs_only) {
  const Program program = program_of({Unary{UnaryFn::neg}, {Type(DType::f32, {4})}});
  const std::vector<PerDevice> shorter{PerDevice(8, Tensor({2}, DType::f32))};
  const std::vector<PerDevice> wider{PerDevice(8, Tensor({4}, DType::f64))};
  for (const std::vector<PerDevice>& values : {shorter, wider}) {
    EXPECT_THROW(evaluate(program, example_mesh(), values), Error);
    EXPECT_THROW(run(plans()[0], program, values), Error);
  }
}

TEST(runtime, gives_the_same_bits_of_composed_programs_in_all_plans) {
  Findings findings;
  for (const NamedProgram& named : composed_programs()) {
    expect_same_bits(named.program, {}, named.name, findings);
    for (const Transform& transform : transforms_of(named.program))
      expect_same_bits(transform.apply(named.program).program, {}, named.name + ", " + transform.name,
                       findings);
  }
  EXPECT_TRUE(findings.text().empty()) << findings.text();
}

TEST(runtime, catches_a_maximum_over_pairs_that_is_typed_equal) {
  Findings findings;
  bits_of_the_definition(planted::MaximumOfPairs::examples()[0], findings);
  EXPECT_FALSE(findings.text().empty());
}

}  // namespace
}  // namespace tutti
