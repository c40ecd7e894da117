// SPDX-License-Identifier: Apache-2.0
#include "tests/support/slopes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tutti {
namespace {

using Totals = std::vector<std::vector<double>>;

constexpr double roundings =
    8;  // an element function is off by up to 4 ulp (tests/tensor), and its operand by 1

// eps of the coarsest dtype in the program.
double eps_of(const Program& program) {
  double eps = 0;
  for (Type type : program.types)
    if (is_inexact(type.dtype())) eps = std::max(eps, epsilon(type.dtype()));
  return eps;
}

// Near cbrt(eps), where both errors are of one size; in f64 more, for programs of many equations.
double step_of(const Program& program) {
  double eps = eps_of(program);
  if (eps > std::numeric_limits<float>::epsilon()) return 0x1p-2;
  return eps < std::numeric_limits<float>::epsilon() ? 0x1p-14 : 0x1p-8;
}

// The largest sum of an equation: all elements of all devices, or products of two of them.
double magnitude(const Program& program, const std::vector<PerDevice>& x) {
  std::int64_t elements = 1;
  double largest = 1;
  for (const PerDevice& value : evaluate_all(without_unreduced_borders(program), example_mesh(), x))
    for (const Tensor& tensor : in_parts(value)) {
      elements = std::max(elements, tensor.elements());
      for (std::int64_t e = 0; e < tensor.elements(); ++e)
        if (std::isfinite(tensor.at(e))) largest = std::max(largest, std::abs(tensor.at(e)));
    }
  return static_cast<double>(elements * example_mesh().devices()) * largest * largest;
}

// The maximum of nothing is -inf, and stays so.
double difference(double above, double below, double h) {
  return above == below ? 0 : (above - below) / (2 * h);
}

}  // namespace

Slope slope_at_zero(const std::function<double(double)>& f, double h, double rounded) {
  double near = (f(h) - f(-h)) / (2 * h), far = (f(2 * h) - f(-2 * h)) / (4 * h);
  return {near, std::abs(far - near) + 2 * rounded / h};
}

std::vector<PerDevice> moved(std::vector<PerDevice> x, const std::vector<PerDevice>& v, const Bits& by,
                             double distance) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!by[i]) continue;
    for (std::size_t device = 0; device < x[i].size(); ++device) {
      Tensor from = in_parts(x[i][device]), along = in_parts(v[i][device]), sum(from.shape(), from.dtype());
      for (std::int64_t e = 0; e < sum.elements(); ++e)
        put_element(sum, e, from.at(e) + distance * along.at(e));
      x[i][device] = out_of_parts(sum, x[i][device]);
    }
  }
  return x;
}

double rounding(const Program& program, const std::vector<PerDevice>& x) {
  double equations = static_cast<double>(program.equations.size());
  return roundings * equations * eps_of(program) * magnitude(program, x);
}

std::vector<std::vector<Slope>> slopes(const Program& program, const std::vector<PerDevice>& x,
                                       const std::vector<PerDevice>& v, const Bits& by, std::size_t output) {
  double h = step_of(program), rounded = 2 * rounding(program, x) / h;
  auto f = [&](double distance) {
    PerDevice value = evaluate(program, example_mesh(), moved(x, v, by, distance))[output];
    return totals(program.type(program.outputs[output]), value);
  };
  Totals above = f(h), below = f(-h), far_above = f(2 * h), far_below = f(-2 * h);
  std::vector<std::vector<Slope>> found(above.size());
  for (std::size_t device = 0; device < above.size(); ++device)
    for (std::size_t e = 0; e < above[device].size(); ++e) {
      double near = difference(above[device][e], below[device][e], h);
      double far = difference(far_above[device][e], far_below[device][e], 2 * h);
      found[device].push_back({near, std::abs(far - near) + rounded});
    }
  return found;
}

}  // namespace tutti
