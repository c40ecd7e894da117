// SPDX-License-Identifier: Apache-2.0
// Actions that every device does on its own: elements change their places.
#pragma once

#include "tests/soundness/scope.hpp"

namespace tutti::generated {

Array repetition(const Scope& scope, const Action& action);
Array part(const Scope& scope, const Action& action);
Array reversal(const Scope& scope, const Action& action);
Array join(const Scope& scope, const Action& action);
Array padding(const Scope& scope, const Action& action);
Array turn(const Scope& scope, const Action& action);
Array other_shape(const Scope& scope, const Action& action);
Array taken(const Scope& scope, const Action& action);
Array window(const Scope& scope, const Action& action);
Array update(const Scope& scope, const Action& action);
Array scattered(const Scope& scope, const Action& action);
Array sorted(const Scope& scope, const Action& action);

}  // namespace tutti::generated
