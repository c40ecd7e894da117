// SPDX-License-Identifier: Apache-2.0
#include "tutti/types/shape.hpp"
#include "tutti/base/inside.hpp"

#include "tutti/base/require.hpp"

namespace tutti {
namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 58;  // of 16 bytes: their bytes fit an int64

}  // namespace

std::int64_t Shape::elements() const {
  std::int64_t n = 1;
  for (std::int64_t size : sizes_) n *= size;
  return n;
}

void Shape::check() const {
  std::int64_t n = 1;
  for (std::int64_t size : sizes_) {
    if (size < 0) fail(Code::shape, "shape [{}] has a negative size; sizes are 0 or more", to_string(*this));
    if (size > 0 && n > most_elements / size)
      fail(Code::shape, "shape [{}] has more than 2^58 elements; make its sizes smaller", to_string(*this));
    n = size == 0 ? n : n * size;
  }
}

Shape Shape::with(Dim dim, std::int64_t size) const {
  Shape changed = *this;
  changed.sizes_[static_cast<std::size_t>(dim.index)] = size;
  return changed;
}

Shape Shape::inserted(Dim dim, std::int64_t size) const {
  Shape changed = *this;
  changed.sizes_.insert(changed.sizes_.begin() + dim.index, size);
  return changed;
}

Shape Shape::erased(Dim dim) const {
  Shape changed = *this;
  changed.sizes_.erase(changed.sizes_.begin() + dim.index);
  return changed;
}

std::string to_string(const Shape& shape) {
  std::string text;
  for (std::int64_t size : shape) text += (text.empty() ? "" : ",") + std::to_string(size);
  return text;
}

}  // namespace tutti
