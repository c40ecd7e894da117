// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/types/mesh.hpp"
#include "tutti/types/type.hpp"

namespace tutti {

/// How a global array lies on a mesh: each dimension is split over the axes named for it (the first is the
/// slowest), along `unreduced` axes the devices hold partial terms, along `reduced` ones equal values with a
/// partial gradient; along all other axes they hold equal values.
struct Sharding {
  Mesh mesh;
  std::vector<Axes> dims;  // one entry per dimension of the array
  Axes unreduced;
  Axes reduced;

  bool operator==(const Sharding&) const = default;
};

}  // namespace tutti

namespace tutti::internal {

/// Equal on all devices.
Sharding unsharded(const Mesh& mesh, int rank);
/// The axes that a sharding names: of its dims, then unreduced, then reduced.
Axes axes_of(const Sharding& sharding);
/// The type of one device's part of a global value of type `global`.
/// global: [.., d, ..] -> [.., d / n, ..] V over the axes of that dimension, n = their joint size.
/// Throws T013 if the sharding has another rank or repeats an axis, T005 if a dimension does not divide.
Type local_type(Type global, const Sharding& sharding);
/// The same for a dim that need not divide. Parts have ceil(d / n) elements; the last ones may hold fewer, or
/// none (tutti/types/block.hpp). Such parts are stored, and moved, but no program
/// takes them.
Type padded_local_type(Type global, const Sharding& sharding);
/// The inverse of local_type: the type of the whole.
Type global_type(Type local, const Sharding& sharding);

}  // namespace tutti::internal

namespace tutti::ops {

/// The sharding of the cotangent: unreduced and reduced change places.
Sharding dual(const Sharding& sharding);

}  // namespace tutti::ops

namespace tutti {

/// "P((data, model), none, x(2)4)+U(y)+R(z)", which parse_spec reads; trailing nones are left out.
std::string to_string(const Sharding& sharding);

}  // namespace tutti
