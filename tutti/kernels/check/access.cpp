// SPDX-License-Identifier: Apache-2.0
// Plain loads and stores.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "tutti/kernels/check/machine.hpp"

namespace tutti::kernels {
namespace {

// Bits of poison: there is no value; the value is of an earlier call; the tile with the value was left out.
constexpr std::uint8_t no_value = 1, stale_value = 2, left_out = 4;

LaneWord loaded(const std::byte* from, const Instruction& i) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, sizeof bits);
  const int unused = 64 - 8 * i.size;
  if (is_float(i.scalar)) return bits << unused >> unused;
  if (i.scalar == Scalar::i1) return bits & 1;
  return static_cast<LaneWord>(static_cast<std::int64_t>(bits << unused) >> unused);
}

}  // namespace

void KernelMachine::find(Place& place, const Program& p, const Instruction& i, std::uint64_t address,
                         std::uint64_t size) const {
  const int number = GroupMemory::allocation_at(address);
  const std::vector<std::uint64_t>& limits = setup_.calls[static_cast<std::size_t>(p.call)].limits;
  const bool is_mapped = number >= 0 && static_cast<std::size_t>(number) < limits.size();
  const std::uint64_t limit = is_mapped ? limits[static_cast<std::size_t>(number)] : 0;
  const std::uint64_t offset = GroupMemory::offset_of(address);
  if (offset >= limit || limit - offset < size) {
    std::string text = fmt::format("accesses {} bytes at {}", size, setup_.memory.describe(address));
    if (is_mapped && limit == 0 && setup_.memory[number].bytes > 0) text += ", which is not this call's";
    else if (is_mapped && limit < setup_.memory[number].bytes)
      text += fmt::format("; the call has {} of them", limit);
    fail_at(FaultKind::out_of_bounds, p, i, text);
  }
  if (offset % size != 0)
    fail_at(FaultKind::misaligned, p, i,
            fmt::format("accesses {} bytes at {}", size, setup_.memory.describe(address)));
  const Allocation& allocation = setup_.memory[number];
  place.page = &setup_.memory.page(number, offset);
  place.address = GroupMemory::address_of(number, place.page->begin);
  place.room = std::min(limit - place.page->begin, page_bytes);
  place.role = allocation.role;
  place.granule = static_cast<std::uint32_t>(allocation.granule);
}

void KernelMachine::load(Program& p, const Instruction& i) {
  LaneWord* words = p.words;
  Place place;
  LaneWord any = 0;
  for (std::uint32_t lane = 0; lane < i.n; ++lane) {
    const std::uint32_t to = i.dst + 1 + lane;
    if (!is_on(p, i, i.y, lane) || (i.w != 0 && words[i.w + 1 + lane] == 0)) {
      words[to] = i.z != 0 ? words[i.z + 1 + lane] : 0;
      p.poison[to] = i.z == 0 ? no_value : words[i.z] != 0 ? p.poison[i.z + 1 + lane] : std::uint8_t{0};
      any |= p.poison[to];
      continue;
    }
    need(p, i, i.x, lane, "the address");
    const std::uint64_t address = words[i.x + 1 + lane];
    if (!place.holds(address, i.size) || address % i.size != place.address % i.size)
      find(place, p, i, address, i.size);
    words[to] = loaded(place.page->bytes.data() + (address - place.address), i);
    p.poison[to] = place.page->shadows ? read_shadows(p, i, place, address, i.size, false) : std::uint8_t{0};
    any |= p.poison[to];
    if (p.spins > 0 && place.page->shadows) p.watched.push_back({address, i.size});
    if (!traffic_.empty()) count(p, i, place, false, false);
  }
  words[i.dst] = any;
  if (records_ && i.is_visible)
    for (std::uint32_t lane = 0; lane < i.n; ++lane)
      if (is_on(p, i, i.y, lane)) accesses_.push_back({words[i.x + 1 + lane], i.size, false});
}

void KernelMachine::store(Program& p, const Instruction& i) {
  Place place;
  for (std::uint32_t lane = 0; lane < i.n; ++lane) {
    if (!is_on(p, i, i.z, lane)) continue;
    if (p.words[i.y] != 0 && p.poison[i.y + 1 + lane] == left_out) continue;
    need(p, i, i.x, lane, "the address");
    need(p, i, i.y, lane, "the stored value");
    const std::uint64_t address = p.words[i.x + 1 + lane];
    put(p, i, place, address, p.words[i.y + 1 + lane], i.size);
    if (!traffic_.empty()) count(p, i, place, true, false);
    if (records_ && i.is_visible) accesses_.push_back({address, i.size, true});
  }
  p.has_changed = true;
}

void KernelMachine::put(Program& p, const Instruction& i, Place& place, std::uint64_t address,
                        std::uint64_t bits, std::uint32_t size) {
  if (!place.holds(address, size) || address % size != place.address % size) find(place, p, i, address, size);
  if (!place.page->shadows)
    fail_at(FaultKind::out_of_bounds, p, i,
            fmt::format("stores to {}, which is only read", setup_.memory.describe(address)));
  setup_.memory.touch(*place.page);
  write_shadows(p, i, place, address, size, false);
  const std::uint64_t at = address - place.address;
  std::memcpy(place.page->bytes.data() + at, &bits, size);
  if (place.page->words)
    if (const std::uint32_t word = place.page->words[at / 4]; word != 0)
      words_.store(word, {bits, accessor(p, i), clocks_.epoch(p.agent)}, false, false);
  wake(*place.page, address, size);
}

std::uint8_t KernelMachine::read_shadows(Program& p, const Instruction& i, const Place& place,
                                         std::uint64_t address, std::uint32_t size, bool is_atomic) {
  const Accessor by = accessor(p, i);
  const std::uint32_t* clock = clocks_.of(p.agent);
  const std::uint64_t at = address - place.address;
  std::uint8_t poison = 0;
  for (std::uint64_t k = at / place.granule; k <= (at + size - 1) / place.granule; ++k) {
    Shadow& shadow = place.page->shadows[k];
    if (const auto conflict = races_.read(shadow, by, clock, is_atomic)) [[unlikely]]
      fail_race(by, false, address, *conflict);
    if (shadow.has_value == 0) poison |= setup_.most_trips > 0 ? left_out : no_value;
    else if (shadow.write_epoch != 0 && static_cast<int>(shadow.write_site >> 20) < p.call &&
             place.role == MemoryRole::staging)
      poison |= stale_value;
  }
  // A reader is recorded in the shadow: the next reset must know the page.
  setup_.memory.touch(*place.page);
  if (poison != 0) {
    p.poison_site = by.site;
    p.poison_address = address;
  }
  return poison;
}

void KernelMachine::write_shadows(Program& p, const Instruction& i, const Place& place, std::uint64_t address,
                                  std::uint32_t size, bool is_atomic) {
  const Accessor by = accessor(p, i);
  const std::uint32_t* clock = clocks_.of(p.agent);
  const std::uint64_t at = address - place.address;
  for (std::uint64_t k = at / place.granule; k <= (at + size - 1) / place.granule; ++k)
    if (const auto conflict = races_.write(place.page->shadows[k], by, clock, is_atomic)) [[unlikely]]
      fail_race(by, true, address, *conflict);
}

// Counts atomic stores to pads as signals, and no polls. Accesses of tables and error words do not count.
void KernelMachine::count(const Program& p, const Instruction& i, const Place& place, bool is_write,
                          bool is_atomic) {
  Traffic& traffic = traffic_[static_cast<std::size_t>(p.call)];
  if (place.role == MemoryRole::pad) {
    if (is_write && is_atomic) ++traffic.signals;
    return;
  }
  if (place.role == MemoryRole::table || place.role == MemoryRole::error) return;
  const int rank = setup_.memory[static_cast<int>(place.page->allocation)].rank;
  if (rank == p.rank) {
    (is_write ? traffic.own_written : traffic.own_read)[static_cast<std::size_t>(rank)] += i.size;
    return;
  }
  // A read moves bytes from the rank of the memory to the rank of the reader.
  const int from = is_write ? p.rank : rank, to = is_write ? rank : p.rank;
  const int link = from * setup_.world + to;
  (is_write ? traffic.link_writes : traffic.link_reads)[static_cast<std::size_t>(link)] += i.size;
}

}  // namespace tutti::kernels
