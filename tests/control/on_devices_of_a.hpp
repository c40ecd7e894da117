// SPDX-License-Identifier: Apache-2.0
// A collective over one axis of the example mesh, as a function of a global array.
#pragma once

#include <functional>

#include "tutti/base/inside.hpp"
#include "tutti/tutti.hpp"

namespace tutti {

inline const Mesh& mesh() { return example_mesh(); }
inline const Pairs around{{0, 1}, {1, 0}};

using Body = std::function<Array(const Array&)>;

/// A function of one global array, cut along `a`, whose result is a sum over `a`.
inline Array on_devices_of_a(const Body& body, const Array& x) {
  return shard_map([&](const Array& local) { return psum(reduce_sum(body(local)), Axes{mesh().axes()[0]}); },
                   {.mesh = mesh(), .in = {P("a")}, .out = {P()}})(x);
}

}  // namespace tutti
