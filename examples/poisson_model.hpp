// SPDX-License-Identifier: Apache-2.0
// The function of one device in the Poisson example. A periodic cube is split over the mesh axes "y" and "x"
// into pencils: each device has whole lines along one dim at a time, transforms these, and hands them on by
// all_to_all. From the potential a search finds the source: the gradient goes back through all transforms
// and exchanges. Shared with the tests.
#pragma once

#include <cmath>
#include <tuple>
#include <utility>

#include "tutti/tutti.hpp"

namespace poisson {

using namespace tutti;

// Wave numbers of the dims of a spectrum, in which dim 0 is whole, dim 1 split over "y", dim 2 over "x".
struct Waves {
  Array first, second, third;
};
inline const Specs waves_split{P(), P("y"), P("x")};

// Real numbers need only half of the last dim: n/2 + 1 waves. Zeros follow, so that "x" splits them
// evenly.
inline Waves waves_of(std::int64_t size, const Mesh& mesh) {
  std::int64_t split = 1;
  for (const Axis& axis : mesh.axes())
    if (axis.name == "x") split = axis.size;
  const std::int64_t half = size / 2 + 1, padded = (half + split - 1) / split * split;
  std::vector<float> all, some;
  for (std::int64_t k = 0; k < size; ++k) all.push_back(static_cast<float>(2 * k < size ? k : k - size));
  for (std::int64_t k = 0; k < padded; ++k) some.push_back(static_cast<float>(k));
  return {Tensor({size}, all), Tensor({size}, all), Tensor({padded}, some)};
}

// The spectrum of a field [n/y, n/x, n]: [n, n/y, padded/x].
inline Array spectrum_of(const Waves& waves, const Array& field) {
  Array along_z = rfft(field);
  const std::int64_t padded = waves.third.dim(0) * axis_size("x");
  Array pencils = pad(along_z, 0, {{}, {}, {0, padded - along_z.dim(2)}});
  Array along_y = fft(all_to_all(pencils, "x", {.split = 2, .concat = 1, .tiled = true}), {.dim = 1});
  return fft(all_to_all(along_y, "y", {.split = 1, .concat = 0, .tiled = true}), {.dim = 0});
}

// The way back.
inline Array field_of(const Array& spectrum, std::int64_t size) {
  Array along_y = all_to_all(ifft(spectrum, {.dim = 0}), "y", {.split = 0, .concat = 1, .tiled = true});
  Array along_z = all_to_all(ifft(along_y, {.dim = 1}), "x", {.split = 1, .concat = 2, .tiled = true});
  return irfft(slice_in_dim(along_z, 0, size / 2 + 1, 1, 2), {.n = size});
}

// The u with the mean 0 for which -u'' = source, on a cube with edges of 2 pi: each wave is divided by the
// square of its number. The mean of the source makes no potential.
inline Array potential(const Waves& waves, const Array& source) {
  Array squares = expand_dims(expand_dims(square(waves.first), 1), 2) + expand_dims(square(waves.second), 1) +
                  square(waves.third);
  Array factor = where(equal(squares, 0), 0, 1 / where(equal(squares, 0), 1, squares));
  return field_of(spectrum_of(waves, source) * complex(factor, zeros_like(factor)), source.dim(2));
}

// How far the potential of `source` is from the given one.
inline Array misfit(const Waves& waves, const Array& source, const Array& given) {
  return psum(reduce_sum(square(potential(waves, source) - given)), {"y", "x"}) / 2;
}

struct Search {
  Array source, velocity;  // the source as far as it is found, and how the last step changed it
};

// One step of descent with momentum. No wave grows, so the misfit's curvature is at most 1: a step of 1 is
// safe.
inline auto step(const Waves& waves, const Search& search, const Array& given) {
  auto error = [&](const Array& source) { return misfit(waves, source, given); };
  auto [value, gradient] = value_and_grad(error)(search.source);
  Array velocity = 0.9F * search.velocity - gradient;
  return std::pair{value, Search{search.source + velocity, velocity}};
}

inline const P by_pencils("y", "x");

inline auto sharded_potential(const Mesh& mesh) {
  return shard_map(potential, {.mesh = mesh, .in = {waves_split, by_pencils}, .out = by_pencils});
}
inline auto sharded_step(const Mesh& mesh) {
  return shard_map(step,
                   {.mesh = mesh, .in = {waves_split, by_pencils, by_pencils}, .out = {P(), by_pencils}});
}

}  // namespace poisson
