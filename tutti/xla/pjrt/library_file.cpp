// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/pjrt/library_file.hpp"
#include "tutti/base/inside.hpp"

#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "tutti/base/require.hpp"

namespace tutti::xla {
namespace {

using FileHeader = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Section = ElfW(Shdr);

constexpr unsigned char class_here = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;

class OpenFile {
 public:
  // O_NONBLOCK: a pipe that took the name since it was looked at does not wait for a writer.
  explicit OpenFile(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    struct stat found;
    if (descriptor_ >= 0 && ::fstat(descriptor_, &found) == 0 && S_ISREG(found.st_mode))
      bytes_ = static_cast<std::uint64_t>(found.st_size);
  }
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  std::uint64_t bytes() const { return bytes_; }  // 0 if it cannot be read
  /// `count` structs at `offset`. None if the file ends before them.
  template <class T>
  std::optional<std::vector<T>> read(std::uint64_t offset, std::uint64_t count) const {
    if (offset > bytes_ || count > (bytes_ - offset) / sizeof(T)) return std::nullopt;
    std::vector<T> found(count);
    const auto wanted = static_cast<ssize_t>(count * sizeof(T));
    if (::pread(descriptor_, found.data(), count * sizeof(T), static_cast<off_t>(offset)) != wanted)
      return std::nullopt;
    return found;
  }

 private:
  int descriptor_;
  std::uint64_t bytes_ = 0;
};

/// The end of a part of the file, the largest number if it overflows.
std::uint64_t end_of(std::uint64_t offset, std::uint64_t bytes) {
  std::uint64_t end = 0;
  return __builtin_add_overflow(offset, bytes, &end) ? std::numeric_limits<std::uint64_t>::max() : end;
}

bool is_of_this_machine(const FileHeader& header) {
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == class_here &&
         header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_phentsize == sizeof(Segment);
}

/// The number of bytes that a whole file with this header has at least.
std::uint64_t least_bytes(const OpenFile& file, const FileHeader& header) {
  std::uint64_t end = std::max(end_of(header.e_phoff, header.e_phnum * sizeof(Segment)),
                               end_of(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize));
  if (const auto segments = file.read<Segment>(header.e_phoff, header.e_phnum))
    for (const Segment& segment : *segments) end = std::max(end, end_of(segment.p_offset, segment.p_filesz));
  if (header.e_shentsize != sizeof(Section)) return end;
  if (const auto sections = file.read<Section>(header.e_shoff, header.e_shnum))
    for (const Section& section : *sections)
      if (section.sh_type != SHT_NULL && section.sh_type != SHT_NOBITS)
        end = std::max(end, end_of(section.sh_offset, section.sh_size));
  return end;
}

}  // namespace

void require_whole_library(const std::string& path) {
  struct stat found;
  if (::stat(path.c_str(), &found) != 0) return;
  require(!S_ISDIR(found.st_mode), Code::device, "xla: {} is a folder; name the file of a PJRT plugin", path);
  require(S_ISREG(found.st_mode), Code::device, "xla: {} is a device or pipe; name the file of a PJRT plugin",
          path);
  const OpenFile file(path);
  const auto header = file.read<FileHeader>(0, 1);
  if (!header || !is_of_this_machine(header->front())) return;
  const std::uint64_t least = least_bytes(file, header->front());
  require(file.bytes() >= least, Code::device,
          "xla: {} is cut off: it has {} bytes, and its headers tell of {}; install the plugin again", path,
          file.bytes(), least);
}

}  // namespace tutti::xla
