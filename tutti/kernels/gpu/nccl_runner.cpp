// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"
#include "tutti/kernels/gpu/block_copy.hpp"
#include "tutti/kernels/gpu/call_arrays.hpp"
#include "tutti/kernels/gpu/nccl.hpp"
#include "tutti/kernels/gpu/runner.hpp"

namespace tutti::kernels {
namespace {

using Addresses = std::span<const DeviceAddress>;

NcclReduction reduction_of(const CollectiveSpec& spec) {
  const std::optional<NcclReduction> reduction = nccl_reduction(spec.dtype, *spec.reduction);
  require(reduction.has_value(), Code::argument, "NCCL has no {} of {}; convert to another dtype first",
          ops::name(*spec.reduction), tutti::name(spec.dtype));
  return *reduction;
}

void require_own_devices(const Group& group) {
  for (const std::vector<int>& ranks : group.ranks_by_device())
    require(ranks.size() == 1, Code::device,
            "NCCL needs a device for each rank, and ranks {} and {} share device {}; name other devices",
            ranks[0], ranks.back(), group.device(ranks[0])->ordinal());
}

class NcclRunner final : public Runner {
 public:
  NcclRunner(Group& group, const CollectiveSpec& spec, const std::string& library)
      : group_(group), spec_(spec), reduction_(reduction_of(spec)), operand_(operand_bytes(spec)) {
    require_own_devices(group);
    nccl_.emplace(library);
    std::vector<int> devices;
    for (int rank = 0; rank < spec.world; ++rank) devices.push_back(group.device(rank)->ordinal());
    communicators_.resize(devices.size());
    group.wait();  // NCCL allocates memory
    if (needs_packing())
      for (int rank = 0; rank < spec.world; ++rank)
        packed_.push_back(allocate(group.device(rank), operand_.elements()));
    nccl_->init_all(communicators_.data(), spec.world, devices.data());
  }
  ~NcclRunner() override {
    for (int rank = 0; rank < spec_.world; ++rank)
      if (!group_.device(rank)->is_abandoned())
        nccl_->destroy.result(communicators_[static_cast<std::size_t>(rank)]);
  }

  void launch(Addresses inputs, Addresses outputs) override {
    std::vector<DeviceAddress> packed;
    if (needs_packing()) {
      packed = packed_slices(inputs);
      inputs = packed;
    }
    try {
      nccl_->group_start();
      for (int rank = 0; rank < spec_.world; ++rank) queue(rank, inputs, outputs);
      nccl_->group_end();
    } catch (const Error& error) {  // some ranks may wait for others
      nccl_->group_end.result();
      group_.set_broken(error.what());
      throw;
    }
  }

 private:
  /// True if operands must be packed first: NCCL scatters contiguous blocks, and outer dims split a block.
  bool needs_packing() const { return spec_.kind == CollectiveKind::reduce_scatter && operand_.outer > 1; }

  std::vector<DeviceAddress> packed_slices(Addresses inputs) const {
    std::vector<DeviceAddress> packed;
    const BlockedArray one_after_other{1, spec_.world, operand_.outer * operand_.inner};
    for (int rank = 0; rank < spec_.world; ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      packed.push_back(packed_[at].get());
      for (int slice = 0; slice < spec_.world; ++slice)
        queue_copy(group_, {rank, inputs[at], operand_, slice}, {rank, packed[at], one_after_other, slice});
    }
    return packed;
  }

  void queue(int rank, Addresses inputs, Addresses outputs) const {
    const auto at = static_cast<std::size_t>(rank);
    const auto* input =
        reinterpret_cast<const void*>(inputs[at]);        // NOLINT: addresses of devices are numbers here
    auto* output = reinterpret_cast<void*>(outputs[at]);  // NOLINT: the same
    const auto count = static_cast<std::size_t>(spec_.shape.elements() * reduction_.parts);
    const OnDevice current(*group_.device(rank));
    const auto& reduce = spec_.kind == CollectiveKind::all_reduce ? nccl_->all_reduce : nccl_->reduce_scatter;
    reduce(input, output, count, reduction_.dtype, reduction_.op, communicators_[at], group_.stream(rank));
  }

  Group& group_;
  CollectiveSpec spec_;
  NcclReduction reduction_;
  BlockedArray operand_;
  std::optional<Nccl> nccl_;
  std::vector<Communicator> communicators_;
  std::vector<DeviceMemory> packed_;
};

}  // namespace

std::unique_ptr<Runner> nccl_runner(Group& group, const CollectiveSpec& spec, const std::string& library) {
  return std::make_unique<NcclRunner>(group, spec, library);
}

}  // namespace tutti::kernels
