// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti {

/// x: [.., d, ..] V over the axes of that dimension -> [.., n*d, ..] I; U over `unreduced` axes are summed, R
/// over `reduced` ones are equal. Moves nothing if the value stays as it lies.
/// Axes that it does not name stay as they are. The transpose is Enter with the dual sharding.
/// Throws T013 if the sharding does not fit the rank, T004 if x has other states than the sharding says.
struct Leave {
  static constexpr std::string_view name = "leave";
  static constexpr About about{"The way out of shard_map: the parts of all devices together are the whole.",
                               "shard_map"};

  Sharding sharding;

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const { return {{"sharding", to_string(sharding)}}; }
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Axes communicates() const { return axes_of(sharding); }
  Traffic traffic(const Types& operands) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  static constexpr Refused lower{
      "a border is folded into sdy.manual_computation, or replaced by its moves first"};
  static std::vector<Example> examples();

  bool operator==(const Leave&) const = default;
};
static_assert(complete<Leave>());

Array leave(const Array& x, const Sharding& sharding);

/// The same by moves: all_gather per dimension, all_reduce, cast. For borders that stay inside a program.
Array leave_by_moves(const Array& x, const Sharding& sharding);

}  // namespace tutti
