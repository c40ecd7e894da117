// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tutti/kernels/gpu/symmetric_memory.hpp"

namespace tutti::kernels {

/// Options of Group.
struct GroupOptions {
  std::string driver = std::string(default_driver);
  double timeout_s = 30;  // the longest wait of a kernel for a peer; Group::wait() allows twice as long
  /// The sequence number of the first signal, and the most signals between two fills of the pads. Tests
  /// change both.
  std::uint32_t first_sequence = 1;
  std::int64_t refresh = signals_until_refresh;
};

/// Deals the devices of this machine to `world` ranks, in turn. Throws R004 without a driver or a GPU.
std::vector<int> devices_for(int world, const std::string& driver = std::string(default_driver));

/// The ranks of collectives on GPUs of this process: a stream for each, and the memory that their kernels
/// share.
/// - Rank r works on device devices[r]. Several ranks may share a device.
/// - Collectives of a group run one after the other, in the order of their launches. A group is not
///   thread-safe.
/// - A failed wait or launch breaks the group: its ranks may be in different calls. Later calls throw R004.
class Group {
 public:
  /// Throws R004 if there is no driver or no such device, R003 if memory is short, T015 for no ranks, more
  /// than 256 ranks, or a time-out that is not positive and finite.
  explicit Group(const std::vector<int>& devices, GroupOptions options = {});
  ~Group();  // settle()
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  /// The number of ranks.
  int world() const { return static_cast<int>(devices_.size()); }
  /// The options that the group was opened with.
  const GroupOptions& options() const { return options_; }
  /// The driver of all devices.
  const Driver& driver() const { return devices_.front()->driver(); }
  /// The device of a rank.
  const std::shared_ptr<const Device>& device(int rank) const {
    return devices_[static_cast<std::size_t>(rank)];
  }
  /// The stream of a rank. Other work that is queued here runs after the calls launched before it, and before
  /// later ones.
  StreamHandle stream(int rank) const { return streams_[static_cast<std::size_t>(rank)].get(); }
  /// The ranks on each device, in order. One list per device.
  const std::vector<std::vector<int>>& ranks_by_device() const { return ranks_by_device_; }
  /// True if two ranks work on one device.
  bool shares_devices() const { return ranks_by_device_.size() < devices_.size(); }
  /// missing_peer_access() of the group's devices.
  const std::string& missing_access() const { return missing_access_; }

  /// Waits until all streams are idle. Breaks the group and throws R004 if that takes longer than twice the
  /// time-out, or if a kernel gave up a wait. The message lists up to 4 waits with rank, block, peer and
  /// sequence number.
  void wait();
  /// Waits until all streams are idle, for destructors: throws nothing. Abandons devices whose work does not
  /// end within twice the time-out.
  void settle() const noexcept;

  // For the runners of collectives.

  /// The number of the first signal of a kernel call, and the half of the staging that it uses.
  struct Call {
    std::uint32_t sequence = 0;
    int half = 0;
  };
  /// Takes sequence number and half for a kernel call. Waits first if memory must grow or pads must be
  /// filled.
  Call begin(const Manifest& manifest);
  /// The memory that the kernels of the group share.
  const SymmetricMemory& memory() const { return *memory_; }
  /// Orders the streams of `ranks` by events: work queued later on any of them follows all work queued so
  /// far.
  void meet(std::span<const int> ranks) const;
  void meet() const;  // all ranks
  /// Throws R004 if the group is broken.
  void require_whole() const;
  /// Makes later calls throw R004 with this reason.
  void set_broken(const std::string& why) { broken_ = why; }

 private:
  struct NamedCall {
    std::string name;
    std::uint32_t sequence;
    int signals;
  };
  void prepare(const Manifest& manifest);
  void allocate_for(const Manifest& manifest);
  /// The ranks whose stream in `streams` has unfinished work.
  std::vector<int> unfinished(const std::vector<Stream>& streams) const;
  bool finish_within(const std::vector<Stream>& streams, double seconds) const;
  bool is_busy(int rank) const;
  void queue_first_words() const;
  bool has_given_up() const;
  /// A wait for a peer's signal or packet that a kernel gave up.
  struct GivenUp {
    int rank, block, peer;
    std::uint32_t sequence;
  };
  std::string given_up_text(bool have_finished) const;
  bool read_errors() const;
  std::vector<GivenUp> given_up() const;
  std::string text_of(const GivenUp& wait) const;
  [[noreturn]] void break_with(const std::string& why);

  GroupOptions options_;
  std::vector<std::shared_ptr<const Device>> devices_;
  std::vector<std::vector<int>> ranks_by_device_;
  std::string missing_access_;
  std::vector<Stream> streams_;    // by rank; made first, so that each has its own hardware queue
  std::vector<Stream> observers_;  // by rank; copies of error words here do not wait for kernels
  std::vector<Event> events_;
  std::vector<HostMemory> errors_;         // by rank; pinned copies of the error words
  std::optional<SymmetricMemory> memory_;  // none before the first kernel
  bool is_filled_ = false;                 // true if kernels may use memory_
  std::uint32_t sequence_;                 // of the next signal
  std::int64_t signals_ = 0;               // since pads were filled
  int staging_half_ = 0, inbox_half_ = 0;  // of the next call that uses them
  std::vector<NamedCall> calls_;           // the last ones, for messages
  std::string broken_;                     // the error that broke the group; empty: none
};

}  // namespace tutti::kernels
