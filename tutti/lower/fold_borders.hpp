// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti {

/// A program of whole values as what one device does with its parts of them.
struct FoldedProgram {
  Program program;
  /// The whole input, by its number in the folded program, and the sharding of its parts.
  struct Source {
    std::size_t input;
    Sharding sharding;
  };
  std::vector<Source> sources;    // one per input of `program`
  std::vector<Sharding> results;  // one per output: how its parts make the whole
};

/// Enter of an input becomes an input, Leave into an output an output; Leave and Enter with the same sharding
/// are nothing. What is left computes on whole values, once on every device; other borders become moves.
/// Throws T004 if an input is not the same on all devices, T014 if a border is over another mesh.
FoldedProgram fold_borders(const Program& program, const Mesh& mesh);

}  // namespace tutti
