// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tutti/tensor/tensor.hpp"

namespace tutti {

/// Arrays by name.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// The arrays of a NumPy archive, a zip file of .npy files, stored or deflated, in the order of the file.
/// Cost: the memory of the arrays and 1 MiB; an entry of another size than its header says costs none.
/// Throws R001 with the file's name if it cannot be read, is damaged (every checksum is tested), or holds something else.
/// Source: numpy.savez, numpy.savez_compressed.
NamedTensors read_npz(const std::string& path, Where where = Where::here());

/// Writes such a file, stored: the same arrays give the same bytes. It appears whole or not at all, as of write_npy.
/// Throws R001 if it cannot be written, T012 for two arrays of one name.
void write_npz(const std::string& path, const NamedTensors& arrays, Where where = Where::here());

}  // namespace tutti
