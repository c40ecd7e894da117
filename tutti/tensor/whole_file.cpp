// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/whole_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string_view>

#include "tutti/base/require.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".tmp";

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

/// What the names of all temporary files of a target begin with. Short, so that the longest target has room for it.
std::string start_of_names(const fs::path& target) {
  constexpr std::size_t longest_shown = 100;
  const std::string name = target.filename().string();
  return name.size() <= longest_shown ? name + "." : fmt::format("{:016x}.", std::hash<std::string>()(name));
}

bool is_name_of_temporary(std::string_view name, std::string_view start) {
  if (!name.starts_with(start) || !name.ends_with(ending)) return false;
  const std::size_t taken = start.size() + ending.size();
  return name.size() > taken &&
         name.substr(start.size(), name.size() - taken).find_first_not_of("0123456789-") == name.npos;
}

bool is_same_file(int opened, const char* path) {
  struct stat one, other;
  return ::fstat(opened, &one) == 0 && ::lstat(path, &other) == 0 && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

// A writer locks its file as long as it lives, also in another container or, where the file system can, on another
// machine; its process number says less. After the lock the name may be another writer's already.
void remove_if_stale(const char* path) {
  const int file = ::open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  if (::flock(file, LOCK_EX | LOCK_NB) == 0 && is_same_file(file, path)) ::unlink(path);
  ::close(file);
}

void remove_stale(const fs::path& folder, std::string_view start) {
  std::error_code failed;
  fs::directory_iterator entry(folder, failed), end;
  for (; !failed && entry != end; entry.increment(failed))
    if (is_name_of_temporary(entry->path().filename().string(), start))
      remove_if_stale(entry->path().c_str());
}

/// A new file beside a target, locked; removed unless it takes the target's name.
class Temporary {
 public:
  explicit Temporary(const fs::path& target) : target_(target) {
    const std::string start = start_of_names(target);
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    remove_stale(folder, start);
    for (int number = 0; file_ == nullptr; ++number) {
      path_ = folder / fmt::format("{}{}-{}{}", start, ::getpid(), number, ending);
      open();
    }
  }
  ~Temporary() {
    if (file_ != nullptr) ::unlink(path_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  std::FILE* file() const { return file_.get(); }

  // Some file systems find out only when they are asked to sync that the disk is full.
  void take_name_of_target() {
    const bool written = std::fflush(file()) == 0 && ::fsync(::fileno(file())) == 0;
    require(written, Code::file, "cannot be written: {}; free some space or write elsewhere",
            std::strerror(errno));
    const bool renamed = std::rename(path_.c_str(), target_.c_str()) == 0;
    require(renamed, Code::file, "cannot be written: {}", std::strerror(errno));
    file_.reset();
  }

 private:
  /// Leaves no file if the name is taken, also by one who removed the file as stale before it was locked. File systems
  /// without locks refuse them to everybody.
  void open() {
    const int opened = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (opened < 0 && errno == EEXIST) return;
    file_.reset(opened < 0 ? nullptr : ::fdopen(opened, "wb"));
    require(file_ != nullptr, Code::file, "cannot be written: {}", std::strerror(errno));
    const bool is_free = ::flock(opened, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (!is_free || !is_same_file(opened, path_.c_str())) file_.reset();
  }

  fs::path target_, path_;
  File file_;
};

void write_beside_and_rename(const std::string& path, const std::function<void(std::FILE*)>& write) {
  struct stat ignored;
  const bool has_place = ::lstat(path.c_str(), &ignored) == 0 || errno == ENOENT;
  require(has_place, Code::file, "cannot be written: {}", std::strerror(errno));
  Temporary temporary(path);
  write(temporary.file());
  temporary.take_name_of_target();
}

void write_itself(const std::string& path, const std::function<void(std::FILE*)>& write) {
  const File file(std::fopen(path.c_str(), "wb"));
  require(file != nullptr, Code::file, "cannot be written: {}", std::strerror(errno));
  write(file.get());
  const bool written = std::fflush(file.get()) == 0;
  require(written, Code::file, "cannot be written: {}; free some space or write elsewhere",
          std::strerror(errno));
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

void write_whole(const std::string& path, const char* kind, Where where,
                 const std::function<void(std::FILE* to)>& write) {
  try {
    require(!is_folder(path), Code::file, "is a folder; name a {} file", kind);
    if (is_special_file(path)) return write_itself(path, write);
    write_beside_and_rename(behind_links(path), write);
  } catch (const Error& error) {
    throw with_file(error, path).at(where);
  }
}

Error with_file(const Error& error, const std::string& path) {
  return {error.code(), error.where(), fmt::format("'{}' {}", path, error.message()), error.notes()};
}

}  // namespace tutti
