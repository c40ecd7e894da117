// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/gpu/rank_arrays.hpp"
#include "tutti/base/inside.hpp"

#include <cstring>

#include "tutti/base/require.hpp"

namespace tutti::kernels {

RankArrays::RankArrays(std::shared_ptr<Group> group, DType dtype, const Shape& shape)
    : group_(std::move(group)), dtype_(dtype), shape_(shape) {
  group_->wait();  // memory is allocated while nothing runs
  for (int rank = 0; rank < group_->world(); ++rank) {
    arrays_.push_back(allocate(group_->device(rank), static_cast<std::int64_t>(bytes())));
    addresses_.push_back(arrays_.back().get());
  }
}

RankArrays::~RankArrays() { group_->settle(); }

std::size_t RankArrays::bytes() const {
  return static_cast<std::size_t>(shape_.elements()) * bytes_per_element(dtype_);
}

std::vector<HostMemory> RankArrays::pinned() const {
  group_->wait();
  std::vector<HostMemory> memory;
  for (int rank = 0; rank < group_->world(); ++rank)
    memory.push_back(allocate_host(group_->device(rank), static_cast<std::int64_t>(bytes())));
  return memory;
}

void RankArrays::upload(std::span<const Tensor> tensors) {
  require(static_cast<int>(tensors.size()) == group_->world(), Code::argument,
          "{} tensors for {} ranks; give one to each", tensors.size(), group_->world());
  for (const Tensor& tensor : tensors)
    require(tensor.dtype() == dtype_ && tensor.shape() == shape_, Code::argument,
            "a tensor {}[{}] for arrays {}[{}]; dtype and shape must be equal", name(tensor.dtype()),
            tensor.shape(), name(dtype_), shape_);
  if (bytes() == 0) return;
  const std::vector<HostMemory> memory = pinned();
  try {
    for (std::size_t rank = 0; rank < memory.size(); ++rank) {
      std::memcpy(memory[rank].get(), tensors[rank].data(), bytes());
      const auto at = static_cast<int>(rank);
      const OnDevice current(*group_->device(at));
      group_->driver().copy_to_device(addresses_[rank], memory[rank].get(), bytes(), group_->stream(at));
    }
    group_->wait();
  } catch (...) {
    group_->settle();  // queued copies read the pinned memory
    throw;
  }
}

std::vector<Tensor> RankArrays::download() const {
  std::vector<Tensor> tensors(addresses_.size(), Tensor(shape_, dtype_));
  if (bytes() == 0) return tensors;
  const std::vector<HostMemory> memory = pinned();
  try {
    for (std::size_t rank = 0; rank < memory.size(); ++rank) {
      const auto at = static_cast<int>(rank);
      const OnDevice current(*group_->device(at));
      group_->driver().copy_to_host(memory[rank].get(), addresses_[rank], bytes(), group_->stream(at));
    }
    group_->wait();
  } catch (...) {
    group_->settle();
    throw;
  }
  for (std::size_t rank = 0; rank < memory.size(); ++rank)
    std::memcpy(tensors[rank].mutable_bytes(), memory[rank].get(), bytes());
  return tensors;
}

}  // namespace tutti::kernels
