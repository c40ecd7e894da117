// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace tutti {

/// A dimension of an array, counted from 0. Front ends take ints that may count from the end; ops store Dims.
struct Dim {
  int index = 0;
  auto operator<=>(const Dim&) const = default;
};

}  // namespace tutti

namespace tutti::ops {

using Dims = std::vector<Dim>;

}  // namespace tutti::ops

namespace tutti {

/// The sizes of an array's dimensions, outermost first. Empty: a scalar.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<std::int64_t> sizes) : sizes_(sizes) {}
  explicit Shape(std::vector<std::int64_t> sizes) : sizes_(std::move(sizes)) {}

  /// The number of dims.
  int rank() const { return static_cast<int>(sizes_.size()); }
  /// The size of a dim, counted from 0. The dim is not checked.
  std::int64_t operator[](Dim dim) const { return sizes_[static_cast<std::size_t>(dim.index)]; }
  std::int64_t operator[](int dim) const { return sizes_[static_cast<std::size_t>(dim)]; }
  /// The product of the sizes; 1 for a scalar.
  std::int64_t elements() const;
  /// Throws T005 for a negative size, and for more elements than an int64 counts.
  void check() const;

  /// The shape with another size of `dim`. The dim is not checked.
  Shape with(Dim dim, std::int64_t size) const;
  /// The shape with a new dim at `dim`.
  Shape inserted(Dim dim, std::int64_t size) const;
  /// The shape without `dim`.
  Shape erased(Dim dim) const;

  auto begin() const { return sizes_.begin(); }
  auto end() const { return sizes_.end(); }
  /// The sizes as a vector, outermost first.
  const std::vector<std::int64_t>& sizes() const { return sizes_; }
  bool operator==(const Shape&) const = default;

 private:
  std::vector<std::int64_t> sizes_;
};

/// "8,4"; empty for a scalar.
std::string to_string(const Shape& shape);

}  // namespace tutti
