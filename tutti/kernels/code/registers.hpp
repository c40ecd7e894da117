// SPDX-License-Identifier: Apache-2.0
// The registers of a kernel's values. A register is reused after the last use of its value.
#pragma once

#include <map>
#include <vector>

#include "tutti/kernels/code/lanes.hpp"

namespace tutti::kernels {

/// The values of one region whose last use is each op of the region, nested ops included.
using LastUses = std::vector<std::vector<int>>;  // by op of the region: ids of values

class Registers {
 public:
  explicit Registers(const Function& function);

  /// The last uses of values that `region` defines.
  LastUses last_uses(const Region& region) const;

  /// A free register of n lanes.
  std::uint32_t make(std::uint32_t n);
  /// A register that begins with these lanes and is never reused.
  std::uint32_t make_constant(const std::vector<LaneWord>& lanes);
  void give_back(std::uint32_t reg, std::uint32_t n) { free_[n].push_back(reg); }

  void bind(Value value, std::uint32_t reg, std::uint32_t n, bool is_owner);
  std::uint32_t of(Value value) const { return bound_[index(value)].reg; }
  std::uint32_t lanes(Value value) const { return bound_[index(value)].lanes; }
  /// Binds `value` to the register of `source`. The register is reused after the last use of both.
  void alias(Value value, Value source);
  /// Ends the life of a value. Frees its register unless another value is bound to it.
  void release(int id);

  std::vector<LaneWord> image() && { return std::move(image_); }

 private:
  static std::size_t index(Value value) { return static_cast<std::size_t>(value.id); }
  struct Bound {
    std::uint32_t reg = 0, lanes = 0;
    int owner = -1;  // the value that owns the register; -1: never reused
  };
  const Function& function_;
  std::vector<Bound> bound_;
  std::vector<int> users_;                                    // by owner: values that have its register
  std::map<std::uint32_t, std::vector<std::uint32_t>> free_;  // by lanes
  std::vector<LaneWord> image_ = std::vector<LaneWord>(2);    // register 0: none, never poison
};

}  // namespace tutti::kernels
