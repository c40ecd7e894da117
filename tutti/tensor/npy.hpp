// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "tutti/tensor/tensor.hpp"

namespace tutti {

/// The array in a NumPy file: format 1.0, 2.0 or 3.0, of bool, i32, i64, f32 or f64 in either byte order, in
/// C or Fortran order (made row-major).
/// Throws R001 with the file's name if it cannot be read, is damaged, or holds another dtype.
/// Source: numpy.lib.format, NEP 1.
Tensor read_npy(const std::string& path, Where where = Where::here());

/// The same of the bytes of such a file. Its errors name none.
Tensor parse_npy(std::span<const std::byte> bytes);

/// Writes format 1.0. The file appears whole or not at all: a temporary file beside it takes its name at the
/// end.
/// Throws R001 if it cannot be written, the disk is full among others; a file that was there stays as it was.
void write_npy(const std::string& path, const Tensor& tensor, Where where = Where::here());

}  // namespace tutti
