// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/files/npz.hpp"
#include "tutti/base/inside.hpp"

#include <sys/types.h>
#include <zip.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <set>

#include "tutti/base/excerpt.hpp"
#include "tutti/base/require.hpp"
#include "tutti/tensor/files/npy.hpp"
#include "tutti/tensor/files/npy_header.hpp"
#include "tutti/tensor/files/whole_file.hpp"

namespace tutti {
namespace {

constexpr const char* kind = ".npz";
constexpr std::string_view ending = ".npy";

struct DiscardArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, DiscardArchive>;
struct CloseEntry {
  void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};
using Entry = std::unique_ptr<zip_file_t, CloseEntry>;

std::string text_of(zip_error_t* error) {
  if (zip_error_code_zip(error) == ZIP_ER_MEMORY) throw std::bad_alloc();
  // libzip's text for a system error begins with what libzip did; our message has that already.
  if (zip_error_system_type(error) == ZIP_ET_SYS) {
    const int why = zip_error_code_system(error);
    return why == ENOMEM ? throw std::bad_alloc() : std::strerror(why);
  }
  return zip_error_strerror(error);
}

// --- Reading -----------------------------------------------------------------------------------------------

/// An archive that libzip reads from `file`, and only from there: by a path it would ask whatever file has
/// the name at that moment.
Archive archive_in(File file, zip_error_t& error) {
  zip_source_t* const source = zip_source_filep_create(file.get(), 0, -1, &error);
  if (source == nullptr) return nullptr;
  std::FILE* const owned = file.release();  // the source closes the file
  static_cast<void>(owned);
  Archive archive(zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error));
  if (archive == nullptr) zip_source_free(source);
  return archive;
}

Archive open_archive(const std::string& path) {
  refuse_special_file(path, kind);
  File file = open_to_read(path, kind);
  zip_error_t error;
  zip_error_init(&error);
  Archive archive = archive_in(std::move(file), error);
  const int code = zip_error_code_zip(&error);
  const std::string why = text_of(&error);
  zip_error_fini(&error);
  if (archive) return archive;
  if (code == ZIP_ER_NOZIP)
    fail(Code::file,
         "is not a .npz file, or cut off: it does not end as a zip file; write it with numpy.savez");
  if (code == ZIP_ER_EXISTS) fail(Code::file, "has two arrays of one name; give each a name of its own");
  fail(Code::file, "is damaged or cut off ({}); write it again", why);
}

/// The uncompressed size of an entry, from the zip directory. Throws R001 if the compressed bytes cannot
/// expand to that size, so that a small file that claims 1 TiB costs no memory.
std::int64_t bytes_of(zip_t* archive, zip_uint64_t index) {
  constexpr zip_uint64_t sizes = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  zip_stat_t stat;
  const bool has_size = zip_stat_index(archive, index, 0, &stat) == 0 && (stat.valid & sizes) == sizes;
  require(has_size, Code::file, "says no size; write it again");
  require(stat.comp_method == ZIP_CM_STORE || stat.comp_method == ZIP_CM_DEFLATE, Code::file,
          "is compressed by method {}; expected stored or deflated: write it with numpy.savez",
          stat.comp_method);
  const zip_uint64_t most_of_one = stat.comp_method == ZIP_CM_STORE ? 1 : 1032;  // zlib.net/zlib_tech.html
  require(stat.size / most_of_one <= stat.comp_size, Code::file,
          "says {} bytes, more than its {} compressed ones can hold; the file is damaged, write it again",
          stat.size, stat.comp_size);
  return static_cast<std::int64_t>(stat.size);
}

/// Reads up to `bytes` bytes, fewer only at the end of the entry. There libzip verifies the checksum.
std::size_t read_some(zip_file_t* file, void* to, std::size_t bytes) {
  std::size_t found = 0;
  while (found < bytes) {
    const zip_int64_t n = zip_fread(file, static_cast<std::byte*>(to) + found, bytes - found);
    require(n >= 0, Code::file, "is damaged ({}); write it again", text_of(zip_file_get_error(file)));
    if (n == 0) break;
    found += static_cast<std::size_t>(n);
  }
  return found;
}

Tensor read_array(zip_t* archive, zip_uint64_t index) {
  const Entry file(zip_fopen_index(archive, index, 0));
  require(file != nullptr, Code::file, "cannot be read: {}", text_of(zip_get_error(archive)));
  return parse_npy({[&](void* to, std::size_t bytes) { return read_some(file.get(), to, bytes); },
                    bytes_of(archive, index)});
}

std::pair<std::string, Tensor> read_entry(zip_t* archive, zip_uint64_t index) {
  const char* const name = zip_get_name(archive, index, 0);
  const std::string entry = name == nullptr ? "" : name;
  require(entry.ends_with(ending), Code::file,
          "has the entry '{}'; expected arrays only: names that end with {}", excerpt(entry), ending);
  try {
    return {entry.substr(0, entry.size() - ending.size()), read_array(archive, index)};
  } catch (const Error& error) {
    fail(error.code(), "has the entry '{}', which {}", excerpt(entry), error.message());
  }
}

/// The sizes come from the zip directory. An entry that has more bytes than it says is refused when it is
/// read.
void require_within(std::int64_t most_bytes, zip_t* archive, zip_uint64_t entries) {
  std::int64_t left = most_bytes;
  for (zip_uint64_t i = 0; i < entries; ++i) {
    const std::int64_t bytes = bytes_of(archive, i);
    require(bytes <= left, Code::file,
            "expands to more than {} bytes, the bound that was given; raise it if you trust the file",
            most_bytes);
    left -= bytes;
  }
}

NamedTensors read_entries(const std::string& path, const ArchiveOptions& options) {
  const Archive archive = open_archive(path);
  NamedTensors arrays;
  const auto entries = static_cast<zip_uint64_t>(zip_get_num_entries(archive.get(), 0));
  if (options.most_bytes) require_within(*options.most_bytes, archive.get(), entries);
  for (zip_uint64_t i = 0; i < entries; ++i) arrays.push_back(read_entry(archive.get(), i));
  return arrays;
}

// --- Writing -----------------------------------------------------------------------------------------------

void require_different_names(const NamedTensors& arrays) {
  std::set<std::string_view> names;
  for (const auto& [name, tensor] : arrays) {
    require(names.insert(name).second, Code::tree, "has two arrays '{}'; give each a name of its own", name);
    require(name.find('\0') == name.npos, Code::tree,
            "has an array with a zero byte in its name '{}'; leave it out", name.c_str());
  }
}

// `head` and `tensor` must outlive the archive: zip_close reads them.
void add_entry(zip_t* archive, const std::string& name, const std::string& head, const Tensor& tensor) {
  constexpr zip_uint16_t first_day =
      1 << 5 | 1;  // 1980-01-01, the first date of zip: a fixed date keeps the bytes equal
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

/// Makes libzip write to a stream of ours. Given a path, libzip would create a temporary file of its own,
/// which stays behind if the process is killed.
class Output {
 public:
  explicit Output(std::FILE* file) : file_(file) { zip_error_init(&error_); }
  ~Output() { zip_error_fini(&error_); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  static zip_int64_t call(void* self, void* data, zip_uint64_t bytes, zip_source_cmd_t command) {
    return static_cast<Output*>(self)->perform(data, bytes, command);
  }

 private:
  // No switch: every version of libzip adds commands. ENOENT tells libzip that there is no archive to read
  // yet.
  zip_int64_t perform(void* data, zip_uint64_t bytes, zip_source_cmd_t command) {
    if (command == ZIP_SOURCE_SUPPORTS) return ZIP_SOURCE_SUPPORTS_WRITABLE;
    if (command == ZIP_SOURCE_STAT) return failed(ZIP_ER_READ, ENOENT);
    if (command == ZIP_SOURCE_ERROR) return zip_error_to_data(&error_, data, bytes);
    if (command == ZIP_SOURCE_WRITE) {
      const std::size_t written = std::fwrite(data, 1, bytes, file_);
      return written == bytes ? static_cast<zip_int64_t>(bytes) : failed(ZIP_ER_WRITE, errno);
    }
    if (command == ZIP_SOURCE_TELL_WRITE) {
      const off_t at = ::ftello(file_);
      return at >= 0 ? at : failed(ZIP_ER_TELL, errno);
    }
    if (command == ZIP_SOURCE_SEEK_WRITE) {
      const auto* const seek = ZIP_SOURCE_GET_ARGS(zip_source_args_seek_t, data, bytes, &error_);
      if (seek == nullptr) return -1;
      return ::fseeko(file_, seek->offset, seek->whence) == 0 ? 0 : failed(ZIP_ER_SEEK, errno);
    }
    if (command == ZIP_SOURCE_BEGIN_WRITE || command == ZIP_SOURCE_COMMIT_WRITE ||
        command == ZIP_SOURCE_ROLLBACK_WRITE || command == ZIP_SOURCE_FREE)
      return 0;
    return failed(ZIP_ER_OPNOTSUPP, 0);
  }
  zip_int64_t failed(int code, int why) {
    zip_error_set(&error_, code, why);
    return -1;
  }

  std::FILE* file_;
  zip_error_t error_;
};

Archive new_archive(Output& output) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const source = zip_source_function_create(Output::call, &output, &error);
  Archive archive(source == nullptr ? nullptr : zip_open_from_source(source, ZIP_CREATE, &error));
  if (archive == nullptr) zip_source_free(source);
  const std::string why = text_of(&error);
  zip_error_fini(&error);
  require(archive != nullptr, Code::file, "cannot be written: {}", why);
  return archive;
}

void write_entries(std::FILE* to, const NamedTensors& arrays) {
  Output output(to);  // outlives the archive
  Archive archive = new_archive(output);
  std::vector<std::string> heads;
  heads.reserve(arrays.size());
  for (const auto& [name, tensor] : arrays)
    add_entry(archive.get(), name, heads.emplace_back(npy_head(tensor.dtype(), tensor.shape())), tensor);
  const bool closed = zip_close(archive.get()) == 0;
  require(closed, Code::file, "cannot be written: {}; free some space or write elsewhere",
          text_of(zip_get_error(archive.get())));
  zip_t* const freed = archive.release();  // zip_close has freed the archive
  static_cast<void>(freed);
}

}  // namespace

NamedTensors read_npz(const std::string& path, const ArchiveOptions& options, Where where) {
  NamedTensors arrays;
  with_name(path, where, too_large_to_read, [&] { arrays = read_entries(path, options); });
  return arrays;
}

void write_npz(const std::string& path, const NamedTensors& arrays, Where where) {
  with_name(path, where, not_written_without_memory, [&] {
    require_different_names(arrays);
    require(!arrays.empty(), Code::tree, "would hold no array; save a tree that has one");
    refuse_special_file(path, kind);
  });
  write_whole(path, kind, where, [&](std::FILE* to) { write_entries(to, arrays); });
}

}  // namespace tutti
