// SPDX-License-Identifier: Apache-2.0
// Regions of scalars: reducers.
#pragma once

#include <optional>

#include "tutti/base/inside.hpp"
#include "tutti/stablehlo/tree.hpp"
#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/tensor/loops/plain/scans.hpp"

namespace tutti {

/// The number in all elements of a constant; none for other operations and constants, and for complex numbers
/// with an imaginary part.
std::optional<double> number_of_constant(const stablehlo::Operation& op);

/// The kind of a region that is one operation on its two arguments.
std::optional<ReduceKind> reducer_of(const stablehlo::Block& region);

/// True if the region is log(exp(x) + exp(y)) as JAX writes it.
bool is_logaddexp(const stablehlo::Block& region);

/// The region of two arguments that compares them by GE (largest) or LE (smallest).
std::optional<Extreme> kept_of(const stablehlo::Block& region);
/// The region that takes (chooser, source) twice and returns one pair: the first if its chooser is GE
/// (largest) or LE (smallest) the other one, else the second.
std::optional<Extreme> kept_pair_of(const stablehlo::Block& region);

/// True if the region returns its second argument: a scatter replaces.
bool returns_second(const stablehlo::Block& region);

}  // namespace tutti
