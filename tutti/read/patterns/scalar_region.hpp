// SPDX-License-Identifier: Apache-2.0
// Regions of scalars: reducers.
#pragma once

#include <optional>

#include "tutti/base/inside.hpp"
#include "tutti/stablehlo/tree.hpp"
#include "tutti/tensor/loops/element_fn.hpp"

namespace tutti {

/// The number in all elements of a constant; none for other operations and constants, and for complex numbers
/// with an imaginary part.
std::optional<double> number_of_constant(const stablehlo::Operation& op);

/// The kind of a region that is one operation on its two arguments.
std::optional<ReduceKind> reducer_of(const stablehlo::Block& region);

/// True if the region is log(exp(x) + exp(y)) as JAX writes it.
bool is_logaddexp(const stablehlo::Block& region);

/// True if the region returns its second argument: a scatter replaces.
bool returns_second(const stablehlo::Block& region);

}  // namespace tutti
