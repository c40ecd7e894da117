// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/files/npy.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <span>

#include "tutti/base/excerpt.hpp"
#include "tutti/base/require.hpp"
#include "tutti/tensor/files/npy_header.hpp"
#include "tutti/tensor/files/whole_file.hpp"
#include "tutti/tensor/loops/copies.hpp"

namespace tutti {
namespace {

static_assert(std::endian::native == std::endian::little,
              "tensors are little-endian, as .npy files are by default");

void read_exactly(const ByteSource& source, void* to, std::size_t bytes, std::string_view what) {
  const std::size_t found = source.read(to, bytes);
  require(found == bytes, Code::file,
          "ends after {} of the {} bytes of its {}; the file is cut off, write it again", found, bytes, what);
}

/// Reads the next `bytes` bytes of the data. `done` of `all` bytes have been read already.
void read_data(const ByteSource& source, std::byte* to, std::int64_t bytes, std::int64_t done,
               std::int64_t all) {
  const auto found = static_cast<std::int64_t>(source.read(to, static_cast<std::size_t>(bytes)));
  require(found == bytes, Code::file,
          "ends after {} of the {} bytes of its data; the file is cut off, write it again", done + found,
          all);
}

/// Text and size of the header.
struct Head {
  std::string text;
  std::int64_t bytes;  // including magic, version and length
};

Head read_head(const ByteSource& source) {
  std::array<unsigned char, 8> start{};
  read_exactly(source, start.data(), start.size(), "magic and version");
  require(std::memcmp(start.data(), npy_magic.data(), npy_magic.size()) == 0, Code::file,
          "is not a .npy file: it does not start with \\x93NUMPY; write it with numpy.save");
  const int version = start[6];
  require(version >= 1 && version <= 3, Code::file,
          "has version {}.{} of the format; 1.0, 2.0 and 3.0 can be read", version, start[7]);
  std::array<unsigned char, 4> length{};
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  read_exactly(source, length.data(), length_bytes, "header's length");
  const std::size_t bytes = length[0] + 256UL * length[1] + 65536UL * length[2] + 16777216UL * length[3];
  require(bytes <= 1 << 20, Code::file,
          "has a header of {} bytes; expected at most a few hundred: it is damaged", bytes);
  std::string text(bytes, ' ');
  read_exactly(source, text.data(), bytes, "header");
  return {std::move(text), static_cast<std::int64_t>(start.size() + length_bytes + bytes)};
}

bool can_be_held(const Shape& shape) {
  try {
    shape.check();
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Runs before the tensor is allocated: a damaged shape may ask for any amount of memory.
void require_data_in_file(const ByteSource& source, std::int64_t head_bytes, const NpyHeader& header) {
  const std::string shape = excerpt(to_string(header.shape));
  require(can_be_held(header.shape), Code::file,
          "has shape [{}], more than 2^58 elements without its zeros; the file is damaged, write it again",
          shape);
  if (!source.bytes) return;
  const std::int64_t found = *source.bytes - head_bytes;
  const auto expected = header.shape.elements() * static_cast<std::int64_t>(bytes_per_element(header.dtype));
  require(found == expected, Code::file,
          "has {} bytes of data where {}[{}] takes {}; the file is cut off or damaged, write it again", found,
          name(header.dtype), shape, expected);
}

void reverse_bytes(Tensor& tensor) {
  const std::int64_t parts = is_complex(tensor.dtype()) ? 2 : 1;
  const std::size_t size = bytes_per_element(tensor.dtype()) / static_cast<std::size_t>(parts);
  std::byte* part = tensor.mutable_bytes();
  for (std::int64_t i = 0; i < parts * tensor.elements(); ++i, part += size) std::reverse(part, part + size);
}

/// Copy loops from Fortran order to row-major, dim 0 first: the innermost in the file, the outermost in the
/// tensor.
std::vector<CopyLoop> loops_from_columns(const Tensor& tensor) {
  std::vector<CopyLoop> loops;
  auto from_stride = static_cast<std::int64_t>(bytes_per_element(tensor.dtype()));
  auto to_stride = static_cast<std::int64_t>(tensor.bytes());
  for (std::int64_t size : tensor.shape()) {
    to_stride /= size;
    loops.push_back({size, to_stride, from_stride});
    from_stride *= size;
  }
  return loops;
}

/// Byte offset in the tensor of position `index` of the file. loops[0] varies fastest in the file.
std::int64_t offset_of(std::int64_t index, std::span<const CopyLoop> loops) {
  std::int64_t offset = 0;
  for (const CopyLoop& loop : loops) {
    offset += index % loop.size * loop.to_stride;
    index /= loop.size;
  }
  return offset;
}

// Reads a piece of the file at a time and copies its elements to their places, so that no second array is
// needed. A piece spans all dims before `split`, and those indices of dim `split` that fit into piece_bytes.
void read_by_columns(const ByteSource& source, Tensor& tensor) {
  constexpr std::int64_t piece_bytes = 1 << 19;
  std::vector<CopyLoop> loops = loops_from_columns(tensor);
  std::size_t split = 0;
  while (split + 1 < loops.size() && loops[split + 1].from_stride <= piece_bytes) ++split;
  CopyLoop& cut = loops[split];
  const std::span<const CopyLoop> inside = std::span(loops).first(split + 1),
                                  outside = std::span(loops).subspan(split + 1);
  const std::int64_t n = cut.size, most = std::min(n, piece_bytes / cut.from_stride);
  std::vector<std::byte> piece(static_cast<std::size_t>(most * cut.from_stride));
  std::byte* const to = tensor.mutable_bytes();
  const auto all = static_cast<std::int64_t>(tensor.bytes());
  for (std::int64_t done = 0, outer = 0; done < all; ++outer)
    for (std::int64_t first = 0; first < n; first += cut.size) {
      cut.size = std::min(most, n - first);
      const std::int64_t bytes = cut.size * cut.from_stride;
      read_data(source, piece.data(), bytes, done, all);
      done += bytes;
      strided_copy(to + offset_of(outer, outside) + first * cut.to_stride, piece.data(), inside,
                   bytes_per_element(tensor.dtype()));
    }
}

}  // namespace

Tensor read_npy(const std::string& path, Where where) {
  std::optional<Tensor> tensor;
  with_name(path, where, too_large_to_read, [&] {
    const File file = open_to_read(path, ".npy");
    auto read = [&](void* to, std::size_t wanted) {
      const std::size_t found = std::fread(to, 1, wanted, file.get());
      require_done(std::ferror(file.get()) == 0, "cannot be read");
      return found;
    };
    tensor = parse_npy({read, bytes_of(file)});
  });
  return std::move(*tensor);
}

Tensor internal::parse_npy(const ByteSource& source) {
  const Head head = read_head(source);
  const NpyHeader header = parse_npy_header(head.text);
  require_data_in_file(source, head.bytes, header);
  Tensor tensor(header.shape, header.dtype);
  const auto bytes = static_cast<std::int64_t>(tensor.bytes());
  if (header.is_fortran_order && bytes > 0 && header.shape.rank() > 1) read_by_columns(source, tensor);
  else read_data(source, tensor.mutable_bytes(), bytes, 0, bytes);
  std::byte rest;
  require(source.read(&rest, 1) == 0, Code::file,
          "goes on after the {} bytes of its data; the file is damaged, write it again", bytes);
  require_bools(tensor);
  if (header.is_big_endian) reverse_bytes(tensor);
  return tensor;
}

void internal::require_bools(const Tensor& tensor) {
  if (tensor.dtype() != DType::boolean) return;
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    require(static_cast<unsigned>(tensor.data()[i]) <= 1, Code::file,
            "has byte {} as bool element {}; expected 0 or 1: the file is damaged, write it again",
            static_cast<unsigned>(tensor.data()[i]), i);
}

void write_npy(const std::string& path, const Tensor& tensor, Where where) {
  write_whole(path, ".npy", where, [&](std::FILE* to) {
    const std::string head = npy_head(tensor.dtype(), tensor.shape());
    const bool written = std::fwrite(head.data(), 1, head.size(), to) == head.size() &&
                         std::fwrite(tensor.data(), 1, tensor.bytes(), to) == tensor.bytes();
    require_done(written, "cannot be written", "; free some space or write elsewhere");
  });
}

}  // namespace tutti
