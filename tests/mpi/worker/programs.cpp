// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cstdint>
#include <vector>

#include "tests/laws/law.hpp"
#include "tests/mpi/worker/report.hpp"
#include "tests/soundness/written.hpp"
#include "tests/support/many_processes.hpp"
#include "tutti/devices/team.hpp"
#include "tutti/mpi/transport.hpp"
#include "tutti/run/on_machine.hpp"

namespace tutti {
namespace {

/// The transport and the workers of this process.
struct Own {
  MpiTransport transport{MPI_COMM_WORLD, 60};
  Team team{1};
};

std::vector<Processes::Split> grids_for(const Mesh& mesh, int boxes) {
  std::vector<Processes::Split> grids = grids_of(mesh);
  std::erase_if(grids, [&](const Processes::Split& grid) { return boxes_of(grid) != boxes; });
  return grids;
}

/// The device of the mesh at a position of the box.
int device_of(const Processes& processes, int position) {
  int device = 0;
  for (std::size_t axis = 0; axis < processes.whole().axes().size(); ++axis)
    device = device * processes.whole().axes()[axis].size + processes.first(axis) +
             processes.box().coordinate(position, processes.box().axes()[axis]);
  return device;
}

bool are_own(const std::vector<Tensors>& found, const std::vector<PerDevice>& expected,
             const Processes& processes) {
  for (std::size_t k = 0; k < expected.size(); ++k)
    for (int position = 0; position < processes.box().devices(); ++position)
      if (found[k][static_cast<std::size_t>(position)] !=
          expected[k][static_cast<std::size_t>(device_of(processes, position))])
        return false;
  return true;
}

template <class F>
void compare(WorkerReport& report, Own& own, const Program& program, const Mesh& mesh,
             const std::vector<PerDevice>& inputs, const F& name) {
  const std::vector<Processes::Split> grids = grids_for(mesh, own.transport.count());
  if (grids.empty()) return;
  const std::vector<PerDevice> expected = run_on_machine(program, mesh, inputs, own.team, {});
  for (const Processes::Split& grid : grids) {
    const Processes processes = Processes::of(mesh, own.transport.count(), own.transport.self(), grid);
    own.transport.begin();
    const std::vector<Tensors> found =
        run_on_machine(program, processes, inputs, own.team, {.transport = &own.transport});
    report.expect(are_own(found, expected, processes), [&] {
      return fmt::format("other bits on {}: {}\n{}", grid_name(grid), name(), to_string(program));
    });
  }
}

}  // namespace

void run_examples(WorkerReport& report) {
  Own own;
  for (const OpRow& row : tried_ops())
    for (const Example& example : row.examples)
      for (const Example& variant : variants(example)) {
        Random random(9);
        const Program program = program_of(variant);
        compare(report, own, program, example_mesh(),
                values_for(random, program, variant.operands, Numbers::any),
                [&] { return described(variant); });
      }
}

void run_generated_programs(WorkerReport& report) {
  Own own;
  std::vector<std::vector<int>> meshes;
  for (const std::vector<int>& sizes : {std::vector{4}, {2, 2}, {3, 2}, {6}, {2, 2, 2}}) {
    const Mesh mesh = written(generated::drawn(sizes, 1, 1)).mesh;
    if (!grids_for(mesh, own.transport.count()).empty()) meshes.push_back(sizes);
  }
  constexpr std::size_t programs = 100;
  for (std::size_t i = 0; i < programs; ++i) {
    const generated::Draft draft =
        generated::drawn(meshes[i % meshes.size()], 2 + static_cast<int>(i) / 10, 20'251'121 + i);
    const generated::Written made = written(draft);
    compare(report, own, made.program, made.mesh, drawn_inputs(made.program, made.mesh, draft.values),
            [&] { return to_string(draft); });
  }
}

}  // namespace tutti
