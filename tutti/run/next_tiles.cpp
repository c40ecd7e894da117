// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/next_tiles.hpp"

#include <algorithm>
#include <vector>

namespace tutti {
namespace {

// More would drive out of the second cache what this tile is made of.
constexpr std::int64_t most_bytes = 64 << 10;

}  // namespace

void fetch_next_tiles(RegionCode& code) {
  auto ref = [&](int r) -> const RegionRef& { return code.refs[static_cast<std::size_t>(r)]; };
  auto lies_in_memory = [&](const RegionInstruction& i) { return i.folds_rows() && ref(i.in[0]).base != 0; };
  auto fold = std::ranges::find_if(code.whole, lies_in_memory);
  if (fold == code.whole.end() || code.whole.size() == 1) return;
  RegionRef next = ref(fold->in[0]);
  bool is_dense =
      next.column_stride == next.element_bytes && next.row_stride == code.space.columns * next.element_bytes;
  if (!is_dense || code.space.tile_rows * next.row_stride * fold->positions > most_bytes) return;
  next.offset += code.space.tile_rows * next.row_advance;

  RegionInstruction fetch{};
  fetch.kind = RegionInstruction::Kind::fetch;
  fetch.out = fetch.in[0] = static_cast<int>(code.refs.size());
  fetch.terms = static_cast<int>(code.whole.size());
  fetch.positions = fold->positions;
  fetch.offsets = static_cast<int>(code.offsets.size());
  for (int p = 0; p < fold->positions; ++p) {
    const std::int64_t of_operand = fold->offsets + std::int64_t{p} * (1 + fold->operands) + 1;
    code.offsets.insert(code.offsets.end(), {0, code.offsets[static_cast<std::size_t>(of_operand)]});
  }
  const std::size_t axes = code.unit_sizes.size(), strides = static_cast<std::size_t>(fold->in[0]) * axes;
  for (std::size_t a = 0; a < axes; ++a) code.unit_strides.push_back(code.unit_strides[strides + a]);
  code.refs.push_back(next);

  std::vector<RegionInstruction> whole;
  for (const RegionInstruction& i : code.whole) {
    whole.push_back(fetch);
    whole.push_back(i);
    ++fetch.which;
  }
  code.whole = std::move(whole);
}

}  // namespace tutti
