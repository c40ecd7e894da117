// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/tensor/files/npz.hpp"

namespace tutti {

/// True if `path` ends in ".safetensors".
bool is_safetensors(const std::string& path);

/// Reads a .safetensors file. Returns the arrays in the order in which the file stores their elements.
/// Cost: memory for the arrays and the header. The header is checked against the file's size before memory is
/// allocated.
/// Throws R001 with the file's name if the file cannot be read, is damaged, has a dtype that Tensor lacks,
/// or holds more than options.most_bytes; R003 without memory.
/// Source: the format of the Python library safetensors, 0.7.
NamedTensors read_safetensors(const std::string& path, const ArchiveOptions& options = {},
                              Where where = Where::here());

/// Writes a .safetensors file; equal arrays give equal bytes. Arrays with the widest elements come first, so
/// that each array is aligned to its element. The file is written completely or not at all, see write_npy.
/// Throws R001 if the file cannot be written, T007 for complex128, T012 if `arrays` is empty, or a name
/// occurs twice, is not UTF-8 or is "__metadata__".
void write_safetensors(const std::string& path, const NamedTensors& arrays, Where where = Where::here());

}  // namespace tutti
