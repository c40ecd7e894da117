// SPDX-License-Identifier: Apache-2.0
// A generated program before it is written: choices only. Every draft becomes a well-typed program, because
// each number counts what is possible where it is used; so a draft with actions left out or smaller numbers
// is one, too.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti::generated {

/// The kinds of actions: local functions, collectives, control flow and transforms. (Not the names of
/// functions: those would hide them.)
enum class Kind {
  negation,
  unary,
  addition,
  multiplication,
  division,
  extremum,
  choice,
  comparison,
  power,
  bounds,
  reduction,
  repetition,
  product,
  part,
  reversal,
  join,
  padding,
  turn,
  other_shape,
  taken,
  window,
  update,
  scattered,
  sorted,
  running_sum,
  whole_number,
  weights,
  constant_value,
  sum_of_all,
  mean_of_all,
  extremum_of_all,
  blocks_of_all,
  part_of_sum,
  exchange,
  permutation,
  value_of_one,
  position,
  other_state,
  masked,
  kept_on_one,
  assumption,
  own_part,
  started_sum,
  started_mean,
  started_extremum,
  started_blocks,
  started_part,
  started_exchange,
  started_permutation,
  started_value,
  sent,
  ragged_exchange,
  started_ragged_exchange,
  other_sharding,
  other_sharding_of_terms,
  branch_of_two,
  branch_of_three,
  loop_over_slices,
  counted_loop,
  updated_carries,
  loop_while,
  computed_again,
  own_tangent,
  own_gradient,
  gradient,
  tangent_of,
  lanes,
  devices,
  barrier
};
inline constexpr int kinds = static_cast<int>(Kind::barrier) + 1;

struct Action;
using Actions = std::vector<Action>;
struct Action {
  Kind kind = Kind::negation;
  std::array<int, 4> picks = {};     // operands and parameters: the number of a possible one
  std::vector<Actions> blocks = {};  // two for control flow and transforms, whether they use them or not

  bool operator==(const Action&) const = default;
};

struct Draft {
  std::vector<int> mesh;  // sizes of its axes
  int bound = 0;          // as many axes have a name in the program, the others in shard_maps inside
  DType dtype = DType::f64;
  std::vector<std::array<int, 4>> inputs = {};  // shape, and a state per axis
  Actions actions = {};
  std::uint64_t values = 0;  // seed of the inputs' values

  bool operator==(const Draft&) const = default;
};

/// A draft of 1 to `actions` actions, and as many in blocks.
Draft drawn(const std::vector<int>& mesh, int actions, std::uint64_t seed);

/// Drafts that are simpler in one respect, the simplest first.
std::vector<Draft> simpler(const Draft& draft);

/// The choices: "mesh 2x2, 1 bound, f64, inputs 0000 1200: addition(1, 0, 0, 2) loop_while(0, 0, 1,
/// 0){...}{}".
std::string to_string(const Draft& draft);

}  // namespace tutti::generated
