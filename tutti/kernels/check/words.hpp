// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tutti/kernels/check/races.hpp"
#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

/// One store in the history of an atomic word.
struct Message {
  std::uint64_t bits = 0;
  Accessor writer;
  std::uint32_t epoch = 0;  // of the writer; 0: before all programs
  Order order = Order::relaxed;
  Scope scope = Scope::sys;
  /// What an acquire of this message learns: a clock of Words, 0 if it is not released.
  std::uint32_t clock = 0;
};

/// Atomic words under release and acquire, without speculation. A word has a history of stores in one order. A read may
/// return each of them that is not older than what its agent knows of: its own reads and writes of the word, and those
/// that come before it by synchronisation.
/// A history keeps its last `most_messages` stores.
class Words {
 public:
  static constexpr std::size_t most_messages = 8;

  explicit Words(Clocks& clocks) : clocks_(clocks) {}
  void reset();

  /// A word that begins with a store whose clock nobody learns.
  std::uint32_t make(int bytes, const Message& first);
  int bytes(std::uint32_t word) const { return at(word).bytes; }

  /// How many stores a read by this agent may return; the newest is number 0.
  std::size_t choices(std::uint32_t word, int agent);
  const Message& message(std::uint32_t word, std::size_t age) const;
  /// The agent has read this message: it returns no older one again.
  void read(std::uint32_t word, int agent, std::size_t age);
  /// Joins what the message released, if its scope and the reader's reach each other. True if it did.
  bool acquire(std::uint32_t word, std::size_t age, int agent, Scope scope, bool same_rank);
  /// Appends a store. A released one carries the agent's clock, a read-modify-write also what it read.
  void store(std::uint32_t word, const Message& message, bool is_released, bool is_rmw);

 private:
  struct Seen {
    int agent;
    std::uint32_t epoch;
    std::uint64_t number;
  };
  struct Word {
    int bytes = 4;
    std::uint64_t newest = 0;  // number of the last message; they count from 0
    std::size_t kept = 0;
    Message messages[most_messages];  // message i at i % most_messages
    std::vector<Seen> seen;
  };
  Word& at(std::uint32_t word) { return words_[word - 1]; }
  const Word& at(std::uint32_t word) const { return words_[word - 1]; }
  std::uint32_t new_clock();
  std::uint32_t* clock(std::uint32_t index) { return pool_.data() + (index - 1) * clocks_.agents(); }

  Clocks& clocks_;
  std::vector<Word> words_;
  std::size_t used_ = 0;  // words_ keeps its vectors from schedule to schedule
  std::vector<std::uint32_t> pool_, free_;
  std::uint32_t pool_count_ = 0;
};

}  // namespace tutti::kernels
