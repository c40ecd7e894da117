// SPDX-License-Identifier: Apache-2.0
// Arrays by name in a file whose path says the format.
#pragma once

#include <string>

#include "tutti/tensor/files/npz.hpp"

namespace tutti {

/// Reads a .safetensors file as read_safetensors does, any other as read_npz does.
NamedTensors read_archive(const std::string& path, const ArchiveOptions& options = {},
                          Where where = Where::here());
/// Writes as write_safetensors or as write_npz does.
void write_archive(const std::string& path, const NamedTensors& arrays, Where where = Where::here());

}  // namespace tutti
