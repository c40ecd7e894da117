// SPDX-License-Identifier: Apache-2.0
// The functions of one device in the gp example: Gaussian-process regression. The points are split over the
// mesh axis "data". Each device has a process of its own for its points, an expert; all share their
// hyperparameters, and the likelihood of the data is the product of the experts' likelihoods. A prediction
// weighs the experts by how much each knows (Deisenroth and Ng 2015). Shared with the tests.
#pragma once

#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

#include "tutti/tutti.hpp"

namespace gp {

using namespace tutti;

// Natural logarithms, f64[]: of the height and the length of the functions' waves, and of the noise's
// standard deviation.
struct Hyperparameters {
  Array height, length, noise;
};

// The covariance of the function's values at two lists of places: [m], [n] -> [m, n].
inline Array covariance(const Hyperparameters& kernel, const Array& a, const Array& b) {
  const Array apart = (expand_dims(a, 1) - expand_dims(b, 0)) * exp(-kernel.length);
  return exp(2 * kernel.height - 0.5 * square(apart));
}

// The Cholesky factor of the covariance of noisy values.
inline Array factor_of(const Hyperparameters& kernel, const Array& x) {
  const Array noise = exp(2 * kernel.noise) * eye(x.dim(0), DType::f64);
  return cholesky(covariance(kernel, x, x) + noise);
}

inline Array solved(const Array& factor, const Array& columns) {
  return triangular_solve(factor, columns, {.left_side = true, .lower = true});
}

// The negative logarithm of the data's likelihood, per point.
inline Array loss(const Hyperparameters& kernel, const Array& x, const Array& y) {
  const Array factor = factor_of(kernel, x), white = solved(factor, expand_dims(y, 1));
  const auto points = static_cast<double>(x.dim(0));
  const Array of_device = 0.5 * reduce_sum(square(white)) + reduce_sum(log(diagonal(factor))) +
                          0.5 * points * std::log(2 * std::numbers::pi);
  return psum(of_device, "data") / (points * axis_size("data"));
}

struct Prediction {
  Array mean, variance;  // of the function without noise
};

// The prediction of all experts together at some places.
inline Prediction predict(const Hyperparameters& kernel, const Array& x, const Array& y, const Array& at) {
  const Array factor = factor_of(kernel, x);
  const Array white = solved(factor, expand_dims(y, 1)), waves = solved(factor, covariance(kernel, x, at));
  const Array prior = exp(2 * kernel.height), mean = reduce_sum(waves * white, 0);
  const Array variance = prior - reduce_sum(square(waves), 0);
  const Array weight = 0.5 * (log(prior) - log(variance));  // an expert that has learnt nothing has none
  const Array precision = psum(weight / variance, "data") + (1 - psum(weight, "data")) / prior;
  return {psum(weight * mean / variance, "data") / precision, 1 / precision};
}

struct Search {
  Hyperparameters kernel,
      velocity;  // the hyperparameters as far as they are found, and how the last step changed them
};

// One step of descent with momentum.
inline auto step(const Search& search, const Array& x, const Array& y) {
  const auto error = [&](const Hyperparameters& kernel) { return loss(kernel, x, y); };
  const auto [value, gradient] = value_and_grad(error)(search.kernel);
  const Hyperparameters velocity =
      tree_map([](const Array& v, const Array& g) { return 0.9 * v - 0.05 * g; }, search.velocity, gradient);
  const Hyperparameters kernel =
      tree_map([](const Array& k, const Array& v) { return k + v; }, search.kernel, velocity);
  return std::pair{value, Search{kernel, velocity}};
}

inline auto sharded_step(const Mesh& mesh) {
  return shard_map(step, {.mesh = mesh, .in = {P(), P("data"), P("data")}, .out = P()});
}
inline auto sharded_loss(const Mesh& mesh) {
  return shard_map(loss, {.mesh = mesh, .in = {P(), P("data"), P("data")}, .out = P()});
}
inline auto sharded_predict(const Mesh& mesh) {
  return shard_map(predict, {.mesh = mesh, .in = {P(), P("data"), P("data"), P()}, .out = P()});
}

}  // namespace gp
