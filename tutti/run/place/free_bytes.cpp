// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/place/free_bytes.hpp"

#include <iterator>

namespace tutti {

void FreeBytes::add(std::int64_t offset, std::int64_t bytes) {
  if (bytes == 0) return;
  bytes_at_[offset] = bytes;
  by_size_.insert({bytes, offset});
}

void FreeBytes::remove(Range range) {
  by_size_.erase({range->second, range->first});
  bytes_at_.erase(range);
}

void FreeBytes::give(std::int64_t offset, std::int64_t bytes) {
  Range after = bytes_at_.lower_bound(offset);
  if (after != bytes_at_.begin())
    if (Range before = std::prev(after); before->first + before->second == offset) {
      offset = before->first;
      bytes += before->second;
      remove(before);
    }
  if (after != bytes_at_.end() && offset + bytes == after->first) {
    bytes += after->second;
    remove(after);
  }
  add(offset, bytes);
}

std::optional<std::int64_t> FreeBytes::take(std::int64_t bytes) {
  auto found = by_size_.lower_bound({bytes, 0});
  if (found == by_size_.end()) return std::nullopt;
  auto [size, offset] = *found;
  remove(bytes_at_.find(offset));
  add(offset + bytes, size - bytes);
  return offset;
}

bool FreeBytes::take_at(std::int64_t offset, std::int64_t bytes) {
  Range range = bytes_at_.upper_bound(offset);
  if (range == bytes_at_.begin()) return false;
  --range;
  auto [begin, size] = *range;
  if (begin + size < offset + bytes) return false;
  remove(range);
  add(begin, offset - begin);
  add(offset + bytes, begin + size - offset - bytes);
  return true;
}

void FreeBytes::absorb(FreeBytes& other) {
  for (auto [offset, bytes] : other.bytes_at_) give(offset, bytes);
  other = {};
}

}  // namespace tutti
