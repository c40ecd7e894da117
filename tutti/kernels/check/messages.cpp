// SPDX-License-Identifier: Apache-2.0
// The texts of faults: agent, place and reason.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "tutti/kernels/check/machine.hpp"

namespace tutti::kernels {

std::string KernelMachine::who(Accessor by) const {
  const auto call = static_cast<int>(by.site >> 20);
  const std::uint32_t entry = by.site >> 18 & 3, in_code = by.site & ((1U << 18) - 1);
  if (by.agent >= setup_.world * blocks_)
    return fmt::format("rank {}, its stream, call {}: the {} of the output", rank_of(by.agent), call,
                       in_code == (1U << 18) - 1 ? "reader" : "owner");
  const KernelCall& of = setup_.calls[static_cast<std::size_t>(call)];
  const KernelCode& code = setup_.codes[static_cast<std::size_t>(of.codes[entry])];
  return fmt::format("rank {}, block {}, call {}: {} in {}", by.agent / blocks_, by.agent % blocks_, call,
                     code.sites[in_code], code.name);
}

void KernelMachine::fail_at(FaultKind kind, const Program& p, const Instruction& i,
                            const std::string& text) const {
  throw FoundFault{kind, fmt::format("{}\n{}", who(p, i), text)};
}

void KernelMachine::fail_race(Accessor by, bool writes, std::uint64_t address,
                              const Conflict& conflict) const {
  std::string text = fmt::format("at {}\n{} {}\n{} {} before\nnothing orders the two",
                                 setup_.memory.describe(address), who(by), writes ? "writes" : "reads",
                                 who(conflict.other), conflict.other_writes ? "wrote" : "read");
  const Unordered& last = unordered_[static_cast<std::size_t>(by.agent)];
  if (!last.why.empty())
    text += fmt::format("\n{} read what\n{} stored, but {}", who(last.reader), who(last.writer), last.why);
  throw FoundFault{FaultKind::race, std::move(text)};
}

void KernelMachine::fail_poison(const Program& p, const Instruction& i, std::uint32_t reg, std::uint32_t lane,
                                std::string_view what) const {
  const bool is_stale = (p.poison[reg + 1 + lane] & 2) != 0;
  std::string text = fmt::format("{} has no value in lane {}: ", what, lane);
  if (is_stale) text = fmt::format("{} in lane {} is what an earlier call left: ", what, lane);
  const std::string origin =
      p.poison_address == 0
          ? "masked off, or undefined"
          : fmt::format("{} loaded it from {}{}", who({p.agent, static_cast<std::uint32_t>(p.poison_site)}),
                        setup_.memory.describe(p.poison_address),
                        is_stale ? "" : ", which nobody has written, or a mask was off");
  fail_at(is_stale ? FaultKind::stale_read : FaultKind::poison, p, i, text + origin);
}

std::string KernelMachine::waits() const {
  std::string text;
  for (const Program& p : programs_)
    if (p.state == State::parked) text += (text.empty() ? "" : "\n") + wait_of(p);
  for (int rank = 0; rank < setup_.world; ++rank) {
    const Stream& stream = streams_[static_cast<std::size_t>(rank)];
    if (stream.is_done && stream.call < static_cast<int>(setup_.calls.size()))
      text += fmt::format("\nrank {} does not launch call {}", rank, stream.call);
    if (stream.pending.empty() || stream.is_done) continue;
    std::string blocks;
    for (auto block = stream.pending.rbegin(); block != stream.pending.rend(); ++block)
      blocks += fmt::format("{}{}", blocks.empty() ? "" : ", ", *block);
    text += fmt::format("\nrank {}, call {}: blocks {} have not begun: {} are resident", rank, stream.call,
                        blocks, stream.running);
  }
  return text;
}

std::string KernelMachine::wait_of(const Program& p) const {
  const Instruction& i = p.code->instructions[p.pc];
  const bool is_wait = i.step == Step::poll || i.step == Step::thread_wait;
  std::string text = fmt::format("{} {}", who(p, i), is_wait ? "waits" : "goes round");
  for (const Watch& watch : p.watched) {
    const int number = GroupMemory::allocation_at(watch.address);
    const std::uint64_t offset = GroupMemory::offset_of(watch.address);
    std::uint64_t seen = 0;
    Page& page = setup_.memory.page(number, offset);
    std::memcpy(&seen, page.bytes.data() + (offset - page.begin), watch.bytes);
    text += fmt::format("\n  at {}: seen {}", setup_.memory.describe(watch.address),
                        watch.bytes == 4 ? static_cast<std::int64_t>(static_cast<std::int32_t>(seen))
                                         : static_cast<std::int64_t>(seen));
    if (!is_wait) continue;
    for (std::uint32_t lane = 0; lane < i.n; ++lane)
      if (p.words[i.x + 1 + lane] == watch.address)
        text += fmt::format(", expected {}{}", static_cast<std::int64_t>(p.words[i.y + 1 + lane]),
                            i.reached == IntPredicate::eq ? "" : " or more");
  }
  return text;
}

Traffic KernelMachine::empty_traffic() const {
  const auto world = static_cast<std::size_t>(setup_.world);
  const std::vector<std::int64_t> links(world * world), ranks(world);
  return {setup_.world, links, links, ranks, ranks, 0};
}

}  // namespace tutti::kernels
