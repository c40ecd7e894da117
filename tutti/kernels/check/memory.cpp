// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/check/memory.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tutti/base/require.hpp"

namespace tutti::kernels {

int GroupMemory::allocate(Allocation allocation) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40;
  constexpr std::size_t most_allocations = 65'000;  // an address has 16 bits for the number
  require(allocation.bytes <= most_bytes && tables_.size() < most_allocations, Code::argument,
          "the checker's memory: {} of {} bytes is allocation {}; at most {} of 2^40 bytes are possible",
          allocation.name, allocation.bytes, tables_.size(), most_allocations);
  const std::uint64_t pages = (allocation.bytes + page_bytes - 1) >> page_bits;
  Table table{std::move(allocation), {}};
  table.leaves.resize((pages + leaf_mask) >> leaf_bits);
  if (table.leaves.size() == 1) table.leaves[0].resize(pages);
  tables_.push_back(std::move(table));
  return count() - 1;
}

Page& GroupMemory::made(int number, std::uint64_t offset) {
  Table& table = tables_[static_cast<std::size_t>(number)];
  const std::uint64_t index = offset >> page_bits;
  Leaf& leaf = table.leaves.at(index >> leaf_bits);
  if (leaf.empty()) leaf.resize(std::size_t{1} << leaf_bits);
  std::unique_ptr<Page>& page = leaf.at(index & leaf_mask);
  page = std::make_unique<Page>();
  page->allocation = static_cast<std::uint32_t>(number);
  page->begin = index << page_bits;
  if (!table.what.is_read_only())
    page->shadows = std::make_unique<Shadow[]>(page_bytes / static_cast<std::size_t>(table.what.granule));
  fill(*page);
  return *page;
}

void GroupMemory::fill(Page& page) const {
  const Allocation& what = tables_[page.allocation].what;
  if (what.filler) {
    const std::uint64_t size = std::min(page_bytes, what.bytes - page.begin);
    what.filler(page.begin, std::span(page.bytes).first(size));
  }
  if (!page.shadows) return;
  Shadow before;
  before.has_value = what.filler ? 1 : 0;
  std::fill_n(page.shadows.get(), page_bytes / static_cast<std::size_t>(what.granule), before);
}

void GroupMemory::reset() {
  for (Page* page : touched_) {
    fill(*page);
    if (page->words) std::fill_n(page->words.get(), page_bytes / 4, 0);
    page->watchers = 0;
    page->is_touched = false;
  }
  touched_.clear();
}

std::string GroupMemory::describe(std::uint64_t address) const {
  const int number = allocation_at(address);
  if (number < 0 || number >= count()) return fmt::format("address {:#x}, where nothing is", address);
  const Allocation& what = (*this)[number];
  const auto offset = static_cast<std::int64_t>(offset_of(address));
  std::string text = fmt::format("{} {} {} bytes", what.name, offset < 0 ? "-" : "+", std::abs(offset));
  if (offset >= 0 && static_cast<std::uint64_t>(offset) < what.bytes) {
    if (what.place) text += fmt::format(" ({})", what.place(static_cast<std::uint64_t>(offset)));
    return text;
  }
  return text + fmt::format(" of {}", what.bytes);
}

}  // namespace tutti::kernels
