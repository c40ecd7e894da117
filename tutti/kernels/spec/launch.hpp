// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "tutti/kernels/spec/canonical.hpp"
#include "tutti/kernels/spec/constants.hpp"

namespace tutti::kernels {

/// How a block is cut in tiles, and the grid that visits them.
/// - Tile t is the elements from t * tile_elements on; the last one may be shorter. Programs p, p + grid, .. of the tiles
///   are program p's on every rank: who publishes a tile is the number of who reads it, so one row of signals covers it.
/// - Warps and tile_elements are powers of two. grid <= most_blocks. Without elements there is no tile, and grid is 0:
///   nothing is launched, on any rank.
struct Launch {
  int warps = 4;
  int unroll = 1;                  // vector accesses of a thread per tile
  std::int64_t elements = 0;       // visited_elements(): moved ones, of one block or part
  std::int64_t tile_elements = 1;  // moved ones
  int grid = 0;

  std::int64_t tiles() const { return elements == 0 ? 0 : (elements - 1) / tile_elements + 1; }
  bool operator==(const Launch&) const = default;
};

/// The elements that are cut in tiles: those of a block; in two_shot those of a rank's part of it, the last of which may
/// be shorter. Parts begin at multiples of alignment_bytes.
std::int64_t visited_elements(const CollectiveSpec& spec, const CanonicalView& view);

/// From one rank's slice of a staging to the next, in moved elements: slices begin at multiples of alignment_bytes.
std::int64_t slice_elements(const CanonicalView& view, const Launch& launch);

/// Warps: 4 up to 32 KiB, 8 up to 1 MiB, else 16, and never more threads than a block may have. A thread moves 16 bytes,
/// `unroll` times (1, 2 or 4): the most that leaves every block of the full grid a tile. A thread holds at most 16 elements
/// where rows, or the parts of two_shot, are no multiples of 16 bytes.
/// Throws T015 with the reason if the spec is not eligible.
Launch launch_of(const CollectiveSpec& spec, Target target);

/// The program that visits a tile, on every rank.
int program_of(const Launch& launch, std::int64_t tile);
/// The number of tiles of a program; 0 if its id is not below the number of tiles.
std::int64_t tiles_of(const Launch& launch, int program);

/// The elements of a tile: the one mask of publishing, loading and storing it.
struct TileRange {
  std::int64_t begin, end;
};
TileRange range_of(const Launch& launch, std::int64_t tile);

/// A tile of one rank's block.
struct Visit {
  int source;  // the place in the group
  std::int64_t tile;
  bool operator==(const Visit&) const = default;
};

/// The order in which the programs of one rank visit the tiles of all ranks. Sources rotate: the right neighbour is first,
/// the rank itself last. Only for movement; reductions read every tile in the order of the ranks.
/// - Over all programs and steps, every (source, tile) is visited once, whatever `group`.
/// - Steps of a program: world * its number of tiles.
class VisitOrder {
 public:
  /// Standard: all own tiles of one source, then those of the next.
  VisitOrder(const Launch& launch, int world, int rank) : VisitOrder(launch, world, rank, launch.elements) {}
  /// Swizzled: a group of `group` own tiles from every source, then the next group.
  /// Throws T015 unless world > rank >= 0; a group below 1 counts as 1.
  VisitOrder(const Launch& launch, int world, int rank, std::int64_t group);

  std::int64_t steps(int program) const { return world_ * tiles_of(launch_, program); }
  /// None if the program has no such step; a program without tiles leaves before anything is divided.
  std::optional<Visit> visit(int program, std::int64_t step) const;

 private:
  Launch launch_;
  int world_, rank_;
  std::int64_t group_;
};

/// The order of a spec's variant: swizzled or standard.
VisitOrder visit_order(const CollectiveSpec& spec, const Launch& launch, int rank);

}  // namespace tutti::kernels
