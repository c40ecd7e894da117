// SPDX-License-Identifier: Apache-2.0
// Instructions that touch only registers, and their rules for poison.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "tutti/kernels/check/machine.hpp"

namespace tutti::kernels {

// A lane of the result is poison if that lane of an operand is. Reads headers first: dst may be an operand.
void KernelMachine::poison_any(Program& p, const Instruction& i) {
  std::uint8_t* to = p.poison + i.dst + 1;
  const std::uint32_t operands[] = {i.x, i.y, i.z};
  bool is_poison[3];
  for (std::size_t k = 0; k < 3; ++k) is_poison[k] = p.words[operands[k]] != 0;
  for (std::uint32_t lane = 0; lane < i.n; ++lane) {
    std::uint8_t any = 0;
    for (std::size_t k = 0; k < 3; ++k)
      if (is_poison[k]) any |= p.poison[operands[k] + 1 + lane];
    to[lane] = any;
  }
  p.words[i.dst] = 1;
}

void KernelMachine::partial(Program& p, const Instruction& i) {
  LaneWord* words = p.words;
  bool is_defined = true;
  for (std::uint32_t lane = 1; lane <= i.n; ++lane)
    is_defined &= !is_undefined(i.arith, i.scalar, words[i.x + lane], words[i.y + lane]);
  if (!is_defined || (words[i.x] | words[i.y]) != 0) {
    const bool was_defined = (words[i.x] | words[i.y]) == 0;
    poison_any(p, i);
    if (was_defined) std::fill_n(p.poison + i.dst + 1, i.n, std::uint8_t{0});
    for (std::uint32_t lane = 1; lane <= i.n; ++lane)
      if (is_undefined(i.arith, i.scalar, words[i.x + lane], words[i.y + lane])) p.poison[i.dst + lane] |= 1;
  } else {
    words[i.dst] = 0;
  }
  i.fn(words + i.dst + 1, words + i.x + 1, words + i.y + 1, nullptr, i.n);
}

// A lane of the result has the poison of the condition and of the chosen operand only.
void KernelMachine::select(Program& p, const Instruction& i) {
  LaneWord* words = p.words;
  const bool any = (words[i.x] | words[i.y] | words[i.z]) != 0;
  if (any) {
    for (std::uint32_t lane = 1; lane <= i.n; ++lane) {
      const std::uint32_t condition = i.x + (i.flag ? 1 : lane), chosen = words[condition] != 0 ? i.y : i.z;
      std::uint8_t poison = words[chosen] != 0 ? p.poison[chosen + lane] : std::uint8_t{0};
      if (words[i.x] != 0) poison |= p.poison[condition];
      p.poison[i.dst + lane] = poison;
    }
  }
  i.fn(words + i.dst + 1, words + i.x + 1, words + i.y + 1, words + i.z + 1, i.n);
  words[i.dst] = any ? 1 : 0;
}

void KernelMachine::gather(Program& p, const Instruction& i) {
  const std::vector<std::uint32_t>& table = p.code->tables[i.target];
  for (std::uint32_t lane = 0; lane < i.n; ++lane) {
    p.words[i.dst + 1 + lane] = p.words[i.x + 1 + table[lane]];
    if (p.words[i.x] != 0) p.poison[i.dst + 1 + lane] = p.poison[i.x + 1 + table[lane]];
  }
  p.words[i.dst] = p.words[i.x];
}

void KernelMachine::fold(Program& p, const Instruction& i) {
  const std::vector<std::uint32_t>& extents = p.code->tables[i.target];
  const std::size_t extent = extents[1], inner = extents[2];
  const bool is_poison = p.words[i.x] != 0;
  for (std::size_t outer = 0; outer < extents[0]; ++outer) {
    LaneWord* to = p.words + i.dst + 1 + outer * inner;
    const LaneWord* from = p.words + i.x + 1 + outer * extent * inner;
    std::copy_n(from, inner, to);
    for (std::size_t k = 1; k < extent; ++k) i.fn(to, to, from + k * inner, nullptr, inner);
    if (!is_poison) continue;
    for (std::size_t lane = 0; lane < inner; ++lane) {
      std::uint8_t any = 0;
      for (std::size_t k = 0; k < extent; ++k) any |= p.poison[i.x + 1 + (outer * extent + k) * inner + lane];
      p.poison[i.dst + 1 + outer * inner + lane] = any;
    }
  }
  p.words[i.dst] = is_poison ? 1 : 0;
}

// An address that leaves its allocation's range becomes poison, because it would name another allocation.
void KernelMachine::add_address(Program& p, const Instruction& i) {
  LaneWord* words = p.words;
  if ((words[i.x] | words[i.y]) != 0) poison_any(p, i);
  else words[i.dst] = 0;
  bool stays = true;
  for (std::uint32_t lane = 1; lane <= i.n; ++lane) {
    const LaneWord from = words[i.x + lane], to = from + words[i.y + lane] * i.size;
    stays &= GroupMemory::share_range(from, to);
  }
  if (!stays) {
    if (words[i.dst] == 0) std::fill_n(p.poison + i.dst + 1, i.n, std::uint8_t{0});
    words[i.dst] = 1;
    for (std::uint32_t lane = 1; lane <= i.n; ++lane) {
      const LaneWord from = words[i.x + lane];
      if (!GroupMemory::share_range(from, from + words[i.y + lane] * i.size)) p.poison[i.dst + lane] |= 1;
    }
  }
  for (std::uint32_t lane = 1; lane <= i.n; ++lane)
    words[i.dst + lane] = words[i.x + lane] + words[i.y + lane] * i.size;
}

void KernelMachine::hinted(Program& p, const Instruction& i) {
  for (std::uint32_t lane = 1; lane <= i.n; ++lane) {
    if (p.words[i.x] != 0 && p.poison[i.x + lane] != 0) continue;
    if (p.words[i.x + lane] % i.extra == 0) continue;
    fail_at(FaultKind::misaligned, p, i,
            fmt::format("promises a multiple of {} bytes, but the address is {}", i.extra,
                        setup_.memory.describe(p.words[i.x + lane])));
  }
}

void KernelMachine::mask_and(Program& p, const Instruction& i) {
  for (std::uint32_t lane = 0; lane < i.n; ++lane) {
    const bool is_outer = i.x == 0 || p.words[i.x + 1 + lane] != 0;
    if (is_outer) need(p, i, i.y, lane, "the condition");
    const bool is_on = (p.words[i.y + 1 + lane] != 0) != i.flag;
    p.words[i.dst + 1 + lane] = is_outer && is_on ? 1 : 0;
  }
  p.words[i.dst] = 0;
}

bool KernelMachine::carry(Program& p, const Instruction& i) {
  LaneWord* to = p.words + i.dst;
  const LaneWord* from = p.words + i.x;
  const bool changes = !std::equal(to + 1, to + 1 + i.n, from + 1);
  std::copy_n(from, i.n + 1, to);
  if (*from != 0) std::copy_n(p.poison + i.x + 1, i.n, p.poison + i.dst + 1);
  return changes;
}

}  // namespace tutti::kernels
