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
  /// The clock that an acquire of this message joins, as an index in Words. 0 if the message carries no
  /// release.
  std::uint32_t clock = 0;
};

/// Atomic words under release and acquire, without speculation. A word has a history of stores in one total
/// order. A read may return any of them, unless a newer store happens before the read, or a read of a newer
/// store does.
/// A history keeps its last `most_messages` stores.
class Words {
 public:
  static constexpr std::size_t most_messages = 8;

  explicit Words(Clocks& clocks) : clocks_(clocks) {}
  void reset();

  /// Makes a word with its first store, which releases nothing. Returns its number, from 1 on.
  std::uint32_t make(int bytes, const Message& first);
  int bytes(std::uint32_t word) const { return at(word).bytes; }

  /// The number of stores that a read by this agent may return. Their ages count from 0, the newest.
  std::size_t choices(std::uint32_t word, int agent);
  const Message& message(std::uint32_t word, std::size_t age) const;
  /// Notes that the agent has read this message. Its later reads return no older one.
  void read(std::uint32_t word, int agent, std::size_t age);
  /// Joins the message's clock into the agent's, if each scope includes the other agent. True if it joined
  /// one.
  bool acquire(std::uint32_t word, std::size_t age, int agent, Scope scope, bool same_rank);
  /// Appends a store. A release carries the agent's clock; a read-modify-write also carries the clock of the
  /// store before.
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
