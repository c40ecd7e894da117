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

struct GroupOptions {
  std::string driver = std::string(default_driver);
  double timeout_s = 30;  // a kernel waits for a peer so long; wait() ends after twice the time
  /// The number of the first signal, and how many signals there are between two fills of the pads. Tests change them.
  std::uint32_t first_sequence = 1;
  std::int64_t refresh = signals_until_refresh;
};

/// A device of this machine for each of `world` ranks, in turn. Throws R004 without a driver or a GPU.
std::vector<int> devices_for(int world, const std::string& driver = std::string(default_driver));

/// The ranks of collectives, on GPUs of this process: a stream for each rank, and what their kernels share.
/// - Rank r works on device devices[r]. A device may be named several times.
/// - Collectives of a group run one after the other, in the order of their launches. Not for use by several threads.
/// - A failed wait or launch breaks the group: its ranks may have come to different calls. Later calls throw R004.
class Group {
 public:
  /// Throws R004 if there is no driver or no such device, R003 if memory is short, T015 for no device, more than
  /// 256, and a time-out that is not positive.
  explicit Group(const std::vector<int>& devices, GroupOptions options = {});
  ~Group();  // waits
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  int world() const { return static_cast<int>(devices_.size()); }
  const GroupOptions& options() const { return options_; }
  const Driver& driver() const { return devices_.front()->driver(); }
  const std::shared_ptr<const Device>& device(int rank) const {
    return devices_[static_cast<std::size_t>(rank)];
  }
  /// The stream of a rank. What else is queued on it comes before the next call, or after the last one.
  StreamHandle stream(int rank) const { return streams_[static_cast<std::size_t>(rank)].get(); }
  /// The ranks on each device, in order. One list per device.
  const std::vector<std::vector<int>>& ranks_by_device() const { return ranks_by_device_; }
  bool shares_devices() const { return ranks_by_device_.size() < devices_.size(); }
  /// The pair of devices without access to each other's memory, as text; empty if all have it.
  const std::string& missing_access() const { return missing_access_; }

  /// Waits until all streams are done. Throws R004, and breaks the group, if that takes longer than twice the time-out,
  /// or if a kernel gave up: with rank, block, peer and number of the waits.
  void wait();
  /// The same for destructors: no error; a device whose work does not end is abandoned.
  void settle() const noexcept;

  // For collectives.

  struct Call {
    std::uint32_t sequence = 0;
    int half = 0;
  };
  /// Takes the numbers of a call of a kernel. Waits first if memory must grow or pads must be filled.
  Call begin(const Manifest& manifest);
  const SymmetricMemory& memory() const { return *memory_; }
  /// What is queued on the streams of `ranks` from now on comes after all that was queued on any of them.
  void meet(std::span<const int> ranks) const;
  void meet() const;  // all ranks
  /// Throws R004 if the group is broken.
  void require_whole() const;
  void set_broken(const std::string& why) { broken_ = why; }

 private:
  struct NamedCall {
    std::string name;
    std::uint32_t sequence;
    int signals;
  };
  void prepare(const Manifest& manifest);
  void allocate_for(const Manifest& manifest);
  /// The ranks whose stream of `streams` has work.
  std::vector<int> unfinished(const std::vector<Stream>& streams) const;
  bool finish_within(const std::vector<Stream>& streams, double seconds) const;
  bool try_to_settle() const;
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
  std::vector<Stream> streams_;    // of ranks; made first, so that they have hardware queues of their own
  std::vector<Stream> observers_;  // of ranks: copies of error words do not wait for kernels
  std::vector<Event> events_;
  std::vector<HostMemory> errors_;         // pinned, a rank's error words
  std::optional<SymmetricMemory> memory_;  // none before the first kernel
  bool is_filled_ = false;                 // memory_ may be used by kernels
  std::uint32_t sequence_;                 // of the next signal
  std::int64_t signals_ = 0;               // since pads were filled
  int staging_half_ = 0, inbox_half_ = 0;  // of the next call that uses them
  std::vector<NamedCall> calls_;           // the last ones, for messages
  std::string broken_;                     // why; empty: whole
};

}  // namespace tutti::kernels
