// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tutti/tensor/tensor.hpp"

namespace tutti {

/// Arrays by name.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// Limits for reading an archive of unknown origin: a small .npz can expand to 1,000 times its size.
struct ArchiveOptions {
  std::optional<std::int64_t>
      most_bytes;  // of all arrays and their headers together; none: what memory holds
};

/// Reads a NumPy archive, a zip file of .npy files, stored or deflated. The arrays come in the order of the
/// file.
/// Cost: the memory of the arrays and 1 MiB. An entry whose size contradicts its header is refused before
/// allocation.
/// Throws R001 with the file's name if the file cannot be read, is damaged (every checksum is verified),
/// holds anything other than arrays, or expands to more than options.most_bytes (before memory is taken).
/// Source: numpy.savez, numpy.savez_compressed.
NamedTensors read_npz(const std::string& path, const ArchiveOptions& options = {},
                      Where where = Where::here());

/// Writes a NumPy archive without compression; equal arrays give equal bytes. All or nothing, see write_npy.
/// Throws R001 if the file cannot be written, T012 if `arrays` is empty, or a name occurs twice or has a zero
/// byte.
void write_npz(const std::string& path, const NamedTensors& arrays, Where where = Where::here());

}  // namespace tutti
