// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/kernel.hpp"
#include "tutti/base/inside.hpp"

namespace tutti::ops::kernel {

Coordinate along(Dim dim, std::int64_t weight) { return {Coordinate::Source::dim, dim, {}, weight}; }
Coordinate along(const Axis& axis) { return {Coordinate::Source::axis, {}, axis, 1}; }

View identity_view(const Shape& shape) {
  View view;
  for (int i = 0; i < shape.rank(); ++i) view.digits.push_back({shape[i], along(Dim{i}), along(Dim{i})});
  return view;
}

Shuffle shuffle_of(const std::vector<int>& source, const Shape& shape) {
  Shuffle shuffle{{}, identity_view(shape).digits};
  for (int device : source)
    shuffle.pieces.push_back({device < 0 ? std::vector<int>{} : std::vector<int>{device}});
  return shuffle;
}

}  // namespace tutti::ops::kernel
