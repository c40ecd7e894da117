// SPDX-License-Identifier: Apache-2.0
#include "tests/tensor/instruction_sets.hpp"

#include <hwy/highway.h>
#include <hwy/targets.h>

#include <string_view>

#include "tutti/tensor/loops/instruction_set.hpp"

namespace tutti {

std::vector<std::int64_t> instruction_sets() {
  std::vector<std::int64_t> targets;
  for (std::int64_t left = HWY_TARGETS; left != 0; left &= left - 1)
    if (const std::int64_t target = left & -left; (hwy::SupportedTargets() & target) != 0)
      targets.push_back(target);
  // Highway may support none of those that it compiles for, as on an ARM without AES; it runs the baseline
  // there.
  if (targets.empty()) targets.push_back(HWY_STATIC_TARGET);
  return targets;
}

std::string name_of_instruction_set(std::int64_t target) { return hwy::TargetName(target); }

bool fuses_multiply_add() {
  const std::string_view name = instruction_set();
  return name != "portable" && !name.starts_with("SSE") && !name.starts_with("SSSE");
}

UseInstructionSet::UseInstructionSet(std::int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

UseInstructionSet::~UseInstructionSet() {
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace tutti
