// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tutti/types/block.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti {

/// Says which device sends each block when an array changes its sharding. Each device receives every element
/// that it lacks from exactly one owner. If an element has several owners, the receiver picks one by axis:
/// along an axis that neither sharding splits, the owner at its own position; along an axis that only `after`
/// splits, receivers take the owners in turn. Both shardings hold terms along the same axes. Dims need not
/// divide.
class Owners {
 public:
  Owners(const Sharding& before, const Sharding& after, const Shape& shape);

  /// The most elements that a device receives, and that one sends; the most peers that a device receives
  /// from. On large meshes `sent` is the average of all devices.
  struct Most {
    std::int64_t received = 0, sent = 0;
    std::int64_t average_sent = 0;  // rounded up
    int peers = 0;
  };
  Most most() const;
  /// True if visiting all senders and receivers takes no longer than about ten milliseconds.
  bool are_few(int peers) const;

  /// `found(owner, elements)` for each owner that `device` receives from.
  using Found = std::function<void(int owner, std::int64_t elements)>;
  void ask(int device, const Found& found) const;

 private:
  int owners_of(const Box& want) const;
  std::int64_t most_sent() const;
  void visit(int device, const Box& want, std::size_t dim, int at, std::int64_t elements,
             const Found& found) const;
  bool holds(int device, int owner) const;
  int moved(int device, const Axes& axes, std::int64_t position) const;

  const Mesh& mesh_;
  const Sharding &before_, &after_;
  const Shape& shape_;
  Axes lost_, gained_;
  std::vector<std::int64_t> sizes_;  // per dim: elements of a full block of `before`
};

}  // namespace tutti
