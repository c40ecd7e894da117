// SPDX-License-Identifier: Apache-2.0
// Streams of ranks: they clear an output, launch the kernels of a call, and read the output.
#include <algorithm>

#include <fmt/format.h>

#include "tutti/kernels/check/machine.hpp"

namespace tutti::kernels {
namespace {

// Sites of a stream's own accesses: the last two numbers, above all sites of code.
constexpr std::uint32_t clears = (1U << 18) - 2, reads = (1U << 18) - 1;

std::uint32_t site(int call, std::size_t entry, std::uint32_t of_code) {
  return static_cast<std::uint32_t>(call) << 20 | static_cast<std::uint32_t>(entry) << 18 | of_code;
}

}  // namespace

void KernelMachine::turn_of_stream(int rank) {
  Stream& stream = streams_[static_cast<std::size_t>(rank)];
  if (stream.delay > 0) {
    --stream.delay;
    return;
  }
  launch(rank);
}

void KernelMachine::launch(int rank) {
  Stream& stream = streams_[static_cast<std::size_t>(rank)];
  const KernelCall& call = setup_.calls[static_cast<std::size_t>(stream.call)];
  if (stream.entry == 0) clear_output(rank, stream.call);
  set_waiting(stream_agent(rank));
  stream.pending.clear();
  for (int block = call.grid; block-- > 0;) stream.pending.push_back(block);
  if (setup_.block_order == BlockOrder::shuffled)
    for (std::size_t i = stream.pending.size(); i > 1; --i)
      std::swap(stream.pending[i - 1], stream.pending[random_.below(i)]);
  stream.running = 0;
  const std::uint32_t* clock = clocks_.of(stream_agent(rank));
  stream.launched.assign(clock, clock + clocks_.agents());
  clocks_.advance(stream_agent(rank));
  const int resident = setup_.residency > 0 ? std::min(setup_.residency, call.grid) : call.grid;
  for (int i = 0; i < resident; ++i) {
    const int block = stream.pending.back();
    stream.pending.pop_back();
    start_block(rank, block);
  }
}

void KernelMachine::start_block(int rank, int block) {
  Stream& stream = streams_[static_cast<std::size_t>(rank)];
  ++stream.running;
  const KernelCall& call = setup_.calls[static_cast<std::size_t>(stream.call)];
  const int agent = rank * blocks_ + block;
  Program& p = programs_[static_cast<std::size_t>(agent)];
  const auto code = static_cast<std::size_t>(call.codes[stream.entry]);
  p.code = &setup_.codes[code];
  std::unique_ptr<Registers>& registers =
      registers_[static_cast<std::size_t>(p.agent) * setup_.codes.size() + code];
  if (!registers) {
    registers = std::make_unique<Registers>();
    registers->words = p.code->image;
    registers->poison.resize(registers->words.size());
  }
  p.words = registers->words.data();
  p.poison = registers->poison.data();
  const std::vector<LaneWord>& arguments = call.arguments[static_cast<std::size_t>(rank)];
  for (std::size_t i = 0; i < arguments.size(); ++i) p.words[p.code->arguments[i] + 1] = arguments[i];
  p.words[p.code->program_id + 1] = static_cast<LaneWord>(block);
  p.words[p.code->num_programs + 1] = static_cast<LaneWord>(call.grid);
  p.pc = 0;
  p.call = stream.call;
  p.call_site = site(stream.call, stream.entry, 0);
  p.spins = 0;
  p.watched.clear();
  p.is_waiting = p.has_expired = p.is_exhausted = p.was_stale = false;
  p.impatient_rounds = 0;
  p.poison_site = p.poison_address = 0;
  clocks_.join(clocks_.of(p.agent), stream.launched.data());
  p.state = State::ready;
  set_ready(p.agent);
}

// A finished block makes room for the next one. That orders nothing between the two: only the end of the
// kernel does.
void KernelMachine::finish(Program& p) {
  p.state = State::idle;
  set_waiting(p.agent);
  Stream& stream = streams_[static_cast<std::size_t>(p.rank)];
  clocks_.join(clocks_.of(stream_agent(p.rank)), clocks_.of(p.agent));
  clocks_.advance(p.agent);
  --stream.running;
  if (!stream.pending.empty()) {
    const int block = stream.pending.back();
    stream.pending.pop_back();
    return start_block(p.rank, block);
  }
  if (stream.running > 0) return;
  if (++stream.entry < setup_.calls[static_cast<std::size_t>(stream.call)].codes.size())
    return set_ready(stream_agent(p.rank));
  const int call = stream.call;
  read_output(p.rank, call);
  ++stream.call;
  finish_call(p.rank);
}

// Makes the next call ready, if there is one.
void KernelMachine::finish_call(int rank) {
  Stream& stream = streams_[static_cast<std::size_t>(rank)];
  stream.entry = 0;
  while (stream.call < static_cast<int>(setup_.calls.size()) &&
         setup_.calls[static_cast<std::size_t>(stream.call)].grid == 0)
    ++stream.call;  // nothing is launched, on any rank
  const bool is_absent = setup_.absent && setup_.absent->rank == rank && setup_.absent->call <= stream.call;
  stream.is_done = is_absent || stream.call == static_cast<int>(setup_.calls.size());
  if (stream.is_done) return;
  stream.delay = setup_.most_delay > 0
                     ? static_cast<int>(random_.below(static_cast<std::size_t>(setup_.most_delay) + 1))
                     : 0;
  set_ready(stream_agent(rank));
}

void KernelMachine::clear_output(int rank, int call_number) {
  const KernelCall& call = setup_.calls[static_cast<std::size_t>(call_number)];
  const int output = call.outputs[static_cast<std::size_t>(rank)];
  if (output < 0) return;
  const int agent = stream_agent(rank);
  const Accessor by{agent, site(call_number, 0, clears)};
  const std::uint64_t bytes = setup_.memory[output].bytes, address = GroupMemory::address_of(output);
  if (records_) accesses_.push_back({address, bytes, true});
  const auto granule = static_cast<std::uint64_t>(setup_.memory[output].granule);
  const auto clear = [&](Page& page) {
    const std::uint64_t count = (std::min(page_bytes, bytes - page.begin) + granule - 1) / granule;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (call.peers_see_outputs)
        if (const auto conflict = races_.write(page.shadows[i], by, clocks_.of(agent), false))
          fail_race(by, true, address + page.begin + i * granule, *conflict);
      page.shadows[i].has_value = 0;
    }
  };
  // If peers do not see the output, only the rank's kernels touched it. If iterations are skipped, untouched
  // pages have no values and stay unmade.
  if (!call.peers_see_outputs || setup_.most_trips > 0) {
    for (Page* page : setup_.memory.touched())
      if (page->allocation == static_cast<std::uint32_t>(output)) clear(*page);
    return;
  }
  for (std::uint64_t at = 0; at < bytes; at += page_bytes) {
    Page& page = setup_.memory.page(output, at);
    setup_.memory.touch(page);
    clear(page);
  }
}

void KernelMachine::read_output(int rank, int call_number) {
  const KernelCall& call = setup_.calls[static_cast<std::size_t>(call_number)];
  const int output = call.outputs[static_cast<std::size_t>(rank)];
  if (output >= 0 && call.peers_see_outputs) {
    const int agent = stream_agent(rank);
    const Accessor by{agent, site(call_number, 0, reads)};
    const std::uint64_t bytes = setup_.memory[output].bytes, address = GroupMemory::address_of(output);
    if (records_) accesses_.push_back({address, bytes, false});
    const auto granule = static_cast<std::uint64_t>(setup_.memory[output].granule);
    const auto read = [&](Page& page) {
      const std::uint64_t count = (std::min(page_bytes, bytes - page.begin) + granule - 1) / granule;
      for (std::uint64_t i = 0; i < count; ++i)
        if (const auto conflict = races_.read(page.shadows[i], by, clocks_.of(agent), false))
          fail_race(by, false, address + page.begin + i * granule, *conflict);
    };
    for (Page* page : setup_.memory.touched())
      if (page->allocation == static_cast<std::uint32_t>(output)) read(*page);
  }
  if (!setup_.compare) return;
  if (const auto fault = setup_.compare(call_number, rank)) throw FoundFault(*fault);
}

}  // namespace tutti::kernels
