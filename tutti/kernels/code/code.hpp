// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/kernels/code/lanes.hpp"
#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

/// The action of an instruction. Steps from `load` on access memory.
enum class Step : std::uint8_t {
  lanes,         // dst = fn(x, y, z) lane by lane
  partial,       // as lanes; lanes where the op is undefined become poison
  select,        // dst = x ? y : z
  splat,         // every lane of dst = x
  gather,        // lane i of dst = lane table[i] of x
  fold,          // dst = x folded by fn along one dim
  add_address,   // dst = x + y * size
  hinted,        // checks that the addresses x are multiples of `extra`
  mask_and,      // dst = x and y, lanes of threads; y is inverted if `flag`
  carry,         // dst = x at the end of a loop's body; notes whether that changes dst
  jump,          // to target
  jump_unless,   // to target unless x
  jump_if_none,  // to target if no lane of x
  for_test,      // to target unless the index x is below y; z is the first, w the step
  for_next,      // x += y, to target
  spin_begin,    // a while loop begins
  spin_next,     // before another round: a round that only read parks until a write
  spin_round,    // a round begins
  spin_end,
  end,
  load,           // dst = memory at x; mask y, other z, mask of threads w
  store,          // memory at x = y; mask z
  rmw,            // dst = memory at x before; operand y, mask z
  cas,            // dst = memory at x before; expected y, new z
  atomic_store,   // memory at x = y; mask z
  atomic_load,    // dst = memory at x; mask y
  poll,           // dst = 1 once memory at x equals y, 0 after the timeout z
  thread_signal,  // by thread: memory at x = y under the mask w
  thread_wait  // by thread: dst = 1 once memory at x reaches y, 0 after limit z; error words `extra`, mask w
};

/// One instruction. Operands are numbers of registers; register 0 means none.
struct Instruction {
  Step step = Step::end;
  Scalar scalar = Scalar::i32;
  Order order = Order::relaxed;
  Scope scope = Scope::sys;
  RmwOp rmw = RmwOp::add;
  ArithOp arith = ArithOp::addi;
  IntPredicate reached = IntPredicate::sge;
  std::uint8_t size = 0;    // bytes of an element in memory
  bool is_visible = false;  // peers may see the access: at most one per turn
  bool flag = false;
  std::uint32_t n = 0;  // lanes
  std::uint32_t dst = 0, x = 0, y = 0, z = 0, w = 0, extra = 0;
  std::uint32_t target = 0;  // an instruction, or an index of KernelCode::tables
  std::uint32_t site = 0;    // index of KernelCode::sites
  LaneFn fn = nullptr;
};

/// One kernel, ready to run. A register is a header word and its lanes. If the header is 0, no lane is
/// poison.
struct KernelCode {
  std::string name;
  std::vector<Instruction> instructions;
  std::vector<std::vector<std::uint32_t>> tables;  // of gather; of fold: outer, extent, inner
  std::vector<std::string> sites;                  // labels of ops: "tt.store %17"
  std::vector<LaneWord> image;                     // registers before the first run: constants and ranges
  std::vector<std::uint32_t> arguments;            // registers
  std::uint32_t program_id = 0, num_programs = 0;  // registers
  int least_access = 8;                            // bytes of the smallest element accessed
};

/// Translates a kernel. Values that differ between threads have `threads` lanes: more than the world, so that
/// some threads have no peer.
/// Throws I001 for a reduction whose body is not one op of arith that is always defined.
KernelCode code_of(const Function& function, int threads);

}  // namespace tutti::kernels
