// SPDX-License-Identifier: Apache-2.0
// Runs an all_gather of 4 ranks with one of Tutti's kernels on the GPUs of this machine; one GPU is enough.
// Without a GPU the program prints the reason and a command that shows the kernel, and exits with status 0.
#include <fmt/core.h>

#include "tutti/base/error.hpp"
#include "tutti/cli/words/program.hpp"
#include "tutti/kernels/gpu/collective.hpp"
#include "tutti/kernels/gpu/rank_arrays.hpp"

namespace {

using namespace tutti;
using namespace tutti::kernels;

constexpr int world = 4;

void gather_on(const std::vector<int>& devices) {
  const auto group = std::make_shared<Group>(devices);
  CollectiveSpec spec{.kind = CollectiveKind::all_gather, .dtype = DType::f32, .shape = {2}, .world = world};
  spec.groups = {{0, 1, 2, 3}};
  Collective gather = Collective::make(group, spec);

  RankArrays blocks(group, spec.dtype, gather.operand_shape()),
      gathered(group, spec.dtype, gather.result_shape());
  Tensors of_ranks;
  for (int rank = 0; rank < world; ++rank)
    of_ranks.emplace_back(spec.shape, std::vector<float>{10.0F * static_cast<float>(rank),
                                                         1.0F + 10.0F * static_cast<float>(rank)});
  blocks.upload(of_ranks);
  gather.launch(blocks.addresses(), gathered.addresses());
  gather.wait();

  fmt::print("{}\n", gather.description());
  const Tensors results = gathered.download();
  for (int rank = 0; rank < world; ++rank) {
    fmt::print("rank {}:", rank);
    for (float element : results[static_cast<std::size_t>(rank)].as<float>()) fmt::print(" {}", element);
    fmt::print("\n");
  }
}

int run() {
  std::vector<int> devices;
  try {
    devices = devices_for(world);
  } catch (const Error& error) {
    fmt::print("no GPU: {}\nthe kernel: tutti kernel all_gather --world {} --shape 2\n", error.message(),
               world);
    return 0;
  }
  gather_on(devices);
  return 0;
}

}  // namespace

int main() { tutti::cli::run_program("gather_on_gpus", run); }
