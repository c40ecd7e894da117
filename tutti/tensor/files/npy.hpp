// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tutti/tensor/tensor.hpp"

namespace tutti {

/// The array in a NumPy file: format 1.0, 2.0 or 3.0, of every dtype that there is here, in either byte order, in C or
/// Fortran order (made row-major). NumPy has no bf16: elements of two bytes without a meaning, 'V2', are read as bf16,
/// and bf16 is written so, as JAX does.
/// Cost: the array's memory and 1 MiB, taken once the file is as long as its header says.
/// Throws R001 with the file's name if it cannot be read, is damaged, or holds another dtype; R003 without memory.
/// Source: numpy.lib.format, NEP 1.
Tensor read_npy(const std::string& path, Where where = Where::here());

/// Bytes from first to last.
struct ByteSource {
  std::function<std::size_t(void* to, std::size_t bytes)> read;  // fewer than `bytes` at the end only
  std::optional<std::int64_t> bytes;                             // of all; none if that is not known
};
/// The array in a NumPy file that comes from `source`. Errors name no file.
Tensor parse_npy(const ByteSource& source);

/// Writes format 1.0. The file appears whole or not at all: a temporary file beside it takes its name at the
/// end. One that a killed process left behind is removed by the next call for the same path.
/// Throws R001 if it cannot be written, the disk is full among others, or if NumPy could not read so many dims; an old
/// file stays as it was. A limit on the size of files raises SIGXFSZ, which programs may ignore.
void write_npy(const std::string& path, const Tensor& tensor, Where where = Where::here());

}  // namespace tutti
