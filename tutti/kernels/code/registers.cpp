// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/code/registers.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

namespace tutti::kernels {
namespace {

void note_uses(const Op& op, int at, std::vector<int>& last) {
  for (Value value : op.operands) last[static_cast<std::size_t>(value.id)] = at;
  for (const Region& region : op.regions)
    for (const Op& inner : region.ops) note_uses(inner, at, last);
}

}  // namespace

Registers::Registers(const Function& function)
    : function_(function), bound_(function.types.size()), users_(function.types.size()) {}

LastUses Registers::last_uses(const Region& region) const {
  std::vector<int> last(function_.types.size(), -1);
  for (std::size_t i = 0; i < region.ops.size(); ++i) note_uses(region.ops[i], static_cast<int>(i), last);
  LastUses uses(region.ops.size());
  for (std::size_t i = 0; i < region.ops.size(); ++i)
    for (Value value : region.ops[i].results) {
      const int at = std::max(last[index(value)], static_cast<int>(i));
      uses[static_cast<std::size_t>(at)].push_back(value.id);
    }
  return uses;
}

std::uint32_t Registers::make(std::uint32_t n) {
  std::vector<std::uint32_t>& free = free_[n];
  if (!free.empty()) {
    const std::uint32_t reg = free.back();
    free.pop_back();
    return reg;
  }
  const auto reg = static_cast<std::uint32_t>(image_.size());
  image_.resize(image_.size() + n + 1);
  return reg;
}

std::uint32_t Registers::make_constant(const std::vector<LaneWord>& lanes) {
  const auto reg = static_cast<std::uint32_t>(image_.size());
  image_.push_back(0);
  image_.insert(image_.end(), lanes.begin(), lanes.end());
  return reg;
}

void Registers::bind(Value value, std::uint32_t reg, std::uint32_t n, bool is_owner) {
  bound_[index(value)] = {reg, n, is_owner ? value.id : -1};
  if (is_owner) users_[index(value)] = 1;
}

void Registers::alias(Value value, Value source) {
  bound_[index(value)] = bound_[index(source)];
  if (const int owner = bound_[index(source)].owner; owner >= 0) ++users_[static_cast<std::size_t>(owner)];
}

void Registers::release(int id) {
  const Bound& bound = bound_[static_cast<std::size_t>(id)];
  if (bound.owner < 0) return;
  if (--users_[static_cast<std::size_t>(bound.owner)] == 0) give_back(bound.reg, bound.lanes);
}

}  // namespace tutti::kernels
