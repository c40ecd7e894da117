// SPDX-License-Identifier: Apache-2.0
// Atomic accesses and waits.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "tutti/kernels/check/machine.hpp"

namespace tutti::kernels {
namespace {

bool is_acquire(Order order) { return order == Order::acquire || order == Order::acq_rel; }
bool is_release(Order order) { return order == Order::release || order == Order::acq_rel; }

std::uint64_t low_bits(std::uint64_t word, int size) {
  return size == 8 ? word : word & ((std::uint64_t{1} << 8 * size) - 1);
}

}  // namespace

std::uint32_t KernelMachine::word_at(Program& p, const Instruction& i, Place& place, std::uint64_t address) {
  if (!place.holds(address, i.size) || address % i.size != place.address % i.size)
    find(place, p, i, address, i.size);
  Page& page = *place.page;
  if (!page.shadows)
    fail_at(FaultKind::out_of_bounds, p, i,
            fmt::format("is atomic on {}, which is only read", setup_.memory.describe(address)));
  setup_.memory.touch(page);
  const std::uint64_t at = address - place.address;
  if (!page.words) page.words = std::make_unique<std::uint32_t[]>(page_bytes / 4);
  std::uint32_t& word = page.words[at / 4];
  if (word == 0) {
    const Shadow& shadow = page.shadows[at / place.granule];
    Message first{0, {shadow.writer, shadow.write_site}, shadow.write_epoch};
    std::memcpy(&first.bits, page.bytes.data() + at, i.size);
    word = words_.make(i.size, first);
  }
  if (words_.bytes(word) != i.size)
    fail_at(FaultKind::misaligned, p, i,
            fmt::format("is atomic on {} bytes at {}, where others are on {}", i.size,
                        setup_.memory.describe(address), words_.bytes(word)));
  return word;
}

std::size_t KernelMachine::draw(Program& p, std::uint32_t word) {
  const std::size_t choices = words_.choices(word, p.agent);
  if (choices == 1 || static_cast<int>(random_.next() & 255) >= stale_reads_) return 0;
  p.was_stale = true;
  return 1 + random_.below(choices - 1);
}

std::uint64_t KernelMachine::read_word(Program& p, const Instruction& i, const Place& place,
                                       std::uint64_t address, std::uint32_t word, std::size_t age) {
  read_shadows(p, i, place, address, i.size, true);
  const Message& message = words_.message(word, age);
  words_.read(word, p.agent, age);
  if (records_) accesses_.push_back({address, i.size, false});
  if (message.epoch == 0 || message.writer.agent == p.agent) return message.bits;
  const bool same_rank = rank_of(message.writer.agent) == p.rank;
  if (!is_acquire(i.order) || !words_.acquire(word, age, p.agent, i.scope, same_rank))
    note_unordered(p, i, message);
  return message.bits;
}

void KernelMachine::note_unordered(Program& p, const Instruction& i, const Message& message) {
  const std::string_view why = !is_acquire(i.order)    ? "the read does not acquire"
                               : message.clock == 0    ? "the store does not release"
                               : i.scope != Scope::sys ? "the scope of the read does not reach so far"
                                                       : "the scope of the store does not reach so far";
  unordered_[static_cast<std::size_t>(p.agent)] = {accessor(p, i), message.writer, why};
}

void KernelMachine::store_word(Program& p, const Instruction& i, const Place& place, std::uint64_t address,
                               std::uint32_t word, std::uint64_t bits, bool is_rmw) {
  write_shadows(p, i, place, address, i.size, true);
  const bool releases = is_release(i.order);
  words_.store(word, {bits, accessor(p, i), clocks_.epoch(p.agent), i.order, i.scope}, releases, is_rmw);
  if (releases) clocks_.advance(p.agent);
  std::memcpy(place.page->bytes.data() + (address - place.address), &bits, i.size);
  p.has_changed = true;
  if (records_) accesses_.push_back({address, i.size, true});
  wake(*place.page, address, i.size);
}

// Treats a read-modify-write that leaves the word unchanged and releases nothing as a read: compilers turn it
// into one.
void KernelMachine::rmw(Program& p, const Instruction& i) {
  LaneWord* words = p.words;
  Place place;
  LaneWord any = 0;
  for (std::uint32_t lane = 0; lane < i.n; ++lane) {
    const std::uint32_t to = i.dst + 1 + lane;
    const bool is_cas = i.step == Step::cas;
    p.poison[to] = 0;
    if (!is_cas && !is_on(p, i, i.z, lane)) {
      p.poison[to] = 1;
      any = 1;
      continue;
    }
    need(p, i, i.x, lane, "the address");
    need(p, i, i.y, lane, "the operand");
    const std::uint64_t address = words[i.x + 1 + lane], operand = words[i.y + 1 + lane];
    const std::uint32_t word = word_at(p, i, place, address);
    const bool changes_nothing =
        !is_cas && !is_release(i.order) &&
        low_bits(after_rmw(i.rmw, i.scalar, word_of_bits(i.scalar, words_.message(word, 0).bits), operand),
                 i.size) == words_.message(word, 0).bits;
    const std::size_t age = changes_nothing ? draw(p, word) : 0;
    const LaneWord before = word_of_bits(i.scalar, read_word(p, i, place, address, word, age));
    words[to] = before;
    if (p.spins > 0) p.watched.push_back({address, i.size});
    if (changes_nothing) continue;
    if (is_cas) {
      need(p, i, i.z, lane, "the new value");
      if (before != operand) continue;
    }
    const LaneWord after = is_cas ? words[i.z + 1 + lane] : after_rmw(i.rmw, i.scalar, before, operand);
    store_word(p, i, place, address, word, low_bits(after, i.size), true);
    if (!traffic_.empty()) count(p, i, place, true, true);
  }
  words[i.dst] = any;
}

void KernelMachine::atomic_store(Program& p, const Instruction& i) {
  Place place;
  for (std::uint32_t lane = 0; lane < i.n; ++lane) {
    if (!is_on(p, i, i.z, lane) || (i.w != 0 && p.words[i.w + 1 + lane] == 0)) continue;
    need(p, i, i.x, lane, "the address");
    need(p, i, i.y, lane, "the stored value");
    const std::uint64_t address = p.words[i.x + 1 + lane];
    const std::uint32_t word = word_at(p, i, place, address);
    store_word(p, i, place, address, word, low_bits(p.words[i.y + 1 + lane], i.size), false);
    if (!traffic_.empty()) count(p, i, place, true, true);
  }
  if (i.dst == 0) return;
  p.words[i.dst] = 0;
  std::fill_n(p.words + i.dst + 1, i.n, LaneWord{0});
}

void KernelMachine::atomic_load(Program& p, const Instruction& i) {
  Place place;
  LaneWord any = 0;
  for (std::uint32_t lane = 0; lane < i.n; ++lane) {
    const std::uint32_t to = i.dst + 1 + lane;
    p.poison[to] = 0;
    p.words[to] = 0;
    if (!is_on(p, i, i.y, lane)) {
      p.poison[to] = 1;
      any = 1;
      continue;
    }
    need(p, i, i.x, lane, "the address");
    const std::uint64_t address = p.words[i.x + 1 + lane];
    const std::uint32_t word = word_at(p, i, place, address);
    const std::size_t age = draw(p, word);
    p.words[to] = word_of_bits(i.scalar, read_word(p, i, place, address, word, age));
    if (p.spins > 0) p.watched.push_back({address, i.size});
    if (!traffic_.empty()) count(p, i, place, false, true);
  }
  p.words[i.dst] = any;
}

// Each attempt is a turn. A lane whose wait is over does not read again.
bool KernelMachine::wait(Program& p, const Instruction& i) {
  if (!p.is_waiting) {
    p.is_waiting = true;
    p.has_expired = false;
    p.arrived.assign(i.n, 0);
    p.words[i.dst] = 0;
  }
  p.watched.clear();
  p.was_stale = false;
  p.has_changed = true;  // a loop around the wait does not park
  bool is_over = true;
  for (std::uint32_t lane = 0; lane < i.n; ++lane) {
    const bool is_off = i.w != 0 && p.words[i.w + 1 + lane] == 0;
    if (is_off) p.words[i.dst + 1 + lane] = 0;
    if (is_off || p.arrived[lane] != 0) continue;
    if (has_come(p, i, lane)) p.words[i.dst + 1 + lane] = 1;
    else if (p.has_expired && has_limit(p, i, lane)) give_up(p, i, lane);
    else {
      is_over = false;
      continue;
    }
    p.arrived[lane] = 1;
  }
  p.is_waiting = !is_over;
  return is_over;
}

bool KernelMachine::has_limit(const Program& p, const Instruction& i, std::uint32_t lane) {
  if (i.z == 0) return false;
  if (i.step == Step::poll) return static_cast<std::int64_t>(p.words[i.z + 1]) < poll_for_ever_ns;
  return p.words[i.z + 1 + lane] != 0;
}

bool KernelMachine::has_come(Program& p, const Instruction& i, std::uint32_t lane) {
  need(p, i, i.x, lane, "the address");
  need(p, i, i.y, lane, "the expected value");
  const std::uint64_t address = p.words[i.x + 1 + lane], expected = p.words[i.y + 1 + lane];
  Place place;
  const std::uint32_t word = word_at(p, i, place, address);
  const std::size_t age = draw(p, word);
  const LaneWord seen = word_of_bits(i.scalar, words_.message(word, age).bits);
  const bool has_come = i.reached == IntPredicate::eq
                            ? seen == expected
                            : static_cast<std::int32_t>(static_cast<std::uint32_t>(seen - expected)) >= 0;
  if (has_come) {
    read_word(p, i, place, address, word, age);
    return true;
  }
  read_shadows(p, i, place, address, i.size, true);
  words_.read(word, p.agent, age);
  if (records_) accesses_.push_back({address, i.size, false});
  p.watched.push_back({address, i.size});
  return false;
}

// A thread_wait writes the error words itself; a poll leaves that to later ops.
void KernelMachine::give_up(Program& p, const Instruction& i, std::uint32_t lane) {
  ++timeouts_;
  p.words[i.dst + 1 + lane] = 0;
  if (i.step == Step::poll) return;
  need(p, i, i.extra, lane, "the address of the error words");
  const std::uint64_t address = p.words[i.extra + 1 + lane];
  Place place;
  put(p, i, place, address, 1, 4);
  put(p, i, place, address + 4, p.words[i.y + 1 + lane], 4);
}

}  // namespace tutti::kernels
