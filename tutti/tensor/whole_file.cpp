// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/whole_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tutti/base/require.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;

// Some file systems find out only then that the disk is full.
void sync(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = file >= 0 && ::fsync(file) == 0;
  const int why = errno;
  if (file >= 0) ::close(file);
  require(synced, Code::file, "cannot be written: {}; free some space or write elsewhere",
          std::strerror(why));
}

// What cannot be asked for (no rights, too long a name) is left to those who open it, who say why.
bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// Where a symbolic link leads, also to a file that is not there yet.
std::string behind_links(const std::string& path) {
  std::error_code failed;
  const fs::path found = fs::is_symlink(path, failed) ? fs::weakly_canonical(path, failed) : fs::path(path);
  return failed ? path : found.string();
}

// The thread's number: two may write the same file.
void write_beside_and_rename(const std::string& path, const std::function<void(const std::string&)>& write) {
  const std::string beside = fmt::format("{}.{}.tmp", path, ::gettid());
  try {
    write(beside);
    sync(beside);
    const bool renamed = std::rename(beside.c_str(), path.c_str()) == 0;
    require(renamed, Code::file, "cannot be written: {}", std::strerror(errno));
  } catch (...) {
    std::remove(beside.c_str());
    throw;
  }
}

}  // namespace

bool is_special_file(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
}

File open_to_read(const std::string& path, const char* kind) {
  require(!is_folder(path), Code::file, "is a folder; name a {} file", kind);
  File file(std::fopen(path.c_str(), "rb"));
  require(file != nullptr, Code::file, "cannot be read: {}", std::strerror(errno));
  return file;
}

File open_to_write(const std::string& path) {
  File file(std::fopen(path.c_str(), "wb"));
  require(file != nullptr, Code::file, "cannot be written: {}", std::strerror(errno));
  return file;
}

void write_whole(const std::string& path, const char* kind, Where where,
                 const std::function<void(const std::string& to)>& write) {
  try {
    require(!is_folder(path), Code::file, "is a folder; name a {} file", kind);
    if (is_special_file(path)) return write(path);
    write_beside_and_rename(behind_links(path), write);
  } catch (const Error& error) {
    throw with_file(error, path).at(where);
  }
}

Error with_file(const Error& error, const std::string& path) {
  return {error.code(), error.where(), fmt::format("'{}' {}", path, error.message()), error.notes()};
}

}  // namespace tutti
