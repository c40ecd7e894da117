// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/code/next_tiles.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace tutti {
namespace {

using I = RegionInstruction;

// A larger tile would evict the present tile from L2.
constexpr std::int64_t most_bytes = 64 << 10;
// The last prefetch is wasted, as no tile follows the last one; with few tiles it is not worth it.
constexpr std::int64_t fewest_tiles = 16;

struct Operand {
  const RegionInstruction* instruction;
  int index;
};

/// The first dense operand in memory that is read up to the first fold of rows. Null: no operand, or no fold.
Operand first_operand(const RegionCode& code) {
  auto is_made_here = [&](RefId ref) {
    return std::ranges::any_of(code.code, [&](const RegionInstruction& i) { return i.out == ref; });
  };
  auto is_dense = [&](const RegionRef& r) {
    return r.base != scratch_base && r.column_stride == r.element_bytes &&
           r.row_stride == code.space.columns * r.element_bytes;
  };
  Operand found{nullptr, 0};
  for (const RegionInstruction& i : code.code) {
    for (int k = 0; k < i.operands && !found.instruction && !i.as<I::Fold>(); ++k)
      if (is_dense(code.refs[i.in[k]]) && !is_made_here(i.in[k])) found = {&i, k};
    if (i.folds_rows()) return found;
  }
  return {nullptr, 0};
}

}  // namespace

void fetch_next_tiles(RegionCode& code) {
  auto [reader, operand] = first_operand(code);
  const auto of_rows_alone = std::ranges::count_if(code.whole, &RegionInstruction::row_value);
  const bool does_more = std::ssize(code.whole) > of_rows_alone + 1;
  if (!reader || !does_more || code.space.tiles() < fewest_tiles) return;
  const RefId from = reader->in[operand];
  RegionRef next = code.refs[from];
  if (code.space.tile_rows * next.row_stride * reader->positions > most_bytes) return;
  next.offset += code.space.tile_rows * next.row_advance;

  RegionInstruction fetch{};
  fetch.positions = reader->positions;
  fetch.offsets = code.offsets.size();
  for (int p = 0; p < reader->positions; ++p)
    code.offsets.insert(code.offsets.end(), {0, code.offset(*reader, p, 1 + operand)});
  const std::size_t axes = code.unit_sizes.size();
  for (std::size_t a = 0; a < axes; ++a)
    code.unit_strides.push_back(code.unit_strides[static_cast<std::size_t>(from) * axes + a]);
  fetch.out = fetch.in[0] = code.refs.add(next);  // a fetch has no result

  std::vector<RegionInstruction> whole;
  for (const RegionInstruction& i : code.whole) {
    fetch.what = I::Fetch{static_cast<int>(whole.size()) / 2, static_cast<int>(code.whole.size())};
    whole.push_back(fetch);
    whole.push_back(i);
  }
  code.whole = std::move(whole);
}

}  // namespace tutti
