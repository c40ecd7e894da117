// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/tensor/files/npz.hpp"

namespace tutti {

/// True for the name of such a file: "model.safetensors".
bool is_safetensors(const std::string& path);

/// Reads a .safetensors file. The arrays come in the order of their elements in the file.
/// Cost: the memory of the arrays and of the header. The header is checked against the size of the file
/// before memory is taken.
/// Throws R001 with the file's name if the file cannot be read, is damaged, has dtypes that Tensor has not,
/// or holds more than options.most_bytes; R003 without memory.
/// Source: the format of the Python library safetensors, 0.7.
NamedTensors read_safetensors(const std::string& path, const ArchiveOptions& options = {},
                              Where where = Where::here());

/// Writes a .safetensors file; equal arrays give equal bytes. Arrays with wide elements come first, so that
/// each begins at a multiple of its element. All or nothing, see write_npy.
/// Throws R001 if the file cannot be written, T007 for complex128, T012 if `arrays` is empty, or a name
/// occurs twice, is not UTF-8 or is "__metadata__".
void write_safetensors(const std::string& path, const NamedTensors& arrays, Where where = Where::here());

}  // namespace tutti
