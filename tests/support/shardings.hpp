// SPDX-License-Identifier: Apache-2.0
// Shardings, and what the devices hold of an array under them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/reference.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti {

/// "x2 y4": a mesh whose axes have names of one letter.
Mesh mesh_of(std::string_view text);
/// "[xy(2)4][]{z}" on such a mesh: dim 0 is split over x, then a part of y; along z there are terms. Dims
/// that are left out are whole.
Sharding sharding_of(const Mesh& mesh, int rank, std::string_view text);
/// "x, y | z" -> dim 0 split over x and y, dim 1 over z; "" and " | z" leave dim 0 whole. Names may be long.
Sharding sharding_on(const Mesh& mesh, const std::string& dims);

enum class Sums { excluded, included };
/// All ways to split `rank` dims over axes of the mesh, in every order; with `included` also those with
/// unreduced axes.
std::vector<Sharding> all_shardings(const Mesh& mesh, int rank, Sums sums = Sums::excluded);
/// Those under which every dim of `shape` divides.
std::vector<Sharding> all_shardings(const Mesh& mesh, const Shape& shape, Sums sums);
/// The smallest shape whose dims all split over all devices.
Shape even_shape(const Mesh& mesh, int rank);

/// 0, 1, 2, ..
Tensor numbered(DType dtype, const Shape& shape);
/// The blocks of an array on all devices, as types/block.hpp says.
PerDevice blocks_of(const Tensor& whole, const Sharding& sharding);

}  // namespace tutti
