// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "tutti/kernels/check/memory.hpp"

namespace tutti::kernels {

/// Vector clocks of all agents. An agent is a block of a rank, over all calls, or the stream of a rank.
/// An agent's own entry is its epoch. The epoch grows after each release, so the release covers the accesses
/// before it and none after it.
class Clocks {
 public:
  explicit Clocks(int agents) : agents_(static_cast<std::size_t>(agents)) { reset(); }

  void reset() {
    entries_.assign(agents_ * agents_, 0);
    for (std::size_t agent = 0; agent < agents_; ++agent) entries_[agent * agents_ + agent] = 1;
  }
  std::size_t agents() const { return agents_; }
  std::uint32_t* of(int agent) { return entries_.data() + static_cast<std::size_t>(agent) * agents_; }
  std::uint32_t epoch(int agent) { return of(agent)[agent]; }
  void advance(int agent) { ++of(agent)[agent]; }
  void join(std::uint32_t* into, const std::uint32_t* from) const {
    for (std::size_t i = 0; i < agents_; ++i) into[i] = std::max(into[i], from[i]);
  }

 private:
  std::size_t agents_;
  std::vector<std::uint32_t> entries_;
};

/// The agent of an access and the place in its program, for reports.
struct Accessor {
  int agent = 0;
  std::uint32_t site = 0;
};

struct Conflict {
  Accessor other;
  bool other_writes = false;
};

/// Finds conflicting accesses without happens-before. Two atomic accesses do not conflict.
/// A shadow has only the last write: if two atomic writes are unordered, it misses races with the earlier
/// one.
class Races {
 public:
  void reset() {
    readers_.resize(1);
    free_ = 0;
  }

  /// read() and write() record an access unless it conflicts with an earlier one. `clock` is the clock of
  /// by.agent.
  std::optional<Conflict> read(Shadow& shadow, Accessor by, const std::uint32_t* clock, bool is_atomic) {
    if (is_unordered(shadow, by.agent, clock, is_atomic))
      return Conflict{{shadow.writer, shadow.write_site}, true};
    const std::uint32_t epoch = clock[by.agent];
    for (std::uint32_t i = shadow.readers; i != 0; i = readers_[i].next) {
      Reader& reader = readers_[i];
      if (reader.agent != by.agent || reader.is_atomic != is_atomic) continue;
      reader.epoch = epoch;
      reader.site = by.site;
      return {};
    }
    const std::uint32_t index = new_reader();
    readers_[index] = {epoch, by.site, shadow.readers, static_cast<std::uint16_t>(by.agent), is_atomic};
    shadow.readers = index;
    return {};
  }

  std::optional<Conflict> write(Shadow& shadow, Accessor by, const std::uint32_t* clock, bool is_atomic) {
    if (is_unordered(shadow, by.agent, clock, is_atomic))
      return Conflict{{shadow.writer, shadow.write_site}, true};
    if (shadow.readers != 0)
      if (auto conflict = forget_readers(shadow, by.agent, clock, is_atomic)) return conflict;
    shadow.write_epoch = clock[by.agent];
    shadow.writer = static_cast<std::uint16_t>(by.agent);
    shadow.write_site = by.site;
    shadow.has_value = 1;
    shadow.was_atomic = is_atomic ? 1 : 0;
    return {};
  }

 private:
  struct Reader {
    std::uint32_t epoch = 0, site = 0, next = 0;
    std::uint16_t agent = 0;
    bool is_atomic = false;
  };

  static bool is_unordered(const Shadow& shadow, int agent, const std::uint32_t* clock, bool is_atomic) {
    return clock[shadow.writer] < shadow.write_epoch && shadow.writer != agent &&
           !(is_atomic && shadow.was_atomic != 0);
  }

  // Drops the readers that happen before this write: the write stands for them in later checks.
  std::optional<Conflict> forget_readers(Shadow& shadow, int agent, const std::uint32_t* clock,
                                         bool is_atomic) {
    std::uint32_t kept = 0;
    for (std::uint32_t i = shadow.readers; i != 0;) {
      Reader& reader = readers_[i];
      const std::uint32_t next = reader.next;
      const bool is_ordered = reader.agent == agent || clock[reader.agent] >= reader.epoch;
      if (!is_ordered && !(is_atomic && reader.is_atomic))
        return Conflict{{reader.agent, reader.site}, false};
      reader.next = is_ordered ? free_ : kept;
      (is_ordered ? free_ : kept) = i;
      i = next;
    }
    shadow.readers = kept;
    return {};
  }

  std::uint32_t new_reader() {
    if (free_ == 0) {
      readers_.emplace_back();
      return static_cast<std::uint32_t>(readers_.size() - 1);
    }
    const std::uint32_t index = free_;
    free_ = readers_[index].next;
    return index;
  }

  std::vector<Reader> readers_ = std::vector<Reader>(1);  // index 0: none
  std::uint32_t free_ = 0;
};

}  // namespace tutti::kernels
