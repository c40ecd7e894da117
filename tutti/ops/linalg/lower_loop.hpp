// SPDX-License-Identifier: Apache-2.0
// Loops of StableHLO for decompositions that it has no op for. Their parts are functions of arrays.
#pragma once

#include <functional>

#include "tutti/base/inside.hpp"
#include "tutti/ir/array.hpp"
#include "tutti/ir/emitter.hpp"

namespace tutti::ops {

using ArrayFunction = std::function<Arrays(const Arrays& values)>;

/// The equations of `function` on values of these types.
Lowered lower_function(Emitter& emitter, const Types& types, const ArrayFunction& function,
                       const Lowered& values);

/// A stablehlo.while of `trips` iterations. `iteration` gets the number of its trip, an i32 scalar, before
/// the values.
Lowered lower_counted(Emitter& emitter, std::int64_t trips, const Types& types,
                      const ArrayFunction& iteration, const Lowered& start);

}  // namespace tutti::ops
