// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tutti/types/block.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti {

/// The sender of each block when an array goes from one sharding to another, and each device receives the
/// elements that it lacks from one owner. Among several owners a receiver asks the one at its own position
/// along all axes that are free on both sides; along those that only `after` splits the receivers take the
/// owners in turn. Both shardings hold terms along the same axes. Dims need not divide.
class Owners {
 public:
  Owners(const Sharding& before, const Sharding& after, const Shape& shape);

  /// Elements of the device that has the most, and peers that a device receives from. On large meshes `sent`
  /// is the average of all devices.
  struct Most {
    std::int64_t received = 0, sent = 0;
    std::int64_t average_sent = 0;  // rounded up
    int peers = 0;
  };
  Most most() const;
  /// True if there are so few senders and receivers that all of them may be visited, in some ten
  /// milliseconds.
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
  std::vector<std::int64_t> sizes_;  // of a block of `before` that is not shorter
};

}  // namespace tutti
