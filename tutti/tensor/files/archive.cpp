// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/files/archive.hpp"

#include "tutti/tensor/files/safetensors.hpp"

namespace tutti {

NamedTensors read_archive(const std::string& path, const ArchiveOptions& options, Where where) {
  return is_safetensors(path) ? read_safetensors(path, options, where) : read_npz(path, options, where);
}

void write_archive(const std::string& path, const NamedTensors& arrays, Where where) {
  if (is_safetensors(path)) return write_safetensors(path, arrays, where);
  write_npz(path, arrays, where);
}

}  // namespace tutti
