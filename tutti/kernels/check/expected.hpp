// SPDX-License-Identifier: Apache-2.0
// The inputs and the expected outputs of a call, element by element, from the spec alone.
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

  /// fill_input() and fill_output() fill `to` with a rank's input, or its output by the definition, from byte
  /// `offset` on, a multiple of the element size.
  void fill_input(int rank, std::uint64_t offset, std::span<std::byte> to) const;
  void fill_output(int rank, std::uint64_t offset, std::span<std::byte> to) const;
  /// Finds an input element with these bytes: "element 5 of the input of rank 1"; "" if there is none.
  /// Searches the first 4096 elements of each rank.
  std::string find(std::span<const std::byte> element) const;

 private:
  /// An element of some rank's input.
  struct Source {
    int rank;
    std::int64_t index;
  };
  void input(Source source, std::byte* to) const;
  /// The input element that becomes element `index` of a rank's output. A reduction folds this index over all
  /// ranks. Rank -1: the output element is zero.
  Source source(int rank, std::int64_t index) const;
  void folded(std::int64_t index, std::byte* to) const;

  CollectiveSpec spec_;
  std::uint64_t seed_;
  Numbers numbers_;
  Shape input_, output_;
  std::int64_t element_bytes_;
};

}  // namespace tutti::kernels
