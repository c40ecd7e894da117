// SPDX-License-Identifier: Apache-2.0
// For tests that run on every instruction set that was compiled and that this machine has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tutti {

std::vector<std::int64_t> instruction_sets();
std::string name_of_instruction_set(std::int64_t target);
/// True if the instruction set in use fuses multiply-add: those that do have the same bits.
bool fuses_multiply_add();

/// While it lives, kernels that are looked up are those of `target`.
class UseInstructionSet {
 public:
  explicit UseInstructionSet(std::int64_t target);
  ~UseInstructionSet();
  UseInstructionSet(const UseInstructionSet&) = delete;
  UseInstructionSet& operator=(const UseInstructionSet&) = delete;
};

}  // namespace tutti
