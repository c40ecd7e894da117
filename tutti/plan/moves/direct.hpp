// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tutti/plan/request/links.hpp"
#include "tutti/types/block.hpp"

namespace tutti {

/// One exchange of boxes from `before` to `after`, which hold terms along the same axes: each device receives
/// the elements that it lacks, each from one owner. Elements, of the device that has the most; and peers that
/// it receives from. On large meshes `sent` is the average of all devices. Dims need not divide.
struct DirectTraffic {
  std::int64_t received = 0, sent = 0;
  int peers = 0;
  std::optional<double> cost;  // of what a device receives, by pairs of devices; none on large meshes
};
DirectTraffic direct_traffic(const Sharding& before, const Sharding& after, const Shape& shape,
                             const PairCosts& costs);

}  // namespace tutti
