// SPDX-License-Identifier: Apache-2.0
// Calls of collectives on GPUs, fake or real, and what must come out.
#pragma once

#include <memory>
#include <vector>

#include "tutti/kernels/gpu/collective.hpp"
#include "tutti/kernels/gpu/rank_arrays.hpp"

namespace tutti::kernels {

/// Inputs and outputs of all ranks in a call, by the definition. Calls differ in their elements.
Tensors inputs_of(const CollectiveSpec& spec, int call = 0);
Tensors outputs_of(const CollectiveSpec& spec, int call = 0);

/// Arrays for calls of one collective.
struct Calls {
  Calls(const std::shared_ptr<Group>& group, const CollectiveSpec& spec,
        const CollectiveOptions& options = {});
  CollectiveSpec spec;
  RankArrays inputs, outputs;
  Collective collective;

  void launch() { collective.launch(inputs.addresses(), outputs.addresses()); }
};

/// The first difference between arrays and what they should be: "rank 1, element 3 of ..: 5, expected 7". Empty: none.
std::string difference(const Tensors& found, const Tensors& expected);

/// The place of a collective in all that tests go through: kinds, with dims and pairs, for a world.
std::vector<CollectiveSpec> specs_of_world(int world, DType moved, DType reduced, const Shape& shape);

}  // namespace tutti::kernels
