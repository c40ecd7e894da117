// SPDX-License-Identifier: Apache-2.0
// The first and second derivative of log(gamma(x)), for one element. f32 is computed in double and rounded
// once.
#pragma once

namespace tutti {

/// The sum of 1/(k+1) - 1/(k+x) over k >= 0, minus Euler's constant. NaN at 0, -1, -2, .. and at -inf; inf at
/// inf.
/// Error: 4 units in the last place. Near roots: 4 epsilons; for negative x, times max(1, log(-x)).
double digamma(double x);
float digamma(float x);

/// The sum of 1/(k+x)^2 over k >= 0, in 4 units in the last place. inf at 0, -1, -2, ..; NaN at -inf; 0 at
/// inf.
double trigamma(double x);
float trigamma(float x);

}  // namespace tutti
