// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tutti/base/inside.hpp"

namespace tutti::kernels {

/// The purpose of an allocation.
enum class MemoryRole : std::uint8_t { input, output, staging, inbox, pad, table, error };

/// The last accesses of a granule: bytes that are always accessed together.
struct Shadow {
  std::uint32_t write_epoch = 0;
  std::uint16_t writer = 0;  // an agent
  std::uint8_t has_value = 0;
  std::uint8_t was_atomic = 0;
  std::uint32_t write_site = 0;
  std::uint32_t readers = 0;  // since the last write: a list in Races; 0: none
};

inline constexpr int page_bits = 10;
inline constexpr std::uint64_t page_bytes = std::uint64_t{1} << page_bits;

struct Page {
  std::uint32_t allocation = 0;
  std::uint32_t watchers = 0;                   // watched addresses of parked programs
  std::uint64_t begin = 0;                      // offset in the allocation
  std::array<std::byte, page_bytes + 8> bytes;  // a load of 8 bytes may begin at the last one
  std::unique_ptr<Shadow[]> shadows;            // null for read-only allocations
  /// Per 4 bytes, the number of the atomic word, or 0. Null until the page has an atomic word.
  std::unique_ptr<std::uint32_t[]> words;
  bool is_touched = false;  // since the last reset
};

/// Fills `to` with the initial bytes of an allocation from `offset` on. An empty Filler: the bytes have no
/// value.
using Filler = std::function<void(std::uint64_t offset, std::span<std::byte> to)>;

struct Allocation {
  MemoryRole role = MemoryRole::input;
  int rank = 0;
  std::string name;  // "input of rank 1"
  std::uint64_t bytes = 0;
  int granule = 4;  // bytes of a shadow; a power of two
  Filler filler = {};
  /// Names a place for messages: "row 1, slot 0 of rank 2". Empty: messages have only the offset.
  std::function<std::string(std::uint64_t offset)> place = {};

  bool is_read_only() const { return role == MemoryRole::input || role == MemoryRole::table; }
};

/// The memory of all ranks: every rank may access every allocation. Pages are made on demand.
/// - Each allocation has its own range of 2^48 addresses and begins inside it. The rest of the range is
///   unmapped.
/// - An allocation begins at a multiple of 16 that is no multiple of 32, so that kernels cannot rely on more.
class GroupMemory {
 public:
  /// Adds an allocation and returns its number. It begins at address_of(number). Throws T015 for more than
  /// 2^40 bytes or 65,000 allocations.
  int allocate(Allocation allocation);
  const Allocation& operator[](int number) const { return tables_[static_cast<std::size_t>(number)].what; }
  int count() const { return static_cast<int>(tables_.size()); }

  static std::uint64_t address_of(int number, std::uint64_t offset = 0) {
    return (static_cast<std::uint64_t>(number + 1) << range_bits) + middle + offset;
  }
  /// The allocation whose range contains an address. Outside of [0, count()) if there is none.
  static int allocation_at(std::uint64_t address) { return static_cast<int>(address >> range_bits) - 1; }
  /// The offset of an address from its allocation's begin. Wraps for addresses below the begin.
  static std::uint64_t offset_of(std::uint64_t address) { return (address & range_mask) - middle; }
  static bool share_range(std::uint64_t x, std::uint64_t y) { return (x ^ y) >> range_bits == 0; }

  /// The page of a byte inside an allocation.
  Page& page(int number, std::uint64_t offset) {
    Table& table = tables_[static_cast<std::size_t>(number)];
    const std::uint64_t index = offset >> page_bits;
    const std::size_t leaf = index >> leaf_bits, in_leaf = index & leaf_mask;
    if (leaf < table.leaves.size() && in_leaf < table.leaves[leaf].size())
      if (Page* found = table.leaves[leaf][in_leaf].get()) return *found;
    return made(number, offset);
  }
  /// Notes that a page or its shadows change, so that the next reset() restores them.
  void touch(Page& page) {
    if (page.is_touched) return;
    page.is_touched = true;
    touched_.push_back(&page);
  }
  std::span<Page* const> touched() const { return touched_; }

  /// Restores all touched pages to their initial bytes and shadows.
  void reset();
  /// Describes an address, also one outside of all allocations: "staging half 1 of rank 0 + 16 (slice 1)".
  std::string describe(std::uint64_t address) const;

 private:
  static constexpr int range_bits = 48, leaf_bits = 12;
  static constexpr std::uint64_t range_mask = (std::uint64_t{1} << range_bits) - 1;
  static constexpr std::uint64_t middle = (std::uint64_t{1} << 46) + 16;
  static constexpr std::uint64_t leaf_mask = (std::uint64_t{1} << leaf_bits) - 1;
  using Leaf = std::vector<std::unique_ptr<Page>>;
  struct Table {
    Allocation what;
    std::vector<Leaf> leaves;
  };

  Page& made(int number, std::uint64_t offset);
  void fill(Page& page) const;

  std::vector<Table> tables_;
  std::vector<Page*> touched_;
};

}  // namespace tutti::kernels
