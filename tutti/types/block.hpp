// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tutti/types/shape.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti {

/// A box of elements: along each dim those from `begin` up to, not including, `end`.
struct Box {
  std::vector<std::int64_t> begin, end;

  std::int64_t elements() const;
  bool operator==(const Box&) const = default;
};
/// Empty along a dim in which the boxes are disjoint.
Box intersection(const Box& a, const Box& b);

/// The part of a global array of `shape` that `device` holds. A dim of n that is split over s positions has
/// blocks of ceil(n/s), counted by the joint position along its axes, the first axis the slowest. The last
/// blocks may be shorter, or empty. Along unreduced axes the part holds terms.
Box block(int device, const Sharding& sharding, const Shape& shape);

}  // namespace tutti
