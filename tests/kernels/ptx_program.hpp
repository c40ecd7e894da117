// SPDX-License-Identifier: Apache-2.0
// A parser of our PTX, for the interpreter of tests and for the rules of PTX.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tutti/base/inside.hpp"

namespace tutti::kernels {

enum class PtxCode : std::uint8_t {
  mov,
  pack,
  unpack,
  convert,
  add,
  sub,
  mul,
  mul_wide,
  mad,
  div,
  rem,
  min,
  max,
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  shl,
  shr,
  setp,
  selp,
  prmt,
  load,
  store,
  load_param,
  load_shared,
  store_shared,
  atom,
  cas,
  branch,
  barrier,
  barrier_reduce,
  shuffle,
  vote,
  sleep,
  exit
};
enum class PtxOrder : std::uint8_t { weak, relaxed, acquire, release, acq_rel };
enum class PtxAtomic : std::uint8_t { exchange, add, min, max, bit_and, bit_or, bit_xor };
enum class PtxCompare : std::uint8_t { eq, ne, lt, le, gt, ge, num, nan, equ, neu, ltu, leu, gtu, geu };
enum class PtxSpecial : std::uint8_t { none, thread, block, blocks, timer };

/// A type of PTX: 'b', 's', 'u', 'f', 'h' (f16), 'g' (bf16) or 'p' (predicate), and its bits.
struct PtxType {
  char letter = 'b';
  int bits = 32;
};

struct PtxOperand {
  int reg = -1;  // -1: a number or a special register
  std::uint64_t value = 0;
  PtxSpecial special = PtxSpecial::none;
};

struct PtxInstruction {
  PtxCode code = PtxCode::exit;
  PtxType type = {}, from = {};  // from: source type of a conversion
  PtxOrder order = PtxOrder::weak;
  PtxAtomic atomic = PtxAtomic::add;
  PtxCompare compare = PtxCompare::eq;
  bool is_system = false;    // the scope is .sys
  bool is_coherent = true;   // not .nc
  bool prefers_nan = false;  // max and min
  bool toward_zero = false;
  bool is_all = false;  // a vote that asks all, not any
  bool is_own = false;  // its comment says that no peer accesses the memory
  int words = 1;        // of a vector access
  int guard = -1;
  bool is_guard_negated = false;
  std::vector<PtxOperand> operands = {};  // results first; an access: words, then the address
  std::int64_t offset = 0;                // of the address
  int target = -1;                        // of a branch: an instruction; of a parameter: its number
  std::string text = {};                  // of the source
  int line = 0;
};

struct PtxEntry {
  std::string name;
  int threads = 0;
  std::vector<int> parameter_bits;
  int shared_bytes = 0;
  int registers = 0;
  std::vector<PtxInstruction> code;
};

/// Parses the entries of a module. Throws std::runtime_error with the line for an unknown instruction or
/// modifier, so that it never reads a text differently from the assembler.
std::vector<PtxEntry> ptx_entries(const std::string& text);

}  // namespace tutti::kernels
