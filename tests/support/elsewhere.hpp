// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <utility>

#include "tutti/base/inside.hpp"
#include "tutti/devices/global_array.hpp"

namespace tutti {

/// The parts of an array on the devices of a machine. Some devices may belong to other processes.
class Elsewhere : public RemoteShards {
 public:
  /// `hidden`: devices that another process drives.
  explicit Elsewhere(Tensors parts, std::set<int> hidden = {})
      : parts_(std::move(parts)), hidden_(std::move(hidden)) {}

  bool holds(int device) const override { return !hidden_.contains(device); }
  Tensors download(std::span<const int> devices) const override {
    Tensors parts;
    for (const int device : devices) parts.push_back(parts_.at(static_cast<std::size_t>(device)));
    downloads_ += std::ssize(devices);
    return parts;
  }
  /// The number of parts that were downloaded.
  std::ptrdiff_t downloads() const { return downloads_; }

 private:
  Tensors parts_;
  std::set<int> hidden_;
  mutable std::ptrdiff_t downloads_ = 0;
};

}  // namespace tutti
