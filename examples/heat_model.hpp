// SPDX-License-Identifier: Apache-2.0
// The function of one device in the heat example. A square plate is split over the mesh axes "y" and "x".
// Heat spreads in it step by step; its border is cold. From the final field a search finds the initial one:
// the gradient of the final error goes back through all steps and exchanges. Shared with the tests.
#pragma once

#include <tuple>
#include <utility>

#include "tutti/tutti.hpp"

namespace heat {

using namespace tutti;

// Time step times conductivity over the square of the distance of two points; stable up to 1/4.
constexpr float spread = 0.2F;

// The edge of the device `shift` places before this one. Beyond the border of the plate it is zeros: it is
// cold there.
inline Array from_neighbour(const Array& edge, const char* axis, int shift) {
  Pairs pairs;
  for (int from = 0, n = axis_size(axis); from < n; ++from)
    if (int to = from + shift; to >= 0 && to < n) pairs.emplace_back(from, to);
  return ppermute(edge, axis, pairs);
}

// The sum of the two neighbours of every point along a dim, which is split over `axis`. The outermost ones
// lie on other devices: the halo.
inline Array neighbours(const Array& field, const char* axis, int dim) {
  Array before = from_neighbour(slice_in_dim(field, -1, {}, 1, dim), axis, +1);
  Array after = from_neighbour(slice_in_dim(field, 0, 1, 1, dim), axis, -1);
  Array all = concatenate({before, field, after}, dim);
  return slice_in_dim(all, 0, -2, 1, dim) + slice_in_dim(all, 2, {}, 1, dim);
}

// The heat equation's Laplacian by differences of five points.
inline Array after_one_step(const Array& field) {
  return field + spread * (neighbours(field, "y", 0) + neighbours(field, "x", 1) - 4 * field);
}

inline Array after(int time_steps, const Array& initial) {
  auto trip = [](const Array& field, std::tuple<>) { return std::pair{after_one_step(field), std::tuple{}}; };
  return scan(trip, initial, {}, {.length = time_steps}).first;
}

// How far the field that `initial` leads to is from the final one.
inline Array misfit(int time_steps, const Array& initial, const Array& final_field) {
  return psum(reduce_sum(square(after(time_steps, initial) - final_field)), {"y", "x"}) / 2;
}

struct Search {
  Array field, velocity;  // the initial field as far as it is found, and how the last step changed it
};

// One step of descent with momentum. Heat only spreads, so the misfit's curvature is at most 1: a step of 1
// is safe.
inline auto step(int time_steps, const Search& search, const Array& final_field) {
  auto error = [&](const Array& field) { return misfit(time_steps, field, final_field); };
  auto [value, gradient] = value_and_grad(error)(search.field);
  Array velocity = 0.9F * search.velocity - gradient;
  return std::pair{value, Search{search.field + velocity, velocity}};
}

inline const P by_tiles("y", "x");

inline auto sharded_after(const Mesh& mesh, int time_steps) {
  auto body = [=](const Array& initial) { return after(time_steps, initial); };
  return shard_map(body, {.mesh = mesh, .in = by_tiles, .out = by_tiles});
}
inline auto sharded_step(const Mesh& mesh, int time_steps) {
  auto body = [=](const Search& search, const Array& final_field) {
    return step(time_steps, search, final_field);
  };
  return shard_map(body, {.mesh = mesh, .in = by_tiles, .out = {P(), by_tiles}});
}

}  // namespace heat
