// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/check/words.hpp"

#include <algorithm>

namespace tutti::kernels {

void Words::reset() {
  used_ = 0;
  free_.clear();
  pool_count_ = 0;
}

std::uint32_t Words::make(int bytes, const Message& first) {
  if (used_ == words_.size()) words_.emplace_back();
  Word& word = words_[used_++];
  word.bytes = bytes;
  word.newest = 0;
  word.kept = 1;
  word.messages[0] = first;
  word.messages[0].clock = 0;
  word.seen.clear();
  return static_cast<std::uint32_t>(used_);
}

std::uint32_t Words::new_clock() {
  if (!free_.empty()) {
    const std::uint32_t index = free_.back();
    free_.pop_back();
    return index;
  }
  ++pool_count_;
  pool_.resize(std::max(pool_.size(), pool_count_ * clocks_.agents()));
  return pool_count_;
}

std::size_t Words::choices(std::uint32_t index, int agent) {
  const Word& word = at(index);
  const std::uint32_t* known = clocks_.of(agent);
  std::uint64_t oldest = word.newest + 1 - word.kept;
  for (std::uint64_t i = word.newest; i > oldest; --i) {
    const Message& message = word.messages[i % most_messages];
    if (known[message.writer.agent] >= message.epoch) oldest = i;
  }
  for (const Seen& seen : word.seen)
    if (known[seen.agent] >= seen.epoch) oldest = std::max(oldest, seen.number);
  return word.newest - oldest + 1;
}

const Message& Words::message(std::uint32_t index, std::size_t age) const {
  const Word& word = at(index);
  return word.messages[(word.newest - age) % most_messages];
}

void Words::read(std::uint32_t index, int agent, std::size_t age) {
  Word& word = at(index);
  const std::uint64_t number = word.newest - age;
  const std::uint32_t epoch = clocks_.epoch(agent);
  const std::uint64_t oldest = word.newest + 1 - word.kept;
  for (const Seen& seen : word.seen)
    if (seen.agent == agent && seen.number >= number) return;
  if (word.seen.size() >= most_messages)
    std::erase_if(word.seen, [&](const Seen& seen) { return seen.number <= oldest; });
  word.seen.push_back({agent, epoch, number});
}

bool Words::acquire(std::uint32_t index, std::size_t age, int agent, Scope scope, bool same_rank) {
  const Message& from = message(index, age);
  if (from.clock == 0) return false;
  if (!same_rank && (scope != Scope::sys || from.scope != Scope::sys)) return false;
  const bool is_block = scope == Scope::cta || from.scope == Scope::cta;
  if (is_block && from.writer.agent != agent) return false;
  clocks_.join(clocks_.of(agent), clock(from.clock));
  return true;
}

void Words::store(std::uint32_t index, const Message& message, bool is_released, bool is_rmw) {
  Word& word = at(index);
  const std::uint32_t before = word.messages[word.newest % most_messages].clock;
  std::uint32_t carried = 0;
  if (is_released || (is_rmw && before != 0)) {
    carried = new_clock();
    std::uint32_t* to = clock(carried);
    std::fill_n(to, clocks_.agents(), 0);
    if (is_rmw && before != 0) clocks_.join(to, clock(before));
    if (is_released) clocks_.join(to, clocks_.of(message.writer.agent));
  }
  ++word.newest;
  Message& to = word.messages[word.newest % most_messages];
  if (word.kept == most_messages) {
    if (to.clock != 0) free_.push_back(to.clock);
  } else {
    ++word.kept;
  }
  to = message;
  to.clock = carried;
}

}  // namespace tutti::kernels
