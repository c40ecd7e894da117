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

/// How fast f grows at 0, by steps of h and 2h. Its values are off by `rounded` at most.
Slope slope_at_zero(const std::function<double(double)>& f, double h, double rounded);

/// x + distance * v for the inputs in `by`.
std::vector<PerDevice> moved(std::vector<PerDevice> x, const std::vector<PerDevice>& v, const Bits& by,
                             double distance);

/// How far off the outputs may be by rounding: roundings * eps * S for each equation.
double rounding(const Program& program, const std::vector<PerDevice>& x);

/// How fast output `output` grows when the inputs in `by` move along `v`: for each device (along U axes: of
/// the sum) and element. On the example mesh.
std::vector<std::vector<Slope>> slopes(const Program& program, const std::vector<PerDevice>& x,
                                       const std::vector<PerDevice>& v, const Bits& by, std::size_t output);

}  // namespace tutti
