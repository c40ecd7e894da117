// SPDX-License-Identifier: Apache-2.0
// Times collective kernels on the GPUs of this machine: 8 ranks on one GPU, then a rank on each GPU if there
// are several.
//   bench_kernels [DRIVER [NCCL]]    the libraries; by default libcuda.so.1 and libnccl.so.2
// GB/s counts the bytes that all ranks read and write, publishing included. "of copy" compares with a driver
// copy that moves the same number of bytes on one GPU, "of memory" with the peak of the GPU's memory at its
// clock.
// Without a GPU it prints one line that says so, and ends with status 0.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "tutti/base/counted.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/cli/words/program.hpp"
#include "tutti/kernels/gpu/collective.hpp"
#include "tutti/kernels/gpu/rank_arrays.hpp"
#include "tutti/kernels/spec/eligible.hpp"

namespace tutti::kernels {
namespace {

constexpr int ranks_on_one_gpu = 8;
constexpr std::int64_t sizes[] = {64 << 10, 1 << 20, 16 << 20};  // bytes of a rank's operand
constexpr int rounds = 5;
constexpr double seconds_of_round = 0.05;

struct Libraries {
  std::string driver = std::string(default_driver), nccl = std::string(default_nccl);
};

struct Timing {
  double us = 0, gb_per_s = 0;
};

/// The best time per call of several rounds, each of many calls.
Timing timed(Collective& collective, const RankArrays& inputs, const RankArrays& outputs) {
  const auto seconds_of = [&](int calls) {
    const auto start = std::chrono::steady_clock::now();
    for (int call = 0; call < calls; ++call) collective.launch(inputs.addresses(), outputs.addresses());
    collective.wait();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  seconds_of(1);  // warms up: memory grows, code is loaded
  const double first = std::max(seconds_of(3) / 3, 1e-6);
  const int calls = static_cast<int>(std::clamp(seconds_of_round / first, 3.0, 5000.0));
  double best = first;
  for (int round = 0; round < rounds; ++round) best = std::min(best, seconds_of(calls) / calls);
  return {best * 1e6, static_cast<double>(collective.bytes_per_call()) / best / 1e9};
}

Timing timed(const std::shared_ptr<Group>& group, const CollectiveSpec& spec,
             const CollectiveOptions& options) {
  Collective collective = Collective::make(group, spec, options);
  const RankArrays inputs(group, spec.dtype, collective.operand_shape());
  const RankArrays outputs(group, spec.dtype, collective.result_shape());
  return timed(collective, inputs, outputs);
}

CollectiveSpec spec_of(CollectiveKind kind, int world, std::int64_t bytes) {
  CollectiveSpec spec{.kind = kind, .dtype = DType::f32, .world = world};
  const bool is_cut = kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::all_to_all;
  spec.shape = {bytes / 4 / (is_cut ? world : 1)};
  spec.groups.emplace_back();
  for (int rank = 0; rank < world; ++rank) {
    spec.groups[0].push_back(rank);
    if (kind == CollectiveKind::ppermute) spec.pairs.emplace_back(rank, (rank + 1) % world);
  }
  if (is_reduction(kind)) spec.reduction = ReduceKind::sum;
  spec.variant = variants_of(kind).front();
  return spec;
}

/// Times a driver copy that reads `bytes` / 2 and writes `bytes` / 2: an all_gather of one rank, by the
/// library.
Timing timed_copy(const Libraries& libraries, std::int64_t bytes) {
  const auto alone = std::make_shared<Group>(std::vector<int>{0}, GroupOptions{.driver = libraries.driver});
  return timed(alone, spec_of(CollectiveKind::all_gather, 1, bytes / 2), {.backend = Backend::library});
}

/// The peak of a device's memory, from clock and bus width. Memory moves data twice per cycle.
double memory_gb_per_s(const Device& device) {
  const double khz = device.attribute(device_attribute::memory_clock_khz);
  return 2 * khz * 1e3 * device.attribute(device_attribute::memory_bus_bits) / 8 / 1e9;
}

class Table {
 public:
  Table(std::shared_ptr<Group> group, const Libraries& libraries)
      : group_(std::move(group)), libraries_(libraries), limit_(memory_gb_per_s(*group_->device(0))) {}

  void print(std::int64_t bytes) {
    fmt::print("\n{} a rank{:<19}{:>10}{:>10}{:>10}{:>11}\n", in_bytes(bytes), "", "us", "GB/s", "of copy",
               "of memory");
    for (CollectiveKind kind : all_collectives()) {
      const CollectiveSpec spec = spec_of(kind, group_->world(), bytes);
      for (Variant variant : variants_of(kind)) {
        CollectiveSpec wanted = spec;
        wanted.variant = variant;
        if (eligible(wanted)) row(name(variant), wanted, {.sharing = SharedDevice::concurrent});
      }
      if (is_reduction(kind) && group_->shares_devices()) continue;  // NCCL needs one GPU per rank
      row(is_reduction(kind) ? "NCCL" : "copies", spec,
          {.backend = Backend::library, .nccl = libraries_.nccl});
    }
  }

 private:
  void row(std::string_view how, const CollectiveSpec& spec, const CollectiveOptions& options) {
    const std::string title = fmt::format("{} {}", name(spec.kind), how);
    try {
      Collective collective = Collective::make(group_, spec, options);
      const RankArrays inputs(group_, spec.dtype, collective.operand_shape());
      const RankArrays outputs(group_, spec.dtype, collective.result_shape());
      const Timing ours = timed(collective, inputs, outputs);
      const Timing copy = copy_of(collective.bytes_per_call());
      const bool is_other = collective.manifest() && collective.manifest()->spec.variant != spec.variant;
      fmt::print("{:<30}{:>10.1f}{:>10.1f}{:>9.0f}%{:>10.0f}%{}\n", title, ours.us, ours.gb_per_s,
                 100 * ours.gb_per_s / copy.gb_per_s, 100 * ours.gb_per_s / limit_,
                 is_other ? "  " + collective.description() : "");
    } catch (const Error& error) {
      fmt::print("{:<30}  none: {}\n", title, error.message());
      group_->require_whole();  // a group that is broken has no other rows
    }
  }

  const Timing& copy_of(std::int64_t bytes) {
    auto [found, is_new] = copies_.try_emplace(bytes);
    if (is_new) found->second = timed_copy(libraries_, bytes);
    return found->second;
  }

  std::shared_ptr<Group> group_;
  Libraries libraries_;
  double limit_;
  std::map<std::int64_t, Timing> copies_;
};

void print_tables(const std::vector<int>& devices, const Libraries& libraries) {
  const auto group = std::make_shared<Group>(devices, GroupOptions{.driver = libraries.driver});
  fmt::print("\n{} on {}, each {}; its memory does {:.0f} GB/s\n", counted(group->world(), "rank"),
             counted(static_cast<std::int64_t>(group->ranks_by_device().size()), "GPU"),
             group->device(0)->name(), memory_gb_per_s(*group->device(0)));
  Table table(group, libraries);
  for (std::int64_t bytes : sizes) table.print(bytes);
}

int run(const Libraries& libraries) {
  int gpus = 0;
  try {
    devices_for(1, libraries.driver);
    gpus = count_of_devices(*Driver::open(libraries.driver));
  } catch (const Error& error) {
    fmt::print("no GPU: {}\n", error.message());
    return 0;
  }
  print_tables(std::vector<int>(ranks_on_one_gpu, 0), libraries);
  if (gpus > 1) print_tables(devices_for(std::min(gpus, ranks_on_one_gpu), libraries.driver), libraries);
  return 0;
}

}  // namespace
}  // namespace tutti::kernels

int main(int argc, char** argv) {
  tutti::kernels::Libraries libraries;
  if (argc > 1) libraries.driver = argv[1];
  if (argc > 2) libraries.nccl = argv[2];
  tutti::cli::run_program("bench_kernels", [&] { return tutti::kernels::run(libraries); });
}
