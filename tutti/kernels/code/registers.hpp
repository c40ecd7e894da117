// SPDX-License-Identifier: Apache-2.0
// Which register each value of a kernel has. Registers are reused after a value's last use.
#pragma once

#include <map>
#include <vector>

#include "tutti/kernels/code/lanes.hpp"

namespace tutti::kernels {

/// Values of one region that no op of the region needs after an op, nested ones included.
using LastUses = std::vector<std::vector<int>>;  // by op of the region: ids of values

class Registers {
 public:
  explicit Registers(const Function& function);

  /// The last uses of values that `region` defines.
  LastUses last_uses(const Region& region) const;

  /// A register of n lanes that nobody uses.
  std::uint32_t make(std::uint32_t n);
  /// Never reused.
  std::uint32_t make_constant(const std::vector<LaneWord>& lanes);
  void give_back(std::uint32_t reg, std::uint32_t n) { free_[n].push_back(reg); }

  void bind(Value value, std::uint32_t reg, std::uint32_t n, bool is_owner);
  std::uint32_t of(Value value) const { return bound_[index(value)].reg; }
  std::uint32_t lanes(Value value) const { return bound_[index(value)].lanes; }
  /// The register is `source`'s, and lives as long as the longest of them.
  void alias(Value value, Value source);
  /// The value is not needed any more.
  void release(int id);

  std::vector<LaneWord> image() && { return std::move(image_); }

 private:
  static std::size_t index(Value value) { return static_cast<std::size_t>(value.id); }
  struct Bound {
    std::uint32_t reg = 0, lanes = 0;
    int owner = -1;  // the value whose register it is; -1: nobody's to reuse
  };
  const Function& function_;
  std::vector<Bound> bound_;
  std::vector<int> users_;                                    // by owner: values that have its register
  std::map<std::uint32_t, std::vector<std::uint32_t>> free_;  // by lanes
  std::vector<LaneWord> image_ = std::vector<LaneWord>(2);    // register 0: not there, never poison
};

}  // namespace tutti::kernels
