// SPDX-License-Identifier: Apache-2.0
// Drafts as programs.
#pragma once

#include "tests/soundness/draft.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/types/mesh.hpp"

namespace tutti::generated {

/// The program of one device of a mesh.
struct Written {
  Mesh mesh;
  Axes bound;  // the axes that its types may name
  Program program;
};
/// How large inputs are: a few elements, or more than a tile of a region (run/region_space.cpp), so that its
/// last tile is cut short.
enum class Inputs { few_elements, more_than_a_tile };
/// Writes a draft by front-end functions alone.
Written written(const Draft& draft, Inputs inputs = Inputs::few_elements);

}  // namespace tutti::generated
