// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tutti/kernels/gpu/group.hpp"
#include "tutti/tensor/tensor.hpp"

namespace tutti::kernels {

/// An array of each rank of a group, on the rank's device. All have one dtype and shape.
class RankArrays {
 public:
  /// With any elements. Throws R003 if memory is short.
  RankArrays(std::shared_ptr<Group> group, DType dtype, const Shape& shape);
  ~RankArrays();  // waits for the group
  RankArrays(const RankArrays&) = delete;
  RankArrays& operator=(const RankArrays&) = delete;

  /// Copies to or from all ranks, and waits. Comes after all calls that were launched before.
  /// Throws T015 unless there is a tensor of this dtype and shape for each rank.
  void upload(std::span<const Tensor> tensors);
  std::vector<Tensor> download() const;
  /// What launch() takes. 0 for arrays without elements.
  std::span<const DeviceAddress> addresses() const { return addresses_; }

 private:
  std::size_t bytes() const;
  std::vector<HostMemory> pinned() const;

  std::shared_ptr<Group> group_;
  DType dtype_;
  Shape shape_;
  std::vector<DeviceMemory> arrays_;
  std::vector<DeviceAddress> addresses_;
};

}  // namespace tutti::kernels
