// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/ptx_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <list>
#include <numeric>
#include <stdexcept>

#include "tests/kernels/ptx_machine.hpp"
#include "tutti/kernels/check/expected.hpp"
#include "tutti/kernels/ptx/ptx_text.hpp"

namespace tutti::kernels {
namespace {

constexpr int most_instructions = 400;  // of a thread at once

/// The launches of one rank: entries run one after the other.
struct Launched {
  const PtxEntry* entry;
  std::vector<std::uint64_t> arguments;
};

struct RankState {
  std::vector<Launched> launches;
  std::size_t next = 0;  // the one after those that began
  std::list<PtxBlock> blocks;
};

class Group {
 public:
  Group(const Manifest& manifest, const PtxRun& run)
      : manifest_(manifest),
        run_(run),
        world_(manifest.spec.world),
        entries_(ptx_entries(run.ptx.empty() ? ptx_text(manifest, run.target) : run.ptx)),
        random_(run.seed),
        ranks_(static_cast<std::size_t>(world_)) {
    allocate_shared();
    for (int call = 0; call < run_.calls; ++call) add_call(call);
  }

  PtxOutcome outcome() {
    PtxOutcome result;
    try {
      result.steps = run_all();
      result.timeouts = timeouts();
      if (result.timeouts == 0) compare();
    } catch (const std::runtime_error& fault) {
      result.fault = fault.what();
    }
    return result;
  }

 private:
  std::size_t bytes(std::int64_t n) const { return static_cast<std::size_t>(n); }

  std::uint64_t table(const std::vector<std::uint64_t>& addresses, std::string name) {
    const std::uint64_t at = memory_.allocate(addresses.size() * 8, std::move(name));
    std::memcpy(memory_.buffer(at).data(), addresses.data(), addresses.size() * 8);
    return at;
  }

  void allocate_shared() {
    std::vector<std::uint64_t> pads, halves, inboxes;
    for (int rank = 0; rank < world_; ++rank) {
      pads.push_back(memory_.allocate(bytes(std::int64_t{manifest_.pads.rows} * manifest_.pads.row_bytes),
                                      fmt::format("pad of rank {}", rank)));
      const std::uint32_t before = run_.first_sequence - 1;
      const std::span<std::byte> pad = memory_.buffer(pads.back());
      for (std::size_t at = 0; at < pad.size(); at += 4) std::memcpy(&pad[at], &before, 4);
      errors_.push_back(
          memory_.allocate(bytes(manifest_.error_bytes), fmt::format("errors of rank {}", rank)));
    }
    for (int half = 0; half < 2; ++half)
      for (int rank = 0; rank < world_; ++rank) {
        const std::string name = fmt::format("half {} of rank {}", half, rank);
        halves.push_back(
            memory_.allocate(bytes(manifest_.staging.bytes_per_half), "staging " + name, std::byte{0xEE}));
        inboxes.push_back(memory_.allocate(bytes(manifest_.inboxes.bytes_per_half), "inboxes, " + name));
      }
    signal_table_ = table(pads, "table of pads");
    staging_table_ = table(halves, "table of stagings");
    inbox_table_ = table(inboxes, "table of inboxes");
  }

  void add_call(int call) {
    const CallData& data = calls_.emplace_back(manifest_.spec, call, run_.numbers);
    std::vector<std::uint64_t> inputs, outputs;
    for (int rank = 0; rank < world_; ++rank) {
      inputs.push_back(memory_.allocate(bytes(data.input_bytes()), fmt::format("input of rank {}", rank)));
      data.fill_input(rank, 0, memory_.buffer(inputs.back()));
      outputs.push_back(memory_.allocate(bytes(data.output_bytes()), fmt::format("output of rank {}", rank),
                                         std::byte{0xDD}));
    }
    outputs_.push_back(outputs);
    const std::uint64_t output_table = table(outputs, "table of outputs");
    for (int rank = 0; rank < world_; ++rank) {
      if (rank == run_.absent || manifest_.launch.grid == 0) continue;
      const auto at = static_cast<std::size_t>(rank);
      std::vector<std::uint64_t> arguments;
      for (const LaunchArgument& argument : manifest_.arguments)
        arguments.push_back(argument_of(argument.kind, call, rank, inputs[at], outputs[at], output_table));
      for (const PtxEntry& entry : entries_) {
        if (entry.parameter_bits.size() != arguments.size())
          throw std::runtime_error(entry.name + " has another number of parameters than the manifest");
        ranks_[at].launches.push_back({&entry, arguments});
      }
    }
  }

  std::uint64_t argument_of(ArgumentKind kind, int call, int rank, std::uint64_t input, std::uint64_t output,
                            std::uint64_t output_table) const {
    const auto before = static_cast<std::uint32_t>(call * manifest_.sequence.signals);
    switch (kind) {
      case ArgumentKind::input: return input;
      case ArgumentKind::output: return output;
      case ArgumentKind::rank: return static_cast<std::uint64_t>(rank);
      case ArgumentKind::sequence: return static_cast<std::uint32_t>(run_.first_sequence + before);
      case ArgumentKind::half: return static_cast<std::uint64_t>(call % 2);
      case ArgumentKind::signal_table: return signal_table_;
      case ArgumentKind::staging_table: return staging_table_;
      case ArgumentKind::inbox_table: return inbox_table_;
      case ArgumentKind::output_table: return output_table;
      case ArgumentKind::wait_limit: return static_cast<std::uint64_t>(run_.wait_limit);
      case ArgumentKind::error: break;
    }
    return errors_[static_cast<std::size_t>(rank)];
  }

  /// Begins the next launch if the one before has ended. -> false if there is nothing left
  bool has_blocks(RankState& rank) {
    std::erase_if(rank.blocks, [](const PtxBlock& block) { return block.is_done(); });
    if (!rank.blocks.empty()) return true;
    if (rank.next == rank.launches.size()) return false;
    const Launched& launched = rank.launches[rank.next++];
    for (int block = 0; block < manifest_.launch.grid; ++block)
      rank.blocks.emplace_back(*launched.entry, memory_, launched.arguments, block, manifest_.launch.grid);
    return true;
  }

  std::int64_t run_all() {
    std::vector<std::size_t> order(ranks_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::int64_t steps = 0;
    for (bool is_busy = true; is_busy;) {
      is_busy = false;
      std::ranges::shuffle(order, random_);
      for (const std::size_t number : order) {
        RankState& rank = ranks_[number];
        if (!has_blocks(rank)) continue;
        is_busy = true;
        for (PtxBlock& block : rank.blocks) steps += block.turn(most_instructions, clock_, random_);
        if (steps > run_.most_steps)
          throw std::runtime_error(fmt::format("no end after {} instructions", steps));
      }
    }
    return steps;
  }

  std::int64_t timeouts() {
    std::int64_t count = 0;
    for (const std::uint64_t error : errors_)
      for (std::size_t at = error_pair_bytes; at < memory_.buffer(error).size(); at += error_pair_bytes)
        count += memory_.buffer(error)[at] != std::byte{0} ? 1 : 0;
    return count;
  }

  void compare() {
    for (std::size_t call = 0; call < calls_.size(); ++call)
      for (int rank = 0; rank < world_; ++rank) {
        const std::span<std::byte> found = memory_.buffer(outputs_[call][static_cast<std::size_t>(rank)]);
        std::vector<std::byte> expected(found.size());
        calls_[call].fill_output(rank, 0, expected);
        const auto differs = std::ranges::mismatch(found, expected).in1 - found.begin();
        if (differs == static_cast<std::ptrdiff_t>(found.size())) continue;
        throw std::runtime_error(fmt::format("call {}, rank {}: element {} of the output is wrong", call,
                                             rank, differs / calls_[call].element_bytes()));
      }
  }

  const Manifest& manifest_;
  const PtxRun& run_;
  int world_;
  std::vector<PtxEntry> entries_;
  std::mt19937 random_;
  std::uint64_t clock_ = 0;
  PtxMemory memory_;
  std::vector<RankState> ranks_;
  std::vector<CallData> calls_;
  std::vector<std::vector<std::uint64_t>> outputs_;  // by call and rank
  std::vector<std::uint64_t> errors_;
  std::uint64_t signal_table_ = 0, staging_table_ = 0, inbox_table_ = 0;
};

}  // namespace

PtxOutcome run_ptx(const Manifest& manifest, const PtxRun& run) { return Group(manifest, run).outcome(); }

}  // namespace tutti::kernels
