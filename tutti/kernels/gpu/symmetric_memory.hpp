// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tutti/kernels/gpu/handles.hpp"
#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::kernels {

/// The device and the stream of a rank.
struct RankPlace {
  std::shared_ptr<const Device> device;
  StreamHandle stream = nullptr;
};

/// The memory that the kernels of a group share. On its device each rank has a pad, error words, two staging
/// halves, two inbox halves, and tables with the addresses of all ranks.
/// - fill() sets every word of pads and inboxes to the number before the next call's. No wait takes it for a
///   later signal.
/// - Staging is not filled: kernels read it only after a signal.
/// - No kernel may run while buffers are allocated or filled.
class SymmetricMemory {
 public:
  /// Allocates pads, tables and error words. Does not fill them.
  explicit SymmetricMemory(std::vector<RankPlace> ranks);

  /// The size of the pads.
  const Pads& pads() const { return pads_; }
  /// The size of a rank's staging.
  const Staging& staging() const { return staging_; }
  /// The size of a rank's inboxes.
  const Staging& inboxes() const { return inboxes_; }
  /// True if the kernels of the manifest need no larger buffers.
  bool fits(const Manifest& manifest) const;
  /// Replaces staging and inboxes that are too small. Throws R003 if memory is short; the size of that buffer
  /// is then 0.
  void grow(const Manifest& manifest);
  /// Fills pads, inboxes and error words, and writes the tables, on each rank's stream. Needed after grow(),
  /// and again before sequence numbers wrap so far that old words compare as later ones.
  void fill(std::uint32_t number_before);

  DeviceAddress table(ArgumentKind kind, int rank) const;  // signal_table, staging_table or inbox_table
  /// The address of the error words of a rank.
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
  std::vector<HostMemory> table_sources_;  // pinned; queued copies read them
};

}  // namespace tutti::kernels
