// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/ir/array.hpp"
#include "tutti/tree/specs.hpp"

namespace tutti {

/// How picture() draws. `docs/see_it.md` shows both kinds of frames.
struct PictureOptions {
  int line_length = 80;         // characters; at least 40
  int most_rows = 16;           // rows of blocks; of more the middle ones are left out; at least 2
  bool box_characters = false;  // frames of Unicode's box characters instead of + - |
};

/// How an array lies on its mesh, as text: a box per block, in it the numbers of the devices that hold it.
/// Arrays of any rank: two dims are drawn, at most 8 panels stand for the others. Terms of a sum are joined
/// by +. A box with many devices has their count, and its row and column have their coordinates. An array on
/// the host is one box. Reads no elements.
/// Throws T011 for an array that is traced or has no data, T015 for a line_length below 40 or most_rows below
/// 2.
std::string picture(const Array& array, const PictureOptions& options = {}, Where where = Where::here());
/// The same before there is data: how an array of this shape would lie on `mesh` under `spec`. Dims need not
/// divide. Throws T001, T005 and T013 as Machine::place does.
std::string picture(const Shape& shape, const Mesh& mesh, const P& spec, const PictureOptions& options = {},
                    Where where = Where::here());

/// How an array lies on its mesh, as an SVG picture: a frame per block, in it a tile per device that holds
/// it. At most 16 panels stand for dims beyond two. Above 256 devices, and above 30 blocks along a dim, a
/// frame has its devices as text instead, and the middle ones of many frames are left out. Reads no elements.
/// Throws T011 for an array that is traced or has no data.
std::string picture_svg(const Array& array, Where where = Where::here());
std::string picture_svg(const Shape& shape, const Mesh& mesh, const P& spec, Where where = Where::here());

}  // namespace tutti
