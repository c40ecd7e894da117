// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tutti/base/namespaces.hpp"
#include "tutti/tensor/tensor.hpp"

namespace tutti {

/// Reads the array in a NumPy file: format 1.0, 2.0 or 3.0, any dtype of Tensor, either byte order, C or
/// Fortran order. The result is row-major. NumPy has no bf16: as in JAX, bf16 is stored as 'V2', two bytes
/// without a type.
/// Cost: the array's memory and 1 MiB. A file with a known size is checked against its header before the
/// allocation.
/// Throws R001 with the file's name if the file is unreadable, damaged or of another dtype; R003 without
/// memory.
/// Source: numpy.lib.format, NEP 1.
Tensor read_npy(const std::string& path, Where where = Where::here());

}  // namespace tutti

namespace tutti::internal {

/// A stream of bytes, read from front to back.
struct ByteSource {
  std::function<std::size_t(void* to, std::size_t bytes)> read;  // returns fewer than `bytes` only at the end
  std::optional<std::int64_t> bytes;                             // total size; none if it is unknown
};
/// Reads the array in a NumPy file whose bytes come from `source`. Errors do not name the file.
Tensor parse_npy(const ByteSource& source);
/// Throws R001, without the file's name, if a bool that was read is neither 0 nor 1.
void require_bools(const Tensor& tensor);

}  // namespace tutti::internal

namespace tutti {

/// Writes `tensor` in format 1.0. The file appears whole or not at all: a temporary file in the same folder
/// is renamed to `path` at the end. The next call for the same path removes the temporary files of killed
/// processes.
/// Throws R001 if the file cannot be written (the disk is full, ..) or `tensor` has more dims than NumPy
/// reads; an old file then stays unchanged. A limit on file sizes raises SIGXFSZ, or R001 in a program that
/// ignores the signal.
void write_npy(const std::string& path, const Tensor& tensor, Where where = Where::here());

}  // namespace tutti
