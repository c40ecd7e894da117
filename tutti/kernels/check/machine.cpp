// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/check/machine.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tutti::kernels {
namespace {

int most_blocks_of(const GroupSetup& setup) {
  int most = 1;
  for (const KernelCall& call : setup.calls) most = std::max(most, call.grid);
  return most;
}

// Rounds that a loop with a counter may run beyond the kernels' wait limit before it parks for good.
constexpr std::int64_t rounds_beyond_limit = 1000;

}  // namespace

KernelMachine::KernelMachine(GroupSetup& setup)
    : setup_(setup),
      blocks_(most_blocks_of(setup)),
      clocks_(setup.world * blocks_ + setup.world),
      words_(clocks_),
      programs_(static_cast<std::size_t>(setup.world * blocks_)),
      streams_(static_cast<std::size_t>(setup.world)),
      registers_(programs_.size() * setup.codes.size()),
      position_(clocks_.agents(), -1),
      unordered_(clocks_.agents()) {
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    programs_[i].agent = static_cast<int>(i);
    programs_[i].rank = static_cast<int>(i) / blocks_;
    programs_[i].block = static_cast<int>(i) % blocks_;
  }
}

void KernelMachine::begin(std::uint64_t seed, int stale_reads) {
  setup_.memory.reset();
  clocks_.reset();
  races_.reset();
  words_.reset();
  random_ = Random(seed);
  stale_reads_ = stale_reads;
  ready_.clear();
  std::ranges::fill(position_, -1);
  std::ranges::fill(unordered_, Unordered{});
  turns_ = timeouts_ = 0;
  for (Program& program : programs_) {
    program.state = State::idle;
    program.watched.clear();
  }
  for (int rank = 0; rank < setup_.world; ++rank) {
    streams_[static_cast<std::size_t>(rank)] = {};
    set_waiting(stream_agent(rank));
    finish_call(rank);  // makes the first call ready
  }
}

int KernelMachine::rank_of(int actor) const {
  const int programs = setup_.world * blocks_;
  return actor < programs ? actor / blocks_ : actor - programs;
}

bool KernelMachine::is_finished() const {
  return std::ranges::all_of(streams_, [](const Stream& stream) { return stream.is_done; });
}

void KernelMachine::set_ready(int actor) {
  int& position = position_[static_cast<std::size_t>(actor)];
  if (position >= 0) return;
  position = static_cast<int>(ready_.size());
  ready_.push_back(actor);
}

void KernelMachine::set_waiting(int actor) {
  int& position = position_[static_cast<std::size_t>(actor)];
  if (position < 0) return;
  const int last = ready_.back();
  ready_[static_cast<std::size_t>(position)] = last;
  position_[static_cast<std::size_t>(last)] = position;
  ready_.pop_back();
  position = -1;
}

void KernelMachine::turn(int actor) {
  ++turns_;
  if (records_) accesses_.clear();
  const int programs = setup_.world * blocks_;
  if (actor >= programs) return turn_of_stream(actor - programs);
  run(programs_[static_cast<std::size_t>(actor)]);
}

void KernelMachine::run(Program& p) {
  const Instruction* code = p.code->instructions.data();
  bool has_accessed = false;
  std::int64_t ops = 0;
  while (true) {
    const Instruction& i = code[p.pc];
    if (i.is_visible) {
      if (has_accessed) break;
      has_accessed = true;
    }
    ++ops;
    ++p.pc;
    LaneWord* words = p.words;
    switch (i.step) {
      case Step::lanes:
        if ((words[i.x] | words[i.y] | words[i.z]) != 0) [[unlikely]]
          poison_any(p, i);
        else words[i.dst] = 0;
        i.fn(words + i.dst + 1, words + i.x + 1, words + i.y + 1, words + i.z + 1, i.n);
        break;
      case Step::splat:
        words[i.dst] = words[i.x];
        std::fill_n(words + i.dst + 1, i.n, words[i.x + 1]);
        if (words[i.x] != 0) std::fill_n(p.poison + i.dst + 1, i.n, p.poison[i.x + 1]);
        break;
      case Step::add_address: add_address(p, i); break;
      case Step::partial: partial(p, i); break;
      case Step::select: select(p, i); break;
      case Step::gather: gather(p, i); break;
      case Step::fold: fold(p, i); break;
      case Step::hinted: hinted(p, i); break;
      case Step::mask_and: mask_and(p, i); break;
      case Step::carry: p.has_carried |= carry(p, i); break;
      case Step::jump: p.pc = i.target; break;
      case Step::jump_unless:
        need(p, i, i.x, 0, "the condition");
        if (words[i.x + 1] == 0) p.pc = i.target;
        break;
      case Step::jump_if_none:
        if (std::all_of(words + i.x + 1, words + i.x + 1 + i.n, [](LaneWord on) { return on == 0; }))
          p.pc = i.target;
        break;
      case Step::for_test:
        for (const std::uint32_t bound : {i.x, i.y, i.w}) need(p, i, bound, 0, "a bound of the loop");
        if (static_cast<std::int64_t>(words[i.x + 1]) >= static_cast<std::int64_t>(words[i.y + 1]))
          p.pc = i.target;
        else if (i.flag && setup_.most_trips > 0 && skips_iteration(p, i)) {
          words[i.x + 1] += words[i.w + 1];
          --p.pc;
        }
        break;
      case Step::for_next:
        words[i.x + 1] = word_of_bits(i.scalar, words[i.x + 1] + words[i.y + 1]);
        p.pc = i.target;
        if (ops > setup_.most_ops_of_turn)
          fail_at(FaultKind::livelock, p, i, "goes round without end, and accesses no memory of peers");
        break;
      case Step::spin_begin:
        ++p.spins;
        p.has_changed = true;  // the first round never parks
        break;
      case Step::spin_round:
        p.has_changed = p.has_carried = p.was_stale = false;
        p.watched.clear();
        break;
      case Step::spin_next:
        if (ops > setup_.most_ops_of_turn)
          fail_at(FaultKind::livelock, p, i, "goes round without end, and accesses no memory of peers");
        if (!may_park(p)) break;
        ops_ += ops;
        return park(p);
      case Step::spin_end:
        --p.spins;
        p.has_changed = true;  // a loop around this one does not park
        p.impatient_rounds = 0;
        break;
      case Step::end: ops_ += ops; return finish(p);
      case Step::load: load(p, i); break;
      case Step::store: store(p, i); break;
      case Step::rmw:
      case Step::cas: rmw(p, i); break;
      case Step::atomic_store:
      case Step::thread_signal: atomic_store(p, i); break;
      case Step::atomic_load: atomic_load(p, i); break;
      case Step::poll:
      case Step::thread_wait:
        if (wait(p, i)) break;
        --p.pc;
        ops_ += ops;
        if (!p.was_stale) park(p);
        return;
    }
  }
  ops_ += ops;
}

// True if the round changed nothing and read only newest values: the loop repeats this round until a write
// wakes it. A loop that counts its rounds can end without a write: see expire_waits().
bool KernelMachine::may_park(Program& p) {
  if (p.has_changed || p.was_stale || p.watched.empty()) return false;
  if (p.impatient_rounds > 0) {
    if (--p.impatient_rounds > 0) return false;
    p.is_exhausted = true;
  }
  return true;
}

bool KernelMachine::skips_iteration(const Program& p, const Instruction& i) const {
  const auto at = static_cast<std::int64_t>(p.words[i.x + 1]),
             end = static_cast<std::int64_t>(p.words[i.y + 1]);
  const auto first = static_cast<std::int64_t>(p.words[i.z + 1]),
             step = static_cast<std::int64_t>(p.words[i.w + 1]);
  const std::int64_t iterations = (end - first + step - 1) / std::max<std::int64_t>(step, 1);
  if (iterations <= setup_.most_trips || at == first || at >= end - step) return false;
  return mixed(static_cast<std::uint64_t>(at)) % static_cast<std::uint64_t>(iterations) >=
         static_cast<std::uint64_t>(setup_.most_trips);
}

void KernelMachine::park(Program& p) {
  p.state = State::parked;
  for (const Watch& watch : p.watched) {
    const std::uint64_t offset = GroupMemory::offset_of(watch.address);
    ++setup_.memory.page(GroupMemory::allocation_at(watch.address), offset).watchers;
  }
  set_waiting(p.agent);
}

void KernelMachine::unwatch(Program& p) {
  for (const Watch& watch : p.watched) {
    const std::uint64_t offset = GroupMemory::offset_of(watch.address);
    --setup_.memory.page(GroupMemory::allocation_at(watch.address), offset).watchers;
  }
  p.state = State::ready;
  set_ready(p.agent);
}

void KernelMachine::wake(Page& page, std::uint64_t address, std::uint64_t bytes) {
  if (page.watchers == 0) return;
  for (Program& p : programs_) {
    if (p.state != State::parked) continue;
    const bool waits_here = std::ranges::any_of(p.watched, [&](const Watch& watch) {
      return watch.address < address + bytes && address < watch.address + watch.bytes;
    });
    if (!waits_here) continue;
    p.impatient_rounds = 0;
    p.is_exhausted = false;
    unwatch(p);
  }
}

bool KernelMachine::expire_waits() {
  bool any = false;
  for (Program& p : programs_) {
    if (p.state != State::parked) continue;
    const Instruction& i = p.code->instructions[p.pc];
    if (i.step == Step::poll || i.step == Step::thread_wait) {
      bool is_limited = false;
      for (std::uint32_t lane = 0; lane < i.n; ++lane) is_limited |= has_limit(p, i, lane);
      if (!is_limited) continue;
      p.has_expired = true;
    } else {
      if (!p.has_carried || p.is_exhausted) continue;
      p.impatient_rounds = setup_.wait_limit + rounds_beyond_limit;
    }
    any = true;
    unwatch(p);
  }
  return any;
}

}  // namespace tutti::kernels
