// SPDX-License-Identifier: Apache-2.0
// Drafts as programs.
#pragma once

#include "tests/soundness/draft.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/types/mesh.hpp"

namespace tutti::generated {

/// What one device of a mesh does.
struct Written {
  Mesh mesh;
  Axes bound;  // the axes that its types may name
  Program program;
};
/// By the front-end functions alone.
Written written(const Draft& draft);

}  // namespace tutti::generated
