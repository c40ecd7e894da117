// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "tutti/base/require.hpp"
#include "tutti/tensor/kernels.hpp"
#include "tutti/tensor/npy_header.hpp"
#include "tutti/tensor/whole_file.hpp"

namespace tutti {
namespace {

static_assert(std::endian::native == std::endian::little,
              "tensors are little-endian, as .npy files are by default");

void read_exactly(std::FILE* file, void* to, std::size_t bytes, std::string_view what) {
  const std::size_t found = std::fread(to, 1, bytes, file);
  require(std::ferror(file) == 0, Code::file, "cannot be read: {}", std::strerror(errno));
  require(found == bytes, Code::file,
          "ends after {} of the {} bytes of its {}; the file is cut off, write it again", found, bytes, what);
}

std::string read_header_text(std::FILE* file) {
  std::array<unsigned char, 8> start{};
  read_exactly(file, start.data(), start.size(), "magic and version");
  require(std::memcmp(start.data(), npy_magic.data(), npy_magic.size()) == 0, Code::file,
          "is not a .npy file: it does not start with \\x93NUMPY; write it with numpy.save");
  const int version = start[6];
  require(version >= 1 && version <= 3, Code::file,
          "has version {}.{} of the format; 1.0, 2.0 and 3.0 can be read", version, start[7]);
  std::array<unsigned char, 4> length{};
  read_exactly(file, length.data(), version == 1 ? 2 : 4, "header's length");
  const std::size_t bytes = length[0] + 256UL * length[1] + 65536UL * length[2] + 16777216UL * length[3];
  require(bytes <= 1 << 20, Code::file,
          "has a header of {} bytes; expected at most a few hundred: it is damaged", bytes);
  std::string text(bytes, ' ');
  read_exactly(file, text.data(), bytes, "header");
  return text;
}

/// Bytes of the data, or nothing if the sizes other than 0 ask for more than 63 bits can count.
std::optional<std::int64_t> data_bytes(const NpyHeader& header) {
  auto bytes = static_cast<std::int64_t>(bytes_per_element(header.dtype));
  bool is_empty = false;
  for (std::int64_t size : header.shape) {
    is_empty = is_empty || size == 0;
    if (size != 0 && __builtin_mul_overflow(bytes, size, &bytes)) return std::nullopt;
  }
  return is_empty ? 0 : bytes;
}

// Before any memory is taken for them: a damaged shape may ask for much. `file_bytes`: none if the file does not say.
void require_data_in_file(std::optional<std::int64_t> file_bytes, std::FILE* file, const NpyHeader& header) {
  const std::optional<std::int64_t> expected = data_bytes(header);
  require(expected.has_value(), Code::file,
          "has shape [{}], more than 2^63 bytes; the file is damaged, write it again",
          to_string(header.shape));
  if (!file_bytes) return;
  const std::int64_t found = *file_bytes - std::ftell(file);
  require(found == *expected, Code::file,
          "has {} bytes of data where {}[{}] takes {}; the file is cut off or damaged, write it again", found,
          name(header.dtype), to_string(header.shape), *expected);
}

void reverse_bytes(Tensor& tensor) {
  const std::int64_t parts = is_complex(tensor.dtype()) ? 2 : 1;
  const std::size_t size = bytes_per_element(tensor.dtype()) / static_cast<std::size_t>(parts);
  std::byte* part = tensor.mutable_bytes();
  for (std::int64_t i = 0; i < parts * tensor.elements(); ++i, part += size) std::reverse(part, part + size);
}

// Dim 0 is the innermost in the file.
Tensor row_major(const Tensor& by_columns) {
  Tensor tensor(by_columns.dtype(), by_columns.shape());
  const Shape& shape = tensor.shape();
  const auto size = static_cast<std::int64_t>(bytes_per_element(tensor.dtype()));
  std::vector<CopyLoop> loops;
  std::int64_t from_stride = size, to_stride = static_cast<std::int64_t>(tensor.bytes());
  for (int dim = 0; dim < shape.rank() && tensor.elements() > 0; ++dim) {
    to_stride /= shape[dim];
    loops.push_back({shape[dim], to_stride, from_stride});
    from_stride *= shape[dim];
  }
  if (tensor.elements() > 0)
    strided_copy(tensor.mutable_bytes(), by_columns.data(), loops, bytes_per_element(tensor.dtype()));
  return tensor;
}

void require_bools(const Tensor& tensor) {
  if (tensor.dtype() != DType::boolean) return;
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    require(static_cast<unsigned>(tensor.data()[i]) <= 1, Code::file,
            "has byte {} as bool element {}; expected 0 or 1: the file is damaged, write it again",
            static_cast<unsigned>(tensor.data()[i]), i);
}

Tensor read_open_npy(std::optional<std::int64_t> file_bytes, std::FILE* file) {
  const NpyHeader header = parse_npy_header(read_header_text(file));
  require_data_in_file(file_bytes, file, header);
  Tensor tensor(header.dtype, header.shape);
  read_exactly(file, tensor.mutable_bytes(), tensor.bytes(), "data");
  require(std::fgetc(file) == EOF, Code::file,
          "goes on after the {} bytes of its data; the file is damaged, write it again", tensor.bytes());
  require_bools(tensor);
  if (header.is_big_endian) reverse_bytes(tensor);
  return header.is_fortran_order ? row_major(tensor) : tensor;
}

}  // namespace

Tensor read_npy(const std::string& path, Where where) {
  try {
    const File file = open_to_read(path, ".npy");
    std::error_code failed;  // of what is no regular file
    const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(path, failed));
    return read_open_npy(failed ? std::nullopt : std::optional(bytes), file.get());
  } catch (const Error& error) {
    throw with_file(error, path).at(where);
  }
}

Tensor parse_npy(std::span<const std::byte> bytes) {
  require(!bytes.empty(), Code::file, "is empty; expected a .npy file");
  const File file(::fmemopen(const_cast<std::byte*>(bytes.data()), bytes.size(), "rb"));  // it only reads
  require(file != nullptr, Code::memory, "there is no memory to read {} bytes", bytes.size());
  return read_open_npy(static_cast<std::int64_t>(bytes.size()), file.get());
}

void write_npy(const std::string& path, const Tensor& tensor, Where where) {
  const std::string head = npy_head(tensor.dtype(), tensor.shape());
  write_whole(path, ".npy", where, [&](const std::string& to) {
    File file = open_to_write(to);
    const bool written = std::fwrite(head.data(), 1, head.size(), file.get()) == head.size() &&
                         std::fwrite(tensor.data(), 1, tensor.bytes(), file.get()) == tensor.bytes() &&
                         std::fclose(file.release()) == 0;
    require(written, Code::file, "cannot be written: {}; free some space or write elsewhere",
            std::strerror(errno));
  });
}

}  // namespace tutti
