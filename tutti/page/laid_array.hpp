// SPDX-License-Identifier: Apache-2.0
// An array and the devices that hold its blocks, as text for pictures.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/page/block_grid.hpp"

namespace tutti::internal {

/// An array that a picture shows.
struct LaidArray {
  std::string type;  // "f32[8,6]", or "[8,6]" before there is data
  Shape whole;
  std::optional<Sharding> sharding;  // none: whole on the host
};
/// The sharding of `array`. An array on the host gets a mesh of one device.
Sharding sharding_or_host(const LaidArray& array);

/// How cells name the devices that hold a block.
enum class Naming {
  numbers,  // "0-3", "0,4", and "0+1" for terms of a sum
  classes,  // "256 devices"; labels of rows and columns then say which: "x=3"
};
/// Numbers, unless a cell would have more than `most_letters` characters.
Naming naming_for(const LaidArray& array, const BlockGrid& grid, std::size_t most_letters);

/// The devices at these positions, as one cell.
std::string cell_text(const LaidArray& array, const std::vector<int>& positions, Naming naming);
/// The range of elements in one part of a dim: "0:2". With Naming::classes it begins with the coordinate of
/// the devices that hold the part: "x=0 0:2".
std::string label(const LaidArray& array, const BlockGrid& grid, int dim, std::size_t part, Naming naming);
/// The range of elements per dim that is not shown: "dim 0: 0:2, dim 3: 4:8". Empty if all dims are shown.
std::string panel_title(const LaidArray& array, const BlockGrid& grid, const ShownDims& shown,
                        const Panel& panel, Naming naming);

/// "f32[8,6] on x=4,y=2: P(x, y)".
std::string heading(const LaidArray& array);
/// Sentences that stand below the picture: which dims it shows, terms of sums, devices without a block.
std::vector<std::string> notes(const LaidArray& array, const BlockGrid& grid, const ShownDims& shown,
                               Naming naming);

/// "and 3 more panels".
std::string more_panels(std::size_t n);
/// The indices of up to `most` of n things: all of them, or the first and the last ones, with a nullopt
/// between them in place of the others.
std::vector<std::optional<std::size_t>> shown_of(std::size_t n, std::size_t most);

/// Numbers as text, with ranges for sequences: "0-3,8" or "0,2..14".
std::string number_list(const std::vector<int>& numbers);
/// `text` with a question mark in place of each control character and each byte that is not UTF-8.
std::string shown_text(std::string_view text);

}  // namespace tutti::internal
