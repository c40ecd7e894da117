// SPDX-License-Identifier: Apache-2.0
// Calls of collectives on GPUs, fake or real, and their expected results.
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

/// The first difference between two lists of arrays: "rank 1, element 3 of ..: 5, expected 7". Empty: none.
std::string difference(const Tensors& found, const Tensors& expected);

/// One spec per collective and dim, for a world: all_to_all also with a concat dim, ppermute with a chain of
/// pairs.
std::vector<CollectiveSpec> specs_of_world(int world, DType moved, DType reduced, const Shape& shape);

}  // namespace tutti::kernels
