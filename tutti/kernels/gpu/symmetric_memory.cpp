// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/gpu/symmetric_memory.hpp"
#include "tutti/base/inside.hpp"

#include <cstring>

namespace tutti::kernels {
namespace {

std::int64_t rounded_up(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }

constexpr std::int64_t entry_bytes = 8;
constexpr std::int64_t entries_per_unit = alignment_bytes / entry_bytes;

}  // namespace

SymmetricMemory::SymmetricMemory(std::vector<RankPlace> ranks)
    : ranks_(std::move(ranks)), pads_(pads_for(world(), most_blocks)) {
  const std::int64_t table_bytes = first_entry(ArgumentKind::output_table) * entry_bytes;
  pad_buffers_ = allocate_each(std::int64_t{pads_.rows} * pads_.row_bytes);
  errors_ = allocate_each(error_bytes());
  tables_ = allocate_each(table_bytes);
  for (const RankPlace& rank : ranks_) table_sources_.push_back(allocate_host(rank.device, table_bytes));
}

std::int64_t SymmetricMemory::error_bytes() const {
  return (1 + std::int64_t{most_blocks} * world()) * error_pair_bytes;
}

bool SymmetricMemory::fits(const Manifest& manifest) const {
  return manifest.staging.bytes_per_half <= staging_.bytes_per_half &&
         manifest.inboxes.bytes_per_half <= inboxes_.bytes_per_half;
}

void SymmetricMemory::grow(const Manifest& manifest) {
  grow(stagings_, staging_, manifest.staging);
  grow(inbox_buffers_, inboxes_, manifest.inboxes);
}

// Frees the old buffers first: old and new together may not fit. If memory is short, the size stays 0.
void SymmetricMemory::grow(OfRanks (&halves)[2], Staging& have, const Staging& need) const {
  if (need.bytes_per_half <= have.bytes_per_half) return;
  have = {};
  for (OfRanks& half : halves) half.clear();
  for (OfRanks& half : halves) half = allocate_each(need.bytes_per_half);
  have = need;
}

void SymmetricMemory::fill(std::uint32_t number_before) {
  fill(pad_buffers_, std::int64_t{pads_.rows} * pads_.row_bytes, number_before);
  for (const OfRanks& half : inbox_buffers_) fill(half, inboxes_.bytes_per_half, number_before);
  fill(errors_, error_bytes(), 0);
  write_tables();
}

// A table of 64-bit addresses has three sections: pads, staging, inboxes. Each section begins at an aligned
// address.
std::int64_t SymmetricMemory::first_entry(ArgumentKind kind) const {
  const std::int64_t pads = rounded_up(world(), entries_per_unit);
  const std::int64_t halves = 2 * std::int64_t{world()};
  if (kind == ArgumentKind::signal_table) return 0;
  if (kind == ArgumentKind::staging_table) return pads;
  return kind == ArgumentKind::inbox_table ? pads + halves : pads + 2 * halves;
}

DeviceAddress SymmetricMemory::table(ArgumentKind kind, int rank) const {
  const auto offset = static_cast<DeviceAddress>(first_entry(kind) * entry_bytes);
  return tables_[static_cast<std::size_t>(rank)].get() + offset;
}

SymmetricMemory::OfRanks SymmetricMemory::allocate_each(std::int64_t bytes) const {
  OfRanks buffers;
  for (const RankPlace& rank : ranks_) buffers.push_back(allocate(rank.device, bytes));
  return buffers;
}

void SymmetricMemory::fill(const OfRanks& buffers, std::int64_t bytes, std::uint32_t word) const {
  for (std::size_t rank = 0; rank < buffers.size(); ++rank) {
    const Device& device = *ranks_[rank].device;
    const OnDevice current(device);
    device.driver().fill_words(buffers[rank].get(), word, static_cast<std::size_t>(bytes / 4),
                               ranks_[rank].stream);
  }
}

void SymmetricMemory::write_tables() {
  std::vector<DeviceAddress> entries(static_cast<std::size_t>(first_entry(ArgumentKind::output_table)));
  const auto put = [&](const OfRanks& buffers, std::int64_t at) {
    for (const DeviceMemory& buffer : buffers) entries[static_cast<std::size_t>(at++)] = buffer.get();
  };
  put(pad_buffers_, first_entry(ArgumentKind::signal_table));
  for (std::int64_t half = 0; half < 2; ++half) {
    put(stagings_[half], first_entry(ArgumentKind::staging_table) + half * world());
    put(inbox_buffers_[half], first_entry(ArgumentKind::inbox_table) + half * world());
  }
  const std::size_t bytes = entries.size() * sizeof(DeviceAddress);
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    std::memcpy(table_sources_[rank].get(), entries.data(), bytes);
    const Device& device = *ranks_[rank].device;
    const OnDevice current(device);
    device.driver().copy_to_device(tables_[rank].get(), table_sources_[rank].get(), bytes,
                                   ranks_[rank].stream);
  }
}

}  // namespace tutti::kernels
