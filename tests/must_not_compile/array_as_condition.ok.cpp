// SPDX-License-Identifier: Apache-2.0
// Control of array_as_condition.cpp.
#include "tutti/tutti.hpp"

tutti::Array larger(const tutti::Array& a, const tutti::Array& b) { return select(a < b, b, a); }
