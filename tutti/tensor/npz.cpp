// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/npz.hpp"

#include <zip.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <set>

#include "tutti/base/require.hpp"
#include "tutti/tensor/npy.hpp"
#include "tutti/tensor/npy_header.hpp"
#include "tutti/tensor/whole_file.hpp"

namespace tutti {
namespace {

constexpr std::string_view ending = ".npy";

struct DiscardArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, DiscardArchive>;
struct CloseEntry {
  void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};

std::string text_of(zip_error_t* error) {
  // Of the system's errors libzip says first what it did, which we say ourselves.
  if (zip_error_system_type(error) == ZIP_ET_SYS) return std::strerror(zip_error_code_system(error));
  return zip_error_strerror(error);
}

Archive open_archive(const std::string& path, int flags) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), flags, &code));
  if (archive) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string why = text_of(&error);
  zip_error_fini(&error);
  if (code == ZIP_ER_NOZIP)
    fail(Code::file,
         "is not a .npz file, or cut off: it does not end as a zip file; write it with numpy.savez");
  if (code == ZIP_ER_EXISTS) fail(Code::file, "has two arrays of one name; give each a name of its own");
  fail(Code::file, "is damaged ({}); write it again", why);
}

// --- Reading ---------------------------------------------------------------------------------------------------

// In parts: a damaged size costs no memory. At the end libzip compares the checksum. Not more than the archive says: a
// small entry may be made to inflate for ever.
std::vector<std::byte> content(zip_t* archive, zip_uint64_t index, std::string_view entry) {
  const std::unique_ptr<zip_file_t, CloseEntry> file(zip_fopen_index(archive, index, 0));
  require(file != nullptr, Code::file, "has the entry '{}', which cannot be read: {}", entry,
          text_of(zip_get_error(archive)));
  zip_stat_t stat;
  const bool has_size = zip_stat_index(archive, index, 0, &stat) == 0 && (stat.valid & ZIP_STAT_SIZE) != 0;
  require(has_size, Code::file, "has the entry '{}', which says no size; write it again", entry);
  std::vector<std::byte> bytes;
  std::vector<std::byte> part(1 << 20);
  for (zip_int64_t n; (n = zip_fread(file.get(), part.data(), part.size())) != 0;) {
    require(n > 0, Code::file, "has the entry '{}', which is damaged ({}); write it again", entry,
            text_of(zip_file_get_error(file.get())));
    bytes.insert(bytes.end(), part.begin(), part.begin() + n);
    require(bytes.size() <= stat.size, Code::file,
            "has the entry '{}', which is longer than it says; write it again", entry);
  }
  return bytes;
}

std::pair<std::string, Tensor> read_entry(zip_t* archive, zip_uint64_t index) {
  const char* const name = zip_get_name(archive, index, 0);
  const std::string entry = name == nullptr ? "" : name;
  require(entry.ends_with(ending), Code::file,
          "has the entry '{}'; expected arrays only: names that end with {}", entry, ending);
  const std::vector<std::byte> bytes = content(archive, index, entry);
  try {
    return {entry.substr(0, entry.size() - ending.size()), parse_npy(bytes)};
  } catch (const Error& error) {
    fail(error.code(), "has the entry '{}', which {}", entry, error.message());
  }
}

NamedTensors read_archive(const std::string& path) {
  open_to_read(path, ".npz");  // says why if it cannot be read
  const Archive archive = open_archive(path, ZIP_RDONLY | ZIP_CHECKCONS);
  NamedTensors arrays;
  const zip_int64_t entries = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < entries; ++i)
    arrays.push_back(read_entry(archive.get(), static_cast<zip_uint64_t>(i)));
  return arrays;
}

// --- Writing ---------------------------------------------------------------------------------------------------

void require_different_names(const NamedTensors& arrays) {
  std::set<std::string_view> names;
  for (const auto& [name, tensor] : arrays) {
    require(names.insert(name).second, Code::tree, "has two arrays '{}'; give each a name of its own", name);
    require(name.find('\0') == name.npos, Code::tree,
            "has an array with a zero byte in its name '{}'; leave it out", name.c_str());
  }
}

// `head` and the tensor live until the archive is closed.
void add_entry(zip_t* archive, const std::string& name, const std::string& head, const Tensor& tensor) {
  constexpr zip_uint16_t first_day =
      1 << 5 | 1;  // 1980-01-01, the first that zip knows: the same bytes every day
  const std::array<zip_buffer_fragment_t, 2> parts{
      {{reinterpret_cast<zip_uint8_t*>(const_cast<char*>(head.data())), head.size()},
       {reinterpret_cast<zip_uint8_t*>(const_cast<std::byte*>(tensor.data())), tensor.bytes()}}};
  zip_source_t* const source = zip_source_buffer_fragment(archive, parts.data(), parts.size(), 0);
  require(source != nullptr, Code::file, "cannot be written: {}", text_of(zip_get_error(archive)));
  const zip_int64_t index =
      zip_file_add(archive, (name + std::string(ending)).c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) zip_source_free(source);
  const auto entry = static_cast<zip_uint64_t>(index);
  const bool added = index >= 0 && zip_set_file_compression(archive, entry, ZIP_CM_STORE, 0) == 0 &&
                     zip_file_set_dostime(archive, entry, 0, first_day, 0) == 0;
  require(added, Code::file, "cannot be written: {}", text_of(zip_get_error(archive)));
}

void write_archive(const std::string& path, const NamedTensors& arrays) {
  require(!is_special_file(path), Code::file,
          "is a device or pipe, which holds no archive; name a .npz file");
  open_to_write(path);  // says why if it cannot be written
  Archive archive = open_archive(path, ZIP_CREATE | ZIP_TRUNCATE);
  std::vector<std::string> heads;
  heads.reserve(arrays.size());
  for (const auto& [name, tensor] : arrays)
    add_entry(archive.get(), name, heads.emplace_back(npy_head(tensor.dtype(), tensor.shape())), tensor);
  const bool closed = zip_close(archive.get()) == 0;
  require(closed, Code::file, "cannot be written: {}; free some space or write elsewhere",
          text_of(zip_get_error(archive.get())));
  zip_t* const freed = archive.release();  // by closing it
  static_cast<void>(freed);
}

}  // namespace

NamedTensors read_npz(const std::string& path, Where where) {
  try {
    return read_archive(path);
  } catch (const Error& error) {
    throw with_file(error, path).at(where);
  } catch (const std::bad_alloc&) {
    throw with_file(Error(Code::memory, {}, "holds more than there is memory for"), path).at(where);
  }
}

void write_npz(const std::string& path, const NamedTensors& arrays, Where where) {
  write_whole(path, ".npz", where, [&](const std::string& to) {
    require_different_names(arrays);
    require(!arrays.empty(), Code::tree, "would hold no array; save a tree that has one");
    write_archive(to, arrays);
  });
}

}  // namespace tutti
