// SPDX-License-Identifier: Apache-2.0
// What goes into a call and what must come out of it, element by element, from the spec alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tutti/kernels/check/check.hpp"

namespace tutti::kernels {

/// The arrays of one call of a group. Elements are numbered row-major, as they lie in memory.
class CallData {
 public:
  CallData(const CollectiveSpec& spec, int call, Numbers numbers);

  const Shape& input_shape() const { return input_; }
  const Shape& output_shape() const { return output_; }
  std::int64_t input_bytes() const { return input_.elements() * element_bytes_; }
  std::int64_t output_bytes() const { return output_.elements() * element_bytes_; }
  int element_bytes() const { return static_cast<int>(element_bytes_); }

  /// Bytes of a rank's input, and of its output by the definition, from `offset` on, a multiple of an element.
  void fill_input(int rank, std::uint64_t offset, std::span<std::byte> to) const;
  void fill_output(int rank, std::uint64_t offset, std::span<std::byte> to) const;
  /// "element 5 of the input of rank 1", if these bytes stand there; "" if nowhere. Looks through the beginnings.
  std::string find(std::span<const std::byte> element) const;

 private:
  /// An element of some rank's input.
  struct Source {
    int rank;
    std::int64_t index;
  };
  void input(Source source, std::byte* to) const;
  /// Element `index` of a rank's output comes from here, or is the fold of these over all ranks. Rank -1: zero.
  Source source(int rank, std::int64_t index) const;
  void folded(std::int64_t index, std::byte* to) const;

  CollectiveSpec spec_;
  std::uint64_t seed_;
  Numbers numbers_;
  Shape input_, output_;
  std::int64_t element_bytes_;
};

}  // namespace tutti::kernels
