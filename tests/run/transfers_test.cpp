// SPDX-License-Identifier: Apache-2.0
// Messages between processes: their bytes, their order, their type.
#include <gtest/gtest.h>

#include "tests/run/harness.hpp"
#include "tests/support/many_processes.hpp"
#include "tests/support/programs.hpp"
#include "tutti/control/boundary.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/run/plan/plan.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh line({{"i", 8}});

void expect_same_bits(const Program& program, const Mesh& mesh, const ManyProcesses& processes) {
  const std::vector<Tensors> inputs = drawn_inputs(program, mesh, 3);
  EXPECT_EQ(run_on_processes(program, mesh, inputs, processes), run_on_machine(program, mesh, inputs, {}));
}

/// The transfers of a local program on one process.
std::vector<TransferWork> transfers_of(const Program& program, const Processes& processes) {
  const Graph graph = make_graph(program, processes);
  std::vector<TransferWork> found;
  for (const Task& task : graph.tasks)
    if (const auto* work = std::get_if<TransferWork>(&task.work)) found.push_back(*work);
  return found;
}
std::int64_t sent(const std::vector<TransferWork>& transfers) {
  std::int64_t bytes = 0;
  for (const TransferWork& work : transfers)
    for (const TransferWork::Part& part : work.sends) bytes += part.bytes;
  return bytes;
}

const Type eight_numbers(DType::f32, {8});  // 32 bytes
Array summed(const Array& x) { return psum(x, "i"); }

TEST(transfers, carry_only_what_the_receiver_lacks) {
  const auto on = [&](const std::function<Array(const Array&)>& body, int processes) {
    const Program program = traced_on(line, eight_numbers, body);
    return sent(transfers_of(program, Processes::of(line, processes, 1)));
  };
  EXPECT_EQ(on(summed, 2), 32);      // the sum of own terms, to one process
  EXPECT_EQ(on(summed, 4), 3 * 32);  // to three
  EXPECT_EQ(on([](const Array& x) { return all_gather(x, "i"); }, 2), 4 * 32);  // own devices' values
  EXPECT_EQ(on([](const Array& x) { return all_to_all(x, "i", {.split = 0, .concat = 0}); }, 2), 4 * 32 / 2);
  const auto scattered = [](const Array& x) { return psum_scatter(x, "i", {.dim = 0}); };
  EXPECT_EQ(on(scattered, 2), 32 / 2);  // the part of the sum of own terms that others keep
  EXPECT_EQ(on(scattered, 4), 3 * 32 / 4);
  EXPECT_EQ(on(scattered, 8), 7 * 32 / 8);
  const Pairs to_the_next{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 0}};
  EXPECT_EQ(on([&](const Array& x) { return ppermute(x, "i", to_the_next); }, 2), 32);
  EXPECT_EQ(on([](const Array& x) { return x + x; }, 2), 0);
}

// Sums that nobody needs before all of them have begun go together, small ones in one transfer, large ones in
// two. A view of a sum needs nothing yet.
TEST(transfers, are_merged_where_nothing_separates_them) {
  const std::int64_t large = Processes(line).largest_whole_fold / 4 + 4;
  const Program together = traced_on(line, Type(DType::f32, {large}), [&](const Array& x) {
    const Array first = all_reduce(x, line.axes()), second = all_reduce(x * 2.0F, line.axes()),
                small = all_reduce(reduce_sum(x), line.axes());
    const Array turned = reshape(second, {2, large / 2});
    const Array third = all_reduce(x * 3.0F, line.axes());
    return (first + reshape(turned, {large}) + third) * small;
  });
  const Program apart = traced_on(line, Type(DType::f32, {8}), [&](const Array& x) {
    const Array first = all_reduce(x, line.axes());
    return all_reduce(x * first, line.axes());
  });
  const std::vector<TransferWork> merged = transfers_of(together, Processes::of(line, 4, 1));
  ASSERT_EQ(merged.size(), 2U);
  EXPECT_EQ(merged[0].sends.size(), 3U * 4);  // to three processes: chunks of three sums, and the small one
  EXPECT_EQ(merged[1].sends.size(), 3U * 3);
  EXPECT_EQ(transfers_of(together, Processes::of(line, 2, 1)).size(), 1U);
  EXPECT_EQ(transfers_of(apart, Processes::of(line, 2, 1)).size(), 2U);
  for (int count : {2, 4, 8}) {
    expect_same_bits(together, line, {count});
    expect_same_bits(apart, line, {count});
  }
}

// Where a process has one device, what arrives is the output. Where it has several, each needs a copy.
TEST(transfers, end_in_outputs_where_these_lie_so) {
  const auto copies = [&](const std::function<Array(const Array&)>& body, int processes) {
    const Program program = traced_on(line, eight_numbers, body);
    expect_same_bits(program, line, {processes});
    const Graph graph = make_graph(program, Processes::of(line, processes, 1));
    return std::ranges::count_if(graph.tasks, [](const Task& task) {
      return std::holds_alternative<CopyWork>(task.work);
    });
  };
  const auto gathered = [](const Array& x) { return all_gather(x, "i", {.tiled = true}); };
  const auto exchanged = [](const Array& x) { return all_to_all(x, "i", {.tiled = true}); };
  const auto shifted = [](const Array& x) {
    return ppermute(x, "i", {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 0}});
  };
  const auto summed_on_each = [](const Array& x) { return pcast(psum(x, "i"), "i", varying); };
  EXPECT_EQ(copies(gathered, 8), 0);
  EXPECT_EQ(copies(exchanged, 8), 0);
  EXPECT_EQ(copies(shifted, 8), 0);
  EXPECT_EQ(copies(summed_on_each, 8), 0);
  EXPECT_EQ(copies(gathered, 2), 1);
  EXPECT_EQ(copies(summed_on_each, 2), 1);
}

TEST(transfers, carry_sums_of_halves_as_f32) {
  for (DType dtype : {DType::bf16, DType::f16}) {
    const Program program =
        traced_on(line, Type(dtype, {512}), [](const Array& x) { return all_reduce(x, line.axes()); });
    EXPECT_EQ(sent(transfers_of(program, Processes::of(line, 2, 0))), 512 * 4);
    EXPECT_EQ(sent(transfers_of(program, Processes::of(line, 8, 0))), 7 * 512 * 2);  // the terms themselves
    for (int count : {2, 4, 8}) expect_same_bits(program, line, {count});
  }
}

TEST(transfers, carry_all_terms_where_own_ones_are_no_subtree) {
  const Mesh six({{"i", 6}}), grid({{"i", 2}, {"j", 4}});
  const auto sum_over = [](const Mesh& mesh) {
    return traced_on(mesh, Type(DType::f32, {512}),
                     [&](const Array& x) { return all_reduce(x, mesh.axes()); });
  };
  EXPECT_EQ(sent(transfers_of(sum_over(six), Processes::of(six, 2, 0))), 3 * 512 * 4);
  expect_same_bits(sum_over(six), six, {2});
  expect_same_bits(sum_over(six), six, {3});
  const Processes::Split by_the_last{{"j", 2}};
  EXPECT_EQ(sent(transfers_of(sum_over(grid), Processes::of(grid, 2, 0, by_the_last))), 4 * 512 * 4);
  expect_same_bits(sum_over(grid), grid, {2, by_the_last});
  EXPECT_EQ(sent(transfers_of(sum_over(grid), Processes::of(grid, 2, 0))), 512 * 4);
}

// Each process folds a chunk and sends it to all: 2 S (p - 1) / p bytes, where S (p - 1) would go in one
// transfer.
TEST(transfers, carry_large_sums_in_chunks) {
  const auto sum_of = [](std::int64_t elements, DType dtype = DType::f32) {
    return traced_on(line, Type(dtype, {elements}),
                     [](const Array& x) { return all_reduce(x, line.axes()); });
  };
  const std::int64_t most = Processes(line).largest_whole_fold / 4;  // elements
  EXPECT_EQ(sent(transfers_of(sum_of(most), Processes::of(line, 4, 1))), 3 * 4 * most);
  EXPECT_EQ(transfers_of(sum_of(most + 4), Processes::of(line, 4, 1)).size(), 2U);
  EXPECT_EQ(sent(transfers_of(sum_of(most + 4), Processes::of(line, 4, 1))), 2 * 4 * (most + 4) * 3 / 4);
  EXPECT_EQ(sent(transfers_of(sum_of(2 * most), Processes::of(line, 2, 1))), 4 * 2 * most);  // as many in one
  for (int count : {4, 8})
    for (std::int64_t elements :
         {most + 1, most + 4, 3 * most + 5}) {  // chunks of one length, and of several
      expect_same_bits(sum_of(elements), line, {count});
      expect_same_bits(sum_of(elements, DType::bf16), line, {count});
    }
}

// The second transfer has little to do before it, and could come first.
TEST(transfers, come_in_one_order_whatever_the_workers_are) {
  const Program program = traced_on(line, Type(DType::f32, {1 << 16}), [](const Array& x) {
    Array heavy = x;
    for (int i = 0; i < 8; ++i) heavy = cumsum(tanh(heavy), 0);
    const Array later = all_reduce(heavy, line.axes()) * 2.0F;  // separates the transfers
    const Array sooner = all_reduce(slice_in_dim(x, 0, 8), line.axes());
    return later + reduce_sum(sooner);
  });
  for (int workers : {2, 3}) {
    const Plan plan(program, Processes::of(line, 2, 0), {.workers = workers, .caches = test_caches});
    std::size_t phase = 0;
    int transfers = 0;
    for (StepId n : plan.steps().list.ids()) {
      if (plan.steps().list[n].kind != Step::Kind::transfer) continue;
      const Assignment& assigned = plan.placement().of[n];
      EXPECT_EQ(assigned.split, Split(OnWorker{0}));
      EXPECT_GE(assigned.phase, phase);
      phase = assigned.phase;
      ++transfers;
    }
    EXPECT_EQ(transfers, 2);
  }
  expect_same_bits(program, line, {2, {}, {1, 2}});
}

}  // namespace
}  // namespace tutti
