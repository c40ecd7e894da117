// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"
#include "tutti/kernels/gpu/block_copy.hpp"
#include "tutti/kernels/gpu/call_arrays.hpp"
#include "tutti/kernels/gpu/runner.hpp"
#include "tutti/kernels/spec/eligible.hpp"

namespace tutti::kernels {
namespace {

using Addresses = std::span<const DeviceAddress>;

/// Moves data by driver copies. Each rank copies the blocks that it receives, on its own stream.
/// All streams meet before the first copy and after the last. So copies read an operand after its owner wrote
/// it, and before its owner writes it again.
class CopyRunner final : public Runner {
 public:
  CopyRunner(Group& group, const CollectiveSpec& spec)
      : group_(group), spec_(spec), operand_(operand_bytes(spec)), result_(result_bytes(spec)) {}

  void launch(Addresses inputs, Addresses outputs) override {
    const bool is_in_place =
        spec_.kind == CollectiveKind::ppermute && std::ranges::any_of(inputs, [&](DeviceAddress input) {
          return std::ranges::find(outputs, input) != outputs.end();
        });
    const Addresses sources = is_in_place ? copied_aside(inputs) : inputs;
    try {
      group_.meet();
      for (int target = 0; target < spec_.world; ++target) receive(target, sources, outputs);
      group_.meet();
    } catch (const Error& error) {  // some ranks wait for copies that are not queued
      group_.set_broken(error.what());
      throw;
    }
  }

 private:
  void receive(int target, Addresses inputs, Addresses outputs) {
    if (spec_.kind == CollectiveKind::ppermute) return receive_from_pair(target, inputs, outputs);
    for (int n = 1; n <= spec_.world;
         ++n) {  // from the right neighbour on: the ranks read different devices at once
      const int source = (target + n) % spec_.world;
      const int slice = spec_.kind == CollectiveKind::all_to_all ? target : 0;
      queue_copy(group_, {source, inputs[static_cast<std::size_t>(source)], operand_, slice},
                 {target, outputs[static_cast<std::size_t>(target)], result_, source});
    }
  }

  void receive_from_pair(int target, Addresses inputs, Addresses outputs) {
    const DeviceAddress output = outputs[static_cast<std::size_t>(target)];
    const auto pair = std::ranges::find(spec_.pairs, target, &std::pair<int, int>::second);
    if (pair == spec_.pairs.end()) {
      const OnDevice current(*group_.device(target));
      return group_.driver().fill_bytes(output, 0, static_cast<std::size_t>(result_.elements()),
                                        group_.stream(target));
    }
    const int source = pair->first;
    queue_copy(group_, {source, inputs[static_cast<std::size_t>(source)], operand_, 0},
               {target, output, result_, 0});
  }

  /// Copies the operands to buffers that no output overwrites.
  Addresses copied_aside(Addresses inputs) {
    if (aside_.empty()) {
      group_.wait();  // memory is allocated while nothing runs
      std::vector<DeviceMemory> aside;
      for (int rank = 0; rank < spec_.world; ++rank)
        aside.push_back(allocate(group_.device(rank), operand_.elements()));
      aside_ = std::move(aside);
      for (const DeviceMemory& memory : aside_) addresses_.push_back(memory.get());
    }
    for (int rank = 0; rank < spec_.world; ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      queue_copy(group_, {rank, inputs[at], operand_, 0}, {rank, addresses_[at], operand_, 0});
    }
    return addresses_;
  }

  Group& group_;
  CollectiveSpec spec_;
  BlockedArray operand_, result_;
  std::vector<DeviceMemory> aside_;
  std::vector<DeviceAddress> addresses_;  // of aside_
};

}  // namespace

std::unique_ptr<Runner> copy_runner(Group& group, const CollectiveSpec& spec) {
  ensure(!is_reduction(spec.kind), "{}: copies reduce nothing", name(spec.kind));
  return std::make_unique<CopyRunner>(group, spec);
}

}  // namespace tutti::kernels
