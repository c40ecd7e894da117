// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/gpu/block_copy.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

namespace tutti::kernels {
namespace {

constexpr std::int64_t most_pitch =
    (std::int64_t{1} << 31) - 1;  // CU_DEVICE_ATTRIBUTE_MAX_PITCH of all GPUs so far

std::size_t size(std::int64_t bytes) { return static_cast<std::size_t>(bytes); }

/// Rows of `width` bytes. A pitch is the distance from one row to the next, in bytes.
struct Rows {
  DeviceAddress source, target;
  std::int64_t source_pitch, target_pitch, width, rows;
};

void queue_run(const Group& group, int from, int to, DeviceAddress source, DeviceAddress target,
               std::int64_t bytes) {
  const Device &sender = *group.device(from), &receiver = *group.device(to);
  if (&sender == &receiver) return group.driver().copy(target, source, size(bytes), group.stream(to));
  group.driver().copy_peer(target, receiver.context(), source, sender.context(), size(bytes),
                           group.stream(to));
}

void queue_rows(const Group& group, int from, int to, const Rows& rows) {
  const bool is_one_run =
      rows.rows == 1 || (rows.source_pitch == rows.width && rows.target_pitch == rows.width);
  if (is_one_run) return queue_run(group, from, to, rows.source, rows.target, rows.width * rows.rows);
  if (std::max(rows.source_pitch, rows.target_pitch) > most_pitch) {
    for (std::int64_t i = 0; i < rows.rows; ++i)
      queue_run(group, from, to, rows.source + size(i * rows.source_pitch),
                rows.target + size(i * rows.target_pitch), rows.width);
    return;
  }
  const auto fill = [&](auto& copy) {
    copy.source = rows.source;
    copy.target = rows.target;
    copy.source_pitch = size(rows.source_pitch);
    copy.target_pitch = size(rows.target_pitch);
    copy.width_bytes = size(rows.width);
    copy.rows = size(rows.rows);
  };
  const Device &sender = *group.device(from), &receiver = *group.device(to);
  if (&sender == &receiver) {
    Copy2D copy;
    fill(copy);
    return group.driver().copy_rows(&copy, group.stream(to));
  }
  CopyPeer copy;
  fill(copy);
  copy.source_context = sender.context();
  copy.target_context = receiver.context();
  copy.source_height = copy.target_height = copy.rows;
  group.driver().copy_rows_peer(&copy, group.stream(to));
}

}  // namespace

// Copies rows of the shorter inner size, which are contiguous on both sides. Inner sizes are products of the
// block's last dims, so the shorter divides the longer. On the side of the longer, rows follow each other
// without a gap.
void queue_copy(const Group& group, const BlockPlace& source, const BlockPlace& target) {
  const BlockedArray &a = source.layout, &b = target.layout;
  const std::int64_t bytes = a.outer * a.inner, shorter = std::min(a.inner, b.inner);
  if (bytes == 0) return;
  const bool are_equal = a.inner == b.inner;
  const std::int64_t chunk = are_equal ? bytes : std::max(a.inner, b.inner);
  const auto pitch = [&](const BlockedArray& array) {
    return array.inner == shorter ? array.inner * array.blocks : shorter;
  };
  const OnDevice current(*group.device(target.rank));
  for (std::int64_t at = 0; at < bytes; at += chunk) {
    const Rows rows{source.array + size(a.offset(at, source.block)),
                    target.array + size(b.offset(at, target.block)),
                    pitch(a),
                    pitch(b),
                    shorter,
                    chunk / shorter};
    if (rows.source == rows.target && rows.source_pitch == rows.target_pitch) continue;
    queue_rows(group, source.rank, target.rank, rows);
  }
}

}  // namespace tutti::kernels
