// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/files/safetensors.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>
#include <cstdio>
#include <set>
#include <string_view>

#include "tutti/base/excerpt.hpp"
#include "tutti/base/require.hpp"
#include "tutti/tensor/files/npy.hpp"
#include "tutti/tensor/files/safetensors_header.hpp"
#include "tutti/tensor/files/whole_file.hpp"

namespace tutti {
namespace {

constexpr const char* kind = ".safetensors";

// Not mapped: if the file shrank meanwhile, a mapping would end the process with SIGBUS.
void read_exactly(const File& file, void* to, std::size_t bytes, std::string_view what) {
  const std::size_t found = std::fread(to, 1, bytes, file.get());
  require_done(std::ferror(file.get()) == 0, "cannot be read");
  require(found == bytes, Code::file,
          "ends after {} of the {} bytes of {}; the file is cut off, write it again", found, bytes, what);
}

std::vector<SafetensorsEntry> read_header(const File& file, std::int64_t file_bytes,
                                          const ArchiveOptions& options) {
  unsigned char length[8];
  read_exactly(file, length, sizeof length, "its header's length");
  const std::int64_t bytes = safetensors_header_bytes(length, file_bytes);
  const std::int64_t all_bytes = file_bytes - static_cast<std::int64_t>(sizeof length);
  require(!options.most_bytes || all_bytes <= *options.most_bytes, Code::file,
          "holds {} bytes, more than the bound of {} that was given; raise it if you trust the file",
          all_bytes, options.most_bytes.value_or(0));
  std::string text(static_cast<std::size_t>(bytes), ' ');
  read_exactly(file, text.data(), text.size(), "its header");
  return parse_safetensors_header(text, all_bytes - bytes);
}

NamedTensors read_file(const std::string& path, const ArchiveOptions& options) {
  refuse_special_file(path, kind);
  const File file = open_to_read(path, kind);
  NamedTensors arrays;
  for (SafetensorsEntry& entry : read_header(file, bytes_of(file).value_or(0), options)) {
    Tensor tensor(std::move(entry.shape), entry.dtype);
    const std::string shown = "'" + excerpt(entry.name) + "'";
    read_exactly(file, tensor.mutable_bytes(), tensor.bytes(), shown);
    try {
      require_bools(tensor);
    } catch (const Error& error) {
      fail(error.code(), "has the array {}, which {}", shown, error.message());
    }
    arrays.emplace_back(std::move(entry.name), std::move(tensor));
  }
  return arrays;
}

std::vector<const NamedTensors::value_type*> widest_first(const NamedTensors& arrays) {
  std::vector<const NamedTensors::value_type*> order;
  for (const auto& array : arrays) order.push_back(&array);
  std::ranges::stable_sort(order, std::greater(), [](const auto* array) {
    const DType dtype = array->second.dtype();
    return bytes_per_element(dtype) / (is_complex(dtype) ? 2 : 1);
  });
  return order;
}

void require_different_names(const NamedTensors& arrays) {
  std::set<std::string_view> names;
  for (const auto& [name, tensor] : arrays)
    require(names.insert(name).second, Code::tree, "has two arrays '{}'; give each a name of its own", name);
  require(!arrays.empty(), Code::tree, "would hold no array; save a tree that has one");
}

}  // namespace

bool is_safetensors(const std::string& path) { return path.ends_with(kind); }

NamedTensors read_safetensors(const std::string& path, const ArchiveOptions& options, Where where) {
  NamedTensors arrays;
  with_name(path, where, too_large_to_read, [&] { arrays = read_file(path, options); });
  return arrays;
}

void write_safetensors(const std::string& path, const NamedTensors& arrays, Where where) {
  const auto order = widest_first(arrays);
  std::string head;
  with_name(path, where, not_written_without_memory, [&] {
    require_different_names(arrays);
    refuse_special_file(path, kind);
    std::vector<SafetensorsEntry> entries;
    std::int64_t next = 0;
    for (const auto* array : order) {
      const Tensor& tensor = array->second;
      entries.push_back({array->first, tensor.dtype(), tensor.shape(), next});
      next += static_cast<std::int64_t>(tensor.bytes());
    }
    head = safetensors_head(entries);
  });
  write_whole(path, kind, where, [&](std::FILE* to) {
    const auto write = [to](const void* from, std::size_t bytes) {
      require_done(std::fwrite(from, 1, bytes, to) == bytes, "cannot be written",
                   "; free some space or write elsewhere");
    };
    write(head.data(), head.size());
    for (const auto* array : order) write(array->second.data(), array->second.bytes());
  });
}

}  // namespace tutti
