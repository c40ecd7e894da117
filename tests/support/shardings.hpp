// SPDX-License-Identifier: Apache-2.0
// Shardings, and what the devices hold of an array under them.
#pragma once

#include <string>
#include <vector>

#include "tests/support/reference.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti {

/// "x, y | z" -> dim 0 split over x and y, dim 1 over z; "" and " | z" leave dim 0 whole.
Sharding sharding_on(const Mesh& mesh, const std::string& dims);
/// Every way to split `rank` dims over axes of the mesh, without terms.
std::vector<Sharding> all_shardings(const Mesh& mesh, int rank);
/// The smallest shape of which every dim splits over all devices.
Shape even_shape(const Mesh& mesh, int rank);

/// 0, 1, 2, ..
Tensor numbered(DType dtype, const Shape& shape);
/// The blocks of an array on all devices, as types/block.hpp says.
PerDevice blocks_of(const Tensor& whole, const Sharding& sharding);

}  // namespace tutti
