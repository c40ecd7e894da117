// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/types/dtype.hpp"
#include "tutti/types/shape.hpp"

namespace tutti {

/// An array in a file. `begin` is the offset of its elements in bytes, from the end of the header.
struct SafetensorsEntry {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  std::int64_t begin = 0;
};

/// The most bytes of a header, as in the safetensors library.
inline constexpr std::int64_t most_safetensors_header_bytes = 100'000'000;

/// Reads the length of the header, in bytes, from the first 8 bytes of the file. Throws R001, without the
/// file's name, if the header would be longer than the file or than most_safetensors_header_bytes.
std::int64_t safetensors_header_bytes(const unsigned char (&first)[8], std::int64_t file_bytes);
/// Parses a header. Returns the entries in the order of their elements in the file.
/// Throws R001, without the file's name, if `text` is damaged, names a dtype that Tensor lacks, or if the
/// entries do not cover `data_bytes` bytes without gaps.
std::vector<SafetensorsEntry> parse_safetensors_header(std::string_view text, std::int64_t data_bytes);
/// The bytes that come before the data: the length of the header, then the header. Throws T007 for
/// complex128, T012 for a name that is not UTF-8, and for "__metadata__", which the format reserves.
std::string safetensors_head(const std::vector<SafetensorsEntry>& entries);

}  // namespace tutti
