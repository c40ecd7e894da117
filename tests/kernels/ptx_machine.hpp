// SPDX-License-Identifier: Apache-2.0
// Interprets our PTX on the CPU: threads, warps and block barriers, memory with bounds and alignment. The
// model covers the results of instructions; the checker covers weak memory and races, on the IR.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/kernels/ptx_program.hpp"

namespace tutti::kernels {

/// Buffers with addresses far from each other. An access outside of them, or one that is not aligned, is a
/// fault.
class PtxMemory {
 public:
  /// Makes a buffer filled with one byte. Returns its address, a multiple of 2^36.
  std::uint64_t allocate(std::size_t bytes, std::string name, std::byte fill = std::byte{0});
  std::span<std::byte> buffer(std::uint64_t address);
  /// The memory at an address. Throws std::runtime_error unless all bytes lie in one buffer, at a multiple of
  /// `bytes`.
  std::byte* access(std::uint64_t address, std::size_t bytes);

  std::uint64_t load(std::uint64_t address, std::size_t bytes);
  void store(std::uint64_t address, std::size_t bytes, std::uint64_t value);

 private:
  struct Buffer {
    std::string name;
    std::vector<std::byte> bytes;
  };
  std::vector<Buffer> buffers_;
};

struct PtxThread {
  enum class State : std::uint8_t { runs, at_barrier, at_warp, done };
  State state = State::runs;
  int at = 0;  // the next instruction
  std::vector<std::uint64_t> registers;
};

/// One block of a launch.
class PtxBlock {
 public:
  /// Fills the registers with bits other than 0, so that a read before the first write shows.
  PtxBlock(const PtxEntry& entry, PtxMemory& memory, std::vector<std::uint64_t> arguments, int block,
           int blocks);

  bool is_done() const;
  /// Runs every thread until it waits, or for `most` instructions, in an order drawn from `random`. Returns
  /// the number of instructions. Throws std::runtime_error with the instruction for a fault of memory or a
  /// deadlock of threads.
  std::int64_t turn(int most, std::uint64_t& clock, std::mt19937& random);

 private:
  void step(PtxThread& thread, int number);
  void run(PtxThread& thread, const PtxInstruction& instruction, int number);
  void access(PtxThread& thread, const PtxInstruction& instruction);
  void set(PtxThread& thread, const PtxInstruction& instruction, std::uint64_t value);
  std::uint64_t value(const PtxThread& thread, const PtxOperand& operand, int number) const;
  std::uint64_t address(const PtxThread& thread, const PtxInstruction& instruction,
                        std::size_t operand) const;
  void meet_in_warps();
  void meet_in_block();
  void exchange_in_warp(std::size_t first);

  const PtxEntry& entry_;
  PtxMemory& memory_;
  std::vector<std::uint64_t> arguments_;
  int block_, blocks_;
  std::uint64_t clock_ = 0;
  std::vector<std::byte> shared_;
  std::vector<PtxThread> threads_;
};

}  // namespace tutti::kernels
