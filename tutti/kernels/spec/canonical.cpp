// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/spec/canonical.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/kernels/spec/eligible.hpp"

namespace tutti::kernels {
namespace {

MovedElement moved_element(const CollectiveSpec& spec) {
  const int bits = 8 * static_cast<int>(bytes_per_element(spec.dtype));
  return bits <= 64 ? MovedElement{bits, 1} : MovedElement{64, bits / 64};
}

// The array in which the blocks of all ranks follow each other along `dim`.
BlockedArray blocked(const CollectiveSpec& spec, Dim dim, int parts) {
  BlockedArray array{1, spec.world, parts};
  for (int i = 0; i < spec.shape.rank(); ++i) (i < dim.index ? array.outer : array.inner) *= spec.shape[i];
  return array;
}

}  // namespace

CanonicalView view_of(const CollectiveSpec& spec) {
  const Eligibility answer = eligible(spec);
  require(bool(answer), Code::argument, "no kernel for {}: {}", spec, answer.refusal.value_or(""));
  CanonicalView view;
  view.moved = moved_element(spec);
  view.elements = spec.shape.elements() * view.moved.parts;
  const BlockedArray block{1, 1, view.elements};
  const BlockedArray blocks = has_dim(spec.kind) ? blocked(spec, spec.dim, view.moved.parts) : block;
  const bool is_cut = spec.kind == CollectiveKind::reduce_scatter || spec.kind == CollectiveKind::all_to_all;
  view.operand = is_cut ? blocks : block;
  view.result = spec.kind == CollectiveKind::reduce_scatter ? block : blocks;
  if (spec.concat) view.result = blocked(spec, *spec.concat, view.moved.parts);
  // The last tile may end behind the last element: the offsets of its spare lanes must not wrap around.
  constexpr std::int64_t most_of_i32 = (std::int64_t{1} << 31) - 2 * most_tile_elements;
  if (std::max(view.operand.elements(), view.result.elements()) >= most_of_i32)
    view.offsets = OffsetType::i64;
  return view;
}

}  // namespace tutti::kernels
