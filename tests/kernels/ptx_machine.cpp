// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/ptx_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "tests/kernels/ptx_values.hpp"

namespace tutti::kernels {
namespace {

constexpr int address_bits = 36;  // of a place in a buffer
constexpr std::size_t warp = 32;
constexpr std::uint64_t unwritten = 0xA5A5'5A5A'DEAD'BEEF;

using State = PtxThread::State;

bool is_of_warp(PtxCode code) { return code == PtxCode::shuffle || code == PtxCode::vote; }
bool is_of_block(PtxCode code) { return code == PtxCode::barrier || code == PtxCode::barrier_reduce; }

}  // namespace

std::uint64_t PtxMemory::allocate(std::size_t bytes, std::string name, std::byte fill) {
  buffers_.push_back({std::move(name), std::vector<std::byte>(bytes, fill)});
  return static_cast<std::uint64_t>(buffers_.size()) << address_bits;
}

std::span<std::byte> PtxMemory::buffer(std::uint64_t address) {
  return buffers_.at((address >> address_bits) - 1).bytes;
}

std::byte* PtxMemory::access(std::uint64_t address, std::size_t bytes) {
  const std::uint64_t number = address >> address_bits;
  if (number == 0 || number > buffers_.size())
    throw std::runtime_error(fmt::format("address {:#x} is in no buffer", address));
  Buffer& buffer = buffers_[number - 1];
  const std::uint64_t at = address & ((std::uint64_t{1} << address_bits) - 1);
  if (at + bytes > buffer.bytes.size())
    throw std::runtime_error(
        fmt::format("{} bytes at {} of {}, which has {}", bytes, at, buffer.name, buffer.bytes.size()));
  if (at % bytes != 0) throw std::runtime_error(fmt::format("{} bytes at {} of {}", bytes, at, buffer.name));
  return buffer.bytes.data() + at;
}

std::uint64_t PtxMemory::load(std::uint64_t address, std::size_t bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, access(address, bytes), bytes);
  return value;
}

void PtxMemory::store(std::uint64_t address, std::size_t bytes, std::uint64_t value) {
  std::memcpy(access(address, bytes), &value, bytes);
}

PtxBlock::PtxBlock(const PtxEntry& entry, PtxMemory& memory, std::vector<std::uint64_t> arguments, int block,
                   int blocks)
    : entry_(entry),
      memory_(memory),
      arguments_(std::move(arguments)),
      block_(block),
      blocks_(blocks),
      shared_(static_cast<std::size_t>(entry.shared_bytes)),
      threads_(static_cast<std::size_t>(entry.threads)) {
  for (PtxThread& thread : threads_)
    thread.registers.assign(static_cast<std::size_t>(entry.registers), unwritten);
}

bool PtxBlock::is_done() const {
  return std::ranges::all_of(threads_, [](const PtxThread& thread) { return thread.state == State::done; });
}

std::int64_t PtxBlock::turn(int most, std::uint64_t& clock, std::mt19937& random) {
  std::vector<int> order(threads_.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  std::int64_t steps = 0;
  for (const int number : order) {
    PtxThread& thread = threads_[static_cast<std::size_t>(number)];
    for (int i = 0; i < most && thread.state == State::runs; ++i, ++steps) {
      clock_ = ++clock;
      step(thread, number);
    }
  }
  meet_in_warps();
  meet_in_block();
  return steps;
}

void PtxBlock::step(PtxThread& thread, int number) {
  const PtxInstruction& instruction = entry_.code.at(static_cast<std::size_t>(thread.at));
  const bool runs = instruction.guard < 0 || (thread.registers[static_cast<std::size_t>(instruction.guard)] !=
                                              0) != instruction.is_guard_negated;
  if (!runs) {
    ++thread.at;
    return;
  }
  if (is_of_block(instruction.code) || is_of_warp(instruction.code)) {
    thread.state = is_of_warp(instruction.code) ? State::at_warp : State::at_barrier;
    return;
  }
  try {
    run(thread, instruction, number);
  } catch (const std::runtime_error& fault) {
    throw std::runtime_error(fmt::format("{}, block {}, thread {}, line {}: {}\n  {}", entry_.name, block_,
                                         number, instruction.line, instruction.text, fault.what()));
  }
}

std::uint64_t PtxBlock::value(const PtxThread& thread, const PtxOperand& operand, int number) const {
  if (operand.reg >= 0) return thread.registers[static_cast<std::size_t>(operand.reg)];
  switch (operand.special) {
    case PtxSpecial::none: break;
    case PtxSpecial::thread: return static_cast<std::uint64_t>(number);
    case PtxSpecial::block: return static_cast<std::uint64_t>(block_);
    case PtxSpecial::blocks: return static_cast<std::uint64_t>(blocks_);
    case PtxSpecial::timer: return clock_;
  }
  return operand.value;
}

std::uint64_t PtxBlock::address(const PtxThread& thread, const PtxInstruction& instruction,
                                std::size_t operand) const {
  return value(thread, instruction.operands[operand], 0) + static_cast<std::uint64_t>(instruction.offset);
}

void PtxBlock::set(PtxThread& thread, const PtxInstruction& instruction, std::uint64_t value) {
  thread.registers[static_cast<std::size_t>(instruction.operands[0].reg)] = value;
}

void PtxBlock::run(PtxThread& thread, const PtxInstruction& i, int number) {
  const auto in = [&](std::size_t k) { return value(thread, i.operands[k], number); };
  ++thread.at;
  switch (i.code) {
    case PtxCode::exit: thread.state = State::done; return;
    case PtxCode::sleep: return;
    case PtxCode::branch: thread.at = i.target; return;
    case PtxCode::mov: return set(thread, i, as_typed(in(1), {'u', i.type.bits}));
    case PtxCode::pack: return set(thread, i, as_typed(in(1), {'u', 32}) | in(2) << 32);
    case PtxCode::unpack:
      thread.registers[static_cast<std::size_t>(i.operands[1].reg)] = in(2) >> 32;
      return set(thread, i, as_typed(in(2), {'u', 32}));
    case PtxCode::convert: return set(thread, i, converted(i, in(1)));
    case PtxCode::bit_not: return set(thread, i, as_typed(~in(1), {'u', i.type.bits}));
    case PtxCode::setp: return set(thread, i, compared(i, in(1), in(2)) ? 1 : 0);
    case PtxCode::selp: return set(thread, i, as_typed(in(3) != 0 ? in(1) : in(2), {'u', i.type.bits}));
    case PtxCode::prmt: return set(thread, i, permuted(in(1), in(2), in(3)));
    case PtxCode::mad: return set(thread, i, as_typed(in(1) * in(2) + in(3), i.type));
    case PtxCode::load_param:
      return set(thread, i, as_typed(arguments_[static_cast<std::size_t>(i.target)], {'u', i.type.bits}));
    case PtxCode::load:
    case PtxCode::store:
    case PtxCode::load_shared:
    case PtxCode::store_shared:
    case PtxCode::atom:
    case PtxCode::cas: return access(thread, i);
    case PtxCode::barrier:
    case PtxCode::barrier_reduce:
    case PtxCode::shuffle:
    case PtxCode::vote: break;  // threads meet
    default: return set(thread, i, computed(i, in(1), in(2)));
  }
}

void PtxBlock::access(PtxThread& thread, const PtxInstruction& i) {
  const auto bytes = static_cast<std::size_t>(i.type.bits / 8), words = static_cast<std::size_t>(i.words);
  const auto word = [&](std::size_t k) { return value(thread, i.operands[k], 0); };
  const bool is_atomic = i.code == PtxCode::atom || i.code == PtxCode::cas;
  const std::uint64_t at = address(thread, i, is_atomic ? 1 : words);
  if (i.code == PtxCode::load_shared || i.code == PtxCode::store_shared) {
    if (at % bytes != 0 || at + bytes > shared_.size())
      throw std::runtime_error(fmt::format("shared memory at {}", at));
    std::uint64_t moved = i.code == PtxCode::store_shared ? word(0) : 0;
    if (i.code == PtxCode::store_shared) std::memcpy(&shared_[at], &moved, bytes);
    else std::memcpy(&moved, &shared_[at], bytes);
    if (i.code == PtxCode::load_shared) set(thread, i, moved);
    return;
  }
  memory_.access(at, bytes * words);  // a vector is aligned as a whole
  for (std::size_t k = 0; k < words && !is_atomic; ++k) {
    if (i.code == PtxCode::store) memory_.store(at + k * bytes, bytes, word(k));
    else thread.registers[static_cast<std::size_t>(i.operands[k].reg)] = memory_.load(at + k * bytes, bytes);
  }
  if (!is_atomic) return;
  const std::uint64_t before = memory_.load(at, bytes), x = word(2);
  const bool is_equal = as_typed(x, {'u', i.type.bits}) == before;
  if (i.code == PtxCode::atom) memory_.store(at, bytes, exchanged(i, before, x));
  else if (is_equal) memory_.store(at, bytes, word(3));
  set(thread, i, before);
}

void PtxBlock::meet_in_warps() {
  for (std::size_t first = 0; first < threads_.size(); first += warp) {
    const std::span<PtxThread> lanes = std::span(threads_).subspan(first, warp);
    if (std::ranges::all_of(lanes, [&](const PtxThread& lane) {
          return lane.state == State::at_warp && lane.at == lanes[0].at;
        }))
      exchange_in_warp(first);
  }
}

void PtxBlock::exchange_in_warp(std::size_t first) {
  const std::span<PtxThread> lanes = std::span(threads_).subspan(first, warp);
  const PtxInstruction& i = entry_.code[static_cast<std::size_t>(lanes[0].at)];
  std::vector<std::uint64_t> given;
  for (const PtxThread& lane : lanes) given.push_back(value(lane, i.operands[1], 0));
  const auto yes =
      static_cast<std::size_t>(std::ranges::count_if(given, [](std::uint64_t x) { return x != 0; }));
  for (std::size_t k = 0; k < warp; ++k) {
    const std::uint64_t vote = i.is_all ? yes == warp : yes > 0;
    const std::uint64_t distance = i.code == PtxCode::shuffle ? i.operands[2].value : 0;
    set(lanes[k], i, i.code == PtxCode::vote ? vote : given[k ^ distance]);
    ++lanes[k].at;
    lanes[k].state = State::runs;
  }
}

// All threads of a block must come to the same barrier: on a GPU others would wait for ever, or pass one that
// is not theirs.
void PtxBlock::meet_in_block() {
  const auto waits = [](const PtxThread& thread) { return thread.state == State::at_barrier; };
  if (std::ranges::any_of(threads_, [](const PtxThread& thread) { return thread.state == State::runs; }))
    return;
  if (!std::ranges::any_of(threads_, waits)) {
    if (is_done()) return;
    throw std::runtime_error(fmt::format("{}, block {}: lanes of a warp wait in vain", entry_.name, block_));
  }
  const int at = std::ranges::find_if(threads_, waits)->at;
  for (const PtxThread& thread : threads_)
    if (!waits(thread) || thread.at != at)
      throw std::runtime_error(fmt::format("{}, block {}: not all threads come to the barrier of line {}",
                                           entry_.name, block_,
                                           entry_.code[static_cast<std::size_t>(at)].line));
  const PtxInstruction& i = entry_.code[static_cast<std::size_t>(at)];
  const auto says_yes = [&](const PtxThread& thread) { return value(thread, i.operands.back(), 0) != 0; };
  const bool reduced =
      i.is_all ? std::ranges::all_of(threads_, says_yes) : std::ranges::any_of(threads_, says_yes);
  for (PtxThread& thread : threads_) {
    if (i.code == PtxCode::barrier_reduce) set(thread, i, reduced ? 1 : 0);
    ++thread.at;
    thread.state = State::runs;
  }
}

}  // namespace tutti::kernels
