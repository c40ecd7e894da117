// SPDX-License-Identifier: Apache-2.0
// Reads pictures back.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/types/block.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti {

/// The blocks that a picture for the terminal shows, by device. Boxes come from its labels and titles.
struct ReadText {
  std::map<int, Box> blocks;
  std::vector<int> twice;  // devices that stand in several cells
  std::vector<int> without_block;
};
/// `text`: a picture() with plain frames, in which all cells have numbers and nothing is left out.
ReadText read_text(const std::string& text, const Shape& whole);

/// A rectangle of a picture, and the texts inside of it.
struct ReadFrame {
  double left, top, width, height;
  std::vector<std::string> texts;
};
/// The frames of blocks, and the tiles of devices.
struct ReadSvg {
  std::vector<ReadFrame> frames, tiles;
};
ReadSvg read_svg(const std::string& svg);
bool overlap(const ReadFrame& a, const ReadFrame& b);

/// Says why a text is not XML; empty if it is. Knows elements, attributes and text, nothing else.
std::string fault_of_xml(std::string_view xml);

/// "0-3,8" -> 0 1 2 3 8, "0,2..6" -> 0 2 4 6.
std::vector<int> numbers_in(const std::string& list);

}  // namespace tutti
