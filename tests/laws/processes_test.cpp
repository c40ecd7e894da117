// SPDX-License-Identifier: Apache-2.0
// The law of many processes: however processes share the devices, the bits are those of one process.
#include "tests/laws/law.hpp"
#include "tests/support/many_processes.hpp"
#include "tests/support/programs.hpp"
#include "tutti/base/error.hpp"
#include "tutti/run/on_machine.hpp"

namespace tutti {
namespace {

/// True if a value of several devices is folded: by all_reduce, by reduce_scatter or what is made of them.
bool has_folds(const Program& program) { return to_string(program).find("reduce") != std::string::npos; }

void same_bits_on_all_grids(const Example& example, Findings& findings) {
  Random random(9);
  const Program program = program_of(example);
  const std::vector<PerDevice> inputs = values_for(random, program, example.operands, Numbers::any);
  const std::vector<PerDevice> expected = run_on_machine(program, example_mesh(), inputs, {});
  for (const Processes::Split& grid : grids_of(example_mesh())) {
    const auto what = [&] { return described(example) + " on " + grid_name(grid); };
    try {
      ManyProcesses processes{boxes_of(grid), grid};
      findings.expect(run_on_processes(program, example_mesh(), inputs, processes) == expected,
                      [&] { return what() + ": other bits\n" + to_string(program); });
      if (processes.count <= 2 || !has_folds(program)) continue;
      processes.largest_whole_fold = 0;
      findings.expect(run_on_processes(program, example_mesh(), inputs, processes) == expected,
                      [&] { return what() + ", folds in chunks: other bits\n" + to_string(program); });
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
