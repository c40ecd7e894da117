// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tutti {

/// The free ranges of an arena, best fit first. Neighbours are joined. Every function takes time logarithmic
/// in the number of ranges.
class FreeBytes {
 public:
  /// Frees a range; none of its bytes may be free already.
  void give(std::int64_t offset, std::int64_t bytes);
  /// Takes `bytes` from the smallest range that is large enough; from the lowest, if several are equal. None
  /// if no range is large enough.
  std::optional<std::int64_t> take(std::int64_t bytes);
  /// Takes exactly these bytes. False if some are not free.
  bool take_at(std::int64_t offset, std::int64_t bytes);
  /// Takes all ranges of `other`.
  void absorb(FreeBytes& other);

 private:
  using Range = std::map<std::int64_t, std::int64_t>::iterator;
  void add(std::int64_t offset, std::int64_t bytes);
  void remove(Range range);

  std::map<std::int64_t, std::int64_t> bytes_at_;            // offset -> bytes
  std::set<std::pair<std::int64_t, std::int64_t>> by_size_;  // (bytes, offset)
};

}  // namespace tutti
