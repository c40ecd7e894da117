// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tutti/kernels/gpu/handles.hpp"
#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::kernels {

/// Where a rank works.
struct RankPlace {
  std::shared_ptr<const Device> device;
  StreamHandle stream = nullptr;
};

/// The memory that the kernels of a group share. Each rank has a pad, error words, two staging halves and two halves of
/// inboxes, on its device, and tables with the addresses of all ranks.
/// - Every word of a new pad or inbox is the number before the next call's. No wait takes it for a signal to come.
/// - A new staging needs no value: it is read only after a signal.
/// - No kernel may be in flight while buffers are made or filled.
class SymmetricMemory {
 public:
  /// Pads, tables and error words; not filled.
  explicit SymmetricMemory(std::vector<RankPlace> ranks);

  const Pads& pads() const { return pads_; }
  const Staging& staging() const { return staging_; }
  const Staging& inboxes() const { return inboxes_; }
  bool fits(const Manifest& manifest) const;
  /// Replaces stagings and inboxes that are too small. Throws R003 if memory is short: then there are none.
  void grow(const Manifest& manifest);
  /// Queues on each rank's stream: fills pads, inboxes and error words, and writes the tables. After grow(), and again
  /// before numbers of long ago would seem to be ahead.
  void fill(std::uint32_t number_before);

  DeviceAddress table(ArgumentKind kind, int rank) const;  // signal_table, staging_table or inbox_table
  DeviceAddress error_words(int rank) const { return errors_[static_cast<std::size_t>(rank)].get(); }
  std::int64_t error_bytes() const;  // of a rank

 private:
  using OfRanks = std::vector<DeviceMemory>;
  int world() const { return static_cast<int>(ranks_.size()); }
  std::int64_t first_entry(ArgumentKind kind) const;
  OfRanks allocate_each(std::int64_t bytes) const;
  void fill(const OfRanks& buffers, std::int64_t bytes, std::uint32_t word) const;
  void grow(OfRanks (&halves)[2], Staging& have, const Staging& need) const;
  void write_tables();

  std::vector<RankPlace> ranks_;
  Pads pads_;
  Staging staging_, inboxes_;
  OfRanks pad_buffers_, errors_, stagings_[2], inbox_buffers_[2], tables_;
  std::vector<HostMemory> table_sources_;  // pinned; read by copies that are queued
};

}  // namespace tutti::kernels
