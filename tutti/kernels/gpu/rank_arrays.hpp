// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tutti/kernels/gpu/group.hpp"
#include "tutti/tensor/tensor.hpp"

namespace tutti::kernels {

/// One array per rank of a group, on the rank's device. All arrays have the same dtype and shape.
class RankArrays {
 public:
  /// Allocates the arrays without initial elements. Throws R003 if memory is short.
  RankArrays(std::shared_ptr<Group> group, DType dtype, const Shape& shape);
  ~RankArrays();  // waits for the group
  RankArrays(const RankArrays&) = delete;
  RankArrays& operator=(const RankArrays&) = delete;

  /// upload() and download() copy to or from all ranks, after all calls launched before, and wait.
  /// upload() throws T015 unless `tensors` has one tensor of this dtype and shape per rank.
  void upload(std::span<const Tensor> tensors);
  std::vector<Tensor> download() const;
  /// The addresses by rank, for Collective::launch(). 0 for arrays without elements.
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
