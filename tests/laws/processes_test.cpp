// SPDX-License-Identifier: Apache-2.0
// The law of many processes: however processes share the devices, the bits are those of one process.
#include "tests/laws/law.hpp"
#include "tests/support/many_processes.hpp"
#include "tests/support/programs.hpp"
#include "tutti/base/error.hpp"
#include "tutti/run/on_machine.hpp"

namespace tutti {
namespace {

void same_bits_on_all_grids(const Example& example, Findings& findings) {
  Random random(9);
  const Program program = program_of(example);
  const std::vector<PerDevice> inputs = values_for(random, program, example.operands, Numbers::any);
  const std::vector<PerDevice> expected = run_on_machine(program, example_mesh(), inputs, {});
  for (const Processes::Split& grid : grids_of(example_mesh())) {
    const auto what = [&] { return described(example) + " on " + grid_name(grid); };
    try {
      findings.expect(run_on_processes(program, example_mesh(), inputs, {boxes_of(grid), grid}) == expected,
                      [&] { return what() + ": other bits\n" + to_string(program); });
    } catch (const Error& error) {
      findings.broken(what() + ": " + error.what());
    }
  }
}

class processes : public EveryOp {};
TEST_P(processes, give_the_bits_of_one_process) { expect_holds(same_bits_on_all_grids); }
INSTANTIATE_TEST_SUITE_P(every_op, processes, every_op(), op_name);

}  // namespace
}  // namespace tutti
