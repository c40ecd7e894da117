// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti {

/// x: [.., n*d, ..] I -> [.., d, ..] V over the axes of that dimension; U over `unreduced` axes (the first
/// device keeps it), R over `reduced` ones. Moves nothing if the value lies like that already.
/// Axes that it does not name stay as they are: a shard_map inside another leaves those of the outer one
/// alone.
/// The transpose is Leave with the dual sharding.
/// Throws T013 if the sharding does not fit the rank, T005 if a dimension does not split, T007 for terms of
/// bool.
struct Enter {
  static constexpr std::string_view name = "enter";
  static constexpr About about{"The way into shard_map: of a whole value each device takes its own part.",
                               "shard_map"};

  Sharding sharding;

  Mixing mixing() const { return Mixing::own; }
  Parameters parameters() const { return {{"sharding", to_string(sharding)}}; }
  Types infer(const Types& operands) const;
  Kernel kernel(const Layout& layout) const;
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const;
  Tangents transpose(const LinearOperands& operands, const Tangents& cotangents) const;
  BatchedArrays batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const;
  static constexpr Refused lower{
      "a border is folded into sdy.manual_computation, or replaced by its moves first"};
  static std::vector<Example> examples();

  bool operator==(const Enter&) const = default;
};
static_assert(complete<Enter>());

Array enter(const Array& x, const Sharding& sharding);

/// The same by moves: own_block per dimension, mask, cast. For borders that stay inside a program.
Array enter_by_moves(const Array& x, const Sharding& sharding);

}  // namespace tutti
