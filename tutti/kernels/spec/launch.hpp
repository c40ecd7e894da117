// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "tutti/kernels/spec/canonical.hpp"
#include "tutti/kernels/spec/constants.hpp"

namespace tutti::kernels {

/// Divides a block into tiles, and the tiles among the programs of a grid.
/// - Tile t begins at element t * tile_elements; the last tile may be shorter. Program p has the tiles p, p +
///   grid, .. on every rank. A tile is therefore published and read by programs of the same number: one row
///   of signals orders both.
/// - Warps and tile_elements are powers of two. grid <= most_blocks. A block of 0 elements has no tile and a
///   grid of 0: no rank launches anything.
struct Launch {
  int warps = 4;
  int unroll = 1;                  // vector accesses of a thread per tile
  std::int64_t elements = 0;       // visited_elements(): moved elements of one block or part
  std::int64_t tile_elements = 1;  // moved elements
  int grid = 0;

  /// The number of tiles of a block; 0 for a block without elements.
  std::int64_t tiles() const { return elements == 0 ? 0 : (elements - 1) / tile_elements + 1; }
  bool operator==(const Launch&) const = default;
};

/// The number of moved elements that a rank cuts into tiles: the whole block, or in two_shot one rank's part
/// of it. Parts begin at multiples of alignment_bytes, so the last parts may be shorter.
std::int64_t visited_elements(const CollectiveSpec& spec, const CanonicalView& view);

/// The stride between a staging's slices in moved elements. Slices begin at multiples of alignment_bytes.
std::int64_t slice_elements(const CanonicalView& view, const Launch& launch);

/// Chooses the launch of a spec.
/// Warps: 4 for blocks up to 32 KiB, 8 up to 1 MiB, else 16, within most_threads. A thread moves `unroll`
/// vectors of 16 bytes per tile: the largest of 1, 2 and 4 that still gives each of most_blocks programs a
/// tile. If rows, or the parts of two_shot, are no multiples of 16 bytes, a thread holds at most 16 elements.
/// Throws T015 with the reason if the spec is not eligible.
Launch launch_of(const CollectiveSpec& spec, Target target);

/// The program that visits a tile; it is the same on every rank.
int program_of(const Launch& launch, std::int64_t tile);
/// The number of tiles of a program; 0 unless `program` is below both the grid and the number of tiles.
std::int64_t tiles_of(const Launch& launch, int program);

/// The elements of a tile. Publishing, loading and storing a tile all use this mask.
struct TileRange {
  std::int64_t begin, end;
};
/// The elements of tile `tile`.
TileRange range_of(const Launch& launch, std::int64_t tile);

/// A tile of one rank's block.
struct Visit {
  int source;  // the rank's place in the group
  std::int64_t tile;
  bool operator==(const Visit&) const = default;
};

/// The order in which the programs of one rank visit the tiles of all ranks. Sources rotate: the right
/// neighbour comes first, the rank itself last. For movement only; a reduction reads each tile in the order
/// of the ranks.
/// - Over all programs and steps, every (source, tile) is visited exactly once, for every `group`.
/// - A program takes world * tiles_of() steps.
class VisitOrder {
 public:
  /// Standard: the program's tiles of one source, then its tiles of the next source.
  VisitOrder(const Launch& launch, int world, int rank) : VisitOrder(launch, world, rank, launch.elements) {}
  /// Swizzled: `group` of the program's tiles from every source, then the next group.
  /// Throws T015 unless world > rank >= 0; a group below 1 counts as 1.
  VisitOrder(const Launch& launch, int world, int rank, std::int64_t group);

  /// The number of steps of a program.
  std::int64_t steps(int program) const { return world_ * tiles_of(launch_, program); }
  /// Returns nullopt if the program has no such step.
  std::optional<Visit> visit(int program, std::int64_t step) const;

 private:
  Launch launch_;
  int world_, rank_;
  std::int64_t group_;
};

/// The order of a spec's variant: swizzled or standard.
VisitOrder visit_order(const CollectiveSpec& spec, const Launch& launch, int rank);

}  // namespace tutti::kernels
