// SPDX-License-Identifier: Apache-2.0
// The transforms as the laws see them: each with the types that it promises.
#pragma once

#include <functional>
#include <string>

#include "tests/laws/law.hpp"

namespace tutti {

struct Transformed {
  Program program;
  Types inputs, outputs;  // promised
};
struct Transform {
  std::string name;
  std::function<Transformed(const Program&)> apply;
};

/// All transforms of the program of an example: derivatives by all float inputs and by each, transposes,
/// batching over each mesh axis that its op may be batched over, and the simplifications.
std::vector<Transform> transforms_of(const Example& example);
/// All transforms of any program, or one made from an example: the same without transposes.
std::vector<Transform> transforms_of(const Program& program, const Axes& batchable = {});

/// Dead code, common subexpressions, early casts, borders as moves: the same inputs and outputs.
std::vector<Transform> simplifications();

/// The mesh axes that the example may be batched over: none if it is the border of a shard_map over them.
Axes batchable_axes(const Example& example);

}  // namespace tutti
