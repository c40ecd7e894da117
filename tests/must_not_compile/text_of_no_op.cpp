// expect: (?s)\A(?:(?!error:).)*error: no matching function for call to .to_string\(tutti::Specs\).(?:(?!error:).)*\Z
// SPDX-License-Identifier: Apache-2.0
// A spec does not convert to an op: overload resolution refuses the call, and no rule is asked for.
#include "tutti/tutti.hpp"

static_assert(!std::convertible_to<tutti::P, tutti::ops::Op>);
std::string text() { return to_string(tutti::Specs{tutti::P("i"), tutti::P()}); }
