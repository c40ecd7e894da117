// SPDX-License-Identifier: Apache-2.0
// The walk of tutti/run/README.md: one program through all rooms.
#include <fmt/core.h>

#include <gtest/gtest.h>

#include <bit>
#include <iterator>

#include "tests/run/harness.hpp"
#include "tests/support/file_text.hpp"
#include "tutti/control/boundary.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/run/code/region_code.hpp"
#include "tutti/run/plan/plan.hpp"
#include "tutti/run/watch/describe.hpp"
#include "tutti/tensor/products/blas.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"i", 4}});

Program program() {
  const Axes& axes = mesh.axes();
  auto body = [&](const Arrays& x) {
    auto line = Builder::current().on_behalf_of({{"train.cpp", 1, 0}});
    return Arrays{x[0] + psum(x[0] * x[0], axes)};
  };
  return test_program(mesh, {{DType::f32, {256}, {axes}}}, body, {{axes}});
}

Plan plan() { return Plan(localised(program(), mesh).program, mesh, {.workers = 2}); }

/// The README shows `text` as a block.
void expect_shown(const std::string& text) {
  const std::string readme = text_of_file("tutti/run/README.md");
  EXPECT_NE(readme.find("```\n" + text + "```\n"), std::string::npos) << text;
}

template <class Id>
int number(Id id) {
  return static_cast<int>(id);
}

std::string kind_name(Buffer::Kind kind) {
  switch (kind) {
    case Buffer::Kind::arena: return "arena";
    case Buffer::Kind::constant: return "constant";
    case Buffer::Kind::input: return "input";
    case Buffer::Kind::output: return "output";
  }
  return {};
}

/// "buffer 0, stride 256".
std::string text_of(const Address& address) {
  return fmt::format("buffer {}, stride {}", number(address.buffer), address.axes[0]);
}

TEST(readme_of_run, shows_the_program_of_local_values) {
  std::string text = to_string(localised(program(), mesh).program);
  std::string body = text.substr(text.find('\n') + 1);
  std::string shown;
  for (std::size_t at = 0; body.substr(at, 2) == "  ";) {
    std::size_t end = body.find('\n', at);
    std::string line = body.substr(at + 2, std::min(end, body.find("  //", at)) - at - 2);
    at = end + 1;
    if (line.starts_with("%")) shown += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  expect_shown(shown);
}

TEST(readme_of_run, shows_the_graph) {
  const Plan made = plan();
  const Graph& graph = made.graph();
  std::string text;
  for (BufferId b : graph.buffers.ids()) {
    const Buffer& buffer = graph.buffers[b];
    text += fmt::format("buffer {}: {}, shards: {} of {} bytes\n", number(b), kind_name(buffer.kind),
                        positions(mesh, buffer.stored), buffer.type.bytes());
  }
  for (TaskId t : graph.tasks.ids()) {
    const Task& task = graph.tasks[t];
    text += fmt::format("task {}: {}", number(t), graph.program.equations[*task.equation].op->name());
    for (const Address& operand : task.operands) text += fmt::format(" ({})", text_of(operand));
    text += fmt::format(" -> buffer {}\n", number(task.results[0]));
  }
  expect_shown(text);
}

TEST(readme_of_run, shows_the_step) {
  const Plan made = plan();
  std::string text;
  for (const Step& step : made.steps().list) {
    text += fmt::format("{}\n  axes: {} outer, {} inner\n", describe(made.graph(), step),
                        std::popcount(step.outer()), std::popcount(step.inner));
    text += fmt::format("  space: {} x {} elements, tiles: {}\n  chains: {}\n", step.space.rows,
                        step.space.columns, step.space.tiles(), step.uses.chains.size());
    for (const Address& read : step.reads) text += fmt::format("  reads {}\n", text_of(read));
    for (BufferId b : step.writes) text += fmt::format("  writes buffer {}\n", number(b));
  }
  expect_shown(text);
}

TEST(readme_of_run, shows_the_placement) {
  const Plan made = plan();
  std::string text;
  for (StepId n : made.steps().list.ids()) {
    const Assignment& assigned = made.placement().of[n];
    text += fmt::format("step {}: {:.0f} ns, phase {}, {}\n", number(n), made.costs()[n].nanoseconds,
                        assigned.phase, split_name(made.graph(), assigned.split));
  }
  expect_shown(text + fmt::format("arena: {} bytes\n", made.arena().bytes));
}

std::string kind_name(const RegionInstruction& i) {
  if (const auto* fold = i.as<RegionInstruction::Fold>()) return fmt::format("fold of {} terms", fold->terms);
  return i.as<RegionInstruction::Elementwise>() ? "elementwise" : "another kind";
}

TEST(readme_of_run, shows_the_code_of_the_region) {
  const Plan made = plan();
  const RegionCode code = make_region_code(made.graph(), made.steps(), StepId{0}, {});
  auto place = [&](RefId ref) {
    std::optional<BufferId> buffer = code.base_buffers[code.refs[ref].base];
    return buffer ? fmt::format("buffer {}", number(*buffer))
                  : fmt::format("scratch + {}", code.refs[ref].offset);
  };
  std::string text;
  for (const RegionInstruction& i : code.code) {
    text += fmt::format("{} x {}: ", i.positions, kind_name(i));
    for (int k = 0; k < i.operands; ++k) text += (k > 0 ? ", " : "") + place(i.in[k]);
    text += " -> " + place(i.out) + "\n";
  }
  expect_shown(text);
}

TEST(readme_of_run, shows_the_lists_of_the_workers) {
  Plan made = plan();
  std::string text;
  for (std::size_t w = 0; w < 2; ++w) {
    text += fmt::format("worker {}\n", w);
    for (const WorkerStep& step : made.schedule().lists[0][w])
      for (const DirectCall& call : dynamic_cast<const CodeOf<DirectRegion>&>(*step.code).data.calls)
        text +=
            fmt::format("  step {}: {}, {} elements\n", number(step.of),
                        std::holds_alternative<DirectCall::Fold>(call.what) ? "fold" : "elementwise", call.n);
  }
  expect_shown(text);
}

TEST(readme_of_run, shows_the_graph_of_the_second_process_of_two) {
  const Plan made(localised(program(), mesh).program, Processes::of(mesh, 2, 1), {});
  const Graph& graph = made.graph();
  std::string text;
  for (TaskId t : graph.tasks.ids()) {
    const Task& task = graph.tasks[t];
    const auto* transfer = std::get_if<TransferWork>(&task.work);
    text += fmt::format("task {}: {}", number(t),
                        transfer ? "transfer" : graph.program.equations[*task.equation].op->name());
    for (const Address& operand : task.operands) text += fmt::format(" ({})", text_of(operand));
    text += fmt::format(" -> buffer {}\n", number(task.results[0]));
    if (!transfer) continue;
    for (const TransferWork::Part& part : transfer->sends)
      text += fmt::format("  {} bytes to process {}\n", part.bytes, part.process);
    for (const TransferWork::Part& part : transfer->receives)
      text += fmt::format("  {} bytes from process {}, to byte {}\n", part.bytes, part.process, part.offset);
    for (const TransferWork::Own& part : transfer->own)
      text += fmt::format("  {} bytes of its own, to byte {}\n", part.bytes, part.to);
  }
  for (const Step& step : made.steps().list) text += describe(graph, step) + "\n";
  expect_shown(text);
}

TEST(readme_of_run, shows_what_explain_prints) {
  Team team(2, Team::Use::always);
  std::string text = Executable(program(), mesh, team).explain();
  const std::string note = std::string(serialised_blas_note) + "\n";  // on machines with such a library
  if (std::size_t at = text.find(note); at != std::string::npos) text.erase(at, note.size());
  expect_shown(text);
}

}  // namespace
}  // namespace tutti
