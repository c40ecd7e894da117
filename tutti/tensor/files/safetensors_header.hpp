// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/types/dtype.hpp"
#include "tutti/types/shape.hpp"

namespace tutti {

/// An array in a file: its name, its type, and the first byte of its elements, counted from the end of the
/// header.
struct SafetensorsEntry {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  std::int64_t begin = 0;
};

/// The most bytes of a header, as in the safetensors library.
inline constexpr std::int64_t most_safetensors_header_bytes = 100'000'000;

/// The length of a header, from the first 8 bytes of a file of `file_bytes` bytes. Throws R001, without the
/// file's name, if it is more than the file or a header may have.
std::int64_t safetensors_header_bytes(const unsigned char (&first)[8], std::int64_t file_bytes);
/// Parses a header. The entries come in the order of their elements and have all of `data_bytes`, without
/// gaps.
/// Throws R001, without the file's name, if `text` is damaged, names a dtype that Tensor does not have, or
/// says otherwise.
std::vector<SafetensorsEntry> parse_safetensors_header(std::string_view text, std::int64_t data_bytes);
/// All before the data of these entries: length and header. Throws T007 for complex128, T012 for a name that
/// is not UTF-8 or that the format has for itself.
std::string safetensors_head(const std::vector<SafetensorsEntry>& entries);

}  // namespace tutti
