// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tutti/control/wrapped/call.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti {

/// A program of whole values as one of local values: how callers hand inputs over and get outputs.
struct LocalProgram {
  Program program;
  std::vector<Type> input_types, output_types;  // of the whole
  std::vector<Sharding> input_shardings, output_shardings;
  int moved_inputs = 0;  // inputs that are also needed in another way than they lie
};

/// True if the output has the type and the sharding of the input, so that it may take the input's memory.
bool are_handed_out_alike(const LocalProgram& local, std::size_t input, std::size_t output);

/// An input that is only entered lies as `lies` says; else, if it is entered, as the first Enter says.
/// Entering it like that is nothing; what leaves as an output stays as it lies. All other borders become
/// moves. Equations that no output needs are dropped.
/// `lies` has at most one entry per input; an entry is for this mesh, divides all dims, and has no unreduced
/// axes.
/// `kept`: the ops that stay as they are; all others of with_calls_inlined are inlined.
/// Throws T014 (mesh) for a border of another mesh.
LocalProgram localised(const Program& program, const Mesh& mesh,
                       const std::vector<std::optional<Sharding>>& lies = {}, const Uninlined& kept = {});

}  // namespace tutti
