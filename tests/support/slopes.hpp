// SPDX-License-Identifier: Apache-2.0
// Finite differences with a bound of their error.
//
// With D(h) = (f(x + hv) - f(x - hv)) / 2h, D(h) = f' + h^2/6 f''' + O(h^4), so that D(2h) - D(h) is three
// times the error of D(h): where f is smooth on the way, |D(2h) - D(h)| bounds it. To this comes rounding:
// each equation is off by roundings * eps * S, S bounding the magnitudes that it computes with, which a
// difference divides by h.
#pragma once

#include "tests/support/values.hpp"
#include "tutti/transform/replay.hpp"

namespace tutti {

struct Slope {
  double value, error;
};

/// How far off the outputs may be by rounding: roundings * eps * S for each equation.
double rounding(const Program& program, const std::vector<PerDevice>& x);

/// How fast output `output` grows when the inputs in `by` move along `v`: for each device (along U axes: of
/// the sum) and element. On the example mesh.
std::vector<std::vector<Slope>> slopes(const Program& program, const std::vector<PerDevice>& x,
                                       const std::vector<PerDevice>& v, const Bits& by, std::size_t output);

}  // namespace tutti
