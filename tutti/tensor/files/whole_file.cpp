// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/files/whole_file.hpp"
#include "tutti/base/inside.hpp"

#include <fcntl.h>
#include <fmt/core.h>

#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <new>
#include <string_view>

#include "tutti/base/require.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view mark = "tutti-", ending = ".tmp";
constexpr std::size_t random_digits = 16;
constexpr const char* not_written = "cannot be written";
constexpr const char* free_space = "; free some space or write elsewhere";

// False also if the query fails (no rights, name too long): opening the file then reports the reason.
bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// Resolves a symbolic link, also one to a file that does not exist yet.
std::string behind_links(const std::string& path) {
  std::error_code failed;
  const fs::path found = fs::is_symlink(path, failed) ? fs::weakly_canonical(path, failed) : fs::path(path);
  return failed ? path : found.string();
}

/// The common prefix of the names of a target's temporary files. Long names are hashed: file systems limit
/// the length.
std::string start_of_names(const fs::path& target) {
  constexpr std::size_t longest_shown = 100;
  const std::string name = target.filename().string();
  return name.size() <= longest_shown ? name + "." : fmt::format("{:016x}.", std::hash<std::string>()(name));
}

std::string random_text() {
  std::uint64_t bits = 0;
  require_done(::getrandom(&bits, sizeof bits, 0) == sizeof bits, not_written);
  return fmt::format("{:0{}x}", bits, random_digits);
}

std::string name_of_temporary(std::string_view start) {
  return fmt::format("{}{}{}{}", start, mark, random_text(), ending);
}

bool is_name_of_temporary(std::string_view name, std::string_view start) {
  if (name.size() != start.size() + mark.size() + random_digits + ending.size()) return false;
  const std::string_view rest = name.substr(std::min(start.size(), name.size()));
  return name.starts_with(start) && rest.starts_with(mark) && rest.ends_with(ending) &&
         rest.substr(mark.size(), random_digits).find_first_not_of("0123456789abcdef") == rest.npos;
}

/// True if `path` still names the open regular file. Another writer may have removed or replaced the file.
bool is_same_file(int opened, const char* path) {
  struct stat one, other;
  return ::fstat(opened, &one) == 0 && ::lstat(path, &other) == 0 && S_ISREG(one.st_mode) &&
         one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// Removes a temporary file that no live writer has locked. Locks work across containers and, where the file
// system supports it, across machines; process ids do not. Once the lock is taken, `path` may name another
// writer's file.
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

/// Gives the new file group, mode and owner of the old one. The group goes first, so that the mode gives no
/// rights to another group; the owner goes last, because only an owner may change the mode.
void take_rights(int file, const struct stat& old) {
  const bool has_group = ::fchown(file, static_cast<uid_t>(-1), old.st_gid) == 0;
  const mode_t group_of_others = (old.st_mode & S_IRWXO) << 3;
  const mode_t mode = has_group ? old.st_mode : old.st_mode & (~mode_t{S_IRWXG} | group_of_others);
  struct stat now;
  require_done(::fstat(file, &now) == 0, not_written);
  if (now.st_mode != mode) require_done(::fchmod(file, mode & ~mode_t{S_IFMT}) == 0, not_written);
  if (now.st_uid == old.st_uid) return;
  const bool is_given_away = ::fchown(file, old.st_uid, static_cast<gid_t>(-1)) == 0;
  static_cast<void>(is_given_away);  // only root can
}

/// The file that `path` names. None if there is none yet.
std::optional<struct stat> old_file(const std::string& path) {
  struct stat found;
  if (::lstat(path.c_str(), &found) == 0) return found;
  require_done(errno == ENOENT, not_written);
  return std::nullopt;
}

/// A new, locked file in the target's folder. The destructor removes the file unless it was renamed to the
/// target.
class Temporary {
 public:
  explicit Temporary(const fs::path& target) : target_(target), old_(old_file(target)) {
    constexpr int most_attempts = 20;
    const std::string start = start_of_names(target);
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    remove_stale(folder, start);
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      path_ = folder / name_of_temporary(start);
      if (open()) return;
    }
    fail(Code::file,
         "cannot be written: {} temporary files beside it were locked or removed by others at once, the last "
         "one "
         "'{}'; write to another folder or file system",
         most_attempts, path_.string());
  }
  ~Temporary() {
    if (file_ != nullptr) remove();
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  std::FILE* file() const { return file_.get(); }

  // The rights go last: with them a later writer might not open, and so not remove, a stale file.
  // fsync, because some file systems report a full disk only there.
  void take_name_of_target() {
    require_done(std::fflush(file()) == 0 && ::fsync(descriptor()) == 0, not_written, free_space);
    require(is_same_file(descriptor(), path_.c_str()), Code::file,
            "cannot be written: somebody removed or replaced its temporary file '{}'; write it again",
            path_.string());
    if (old_) take_rights(descriptor(), *old_);
    require_done(std::rename(path_.c_str(), target_.c_str()) == 0, not_written);
    file_.reset();
  }

 private:
  int descriptor() const { return ::fileno(file()); }

  /// Creates and locks the file. False, without a file, if the name is taken, or if another writer found the
  /// file before it was locked and removed it as stale.
  bool open() {
    const mode_t mode = old_ ? 0600 : 0666;  // nobody reads earlier what the old file's mode keeps from them
    const int opened = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (opened < 0 && errno == EEXIST) return false;
    require_done(opened >= 0, not_written);
    file_ = stream_to(opened);
    if (file_ == nullptr) remove_and_say_why(errno);
    if (lock(opened) && is_same_file(opened, path_.c_str())) return true;
    remove();
    file_.reset();
    return false;
  }
  [[noreturn]] void remove_and_say_why(int why) {
    ::unlink(path_.c_str());
    errno = why;
    require_done(false, not_written);
    __builtin_unreachable();
  }
  void remove() {
    if (is_same_file(descriptor(), path_.c_str())) ::unlink(path_.c_str());
  }

  fs::path target_, path_;
  std::optional<struct stat> old_;
  File file_;
};

void write_beside_and_rename(const std::string& path, const std::function<void(std::FILE*)>& write) {
  Temporary temporary(path);
  write(temporary.file());
  temporary.take_name_of_target();
}

void write_itself(const std::string& path, const std::function<void(std::FILE*)>& write) {
  const File file(std::fopen(path.c_str(), "wb"));
  require_done(file != nullptr, not_written);
  write(file.get());
  require_done(std::fflush(file.get()) == 0, not_written, free_space);
}

/// Puts the quoted path before the error's message: "'x.npy' is ..".
Error with_file(const Error& error, const std::string& path) {
  return {error.code(), error.where(), fmt::format("'{}' {}", path, error.message()), error.notes()};
}

}  // namespace

bool is_special_file(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_regular_file(path, ignored) && !is_folder(path);
}

File stream_to(int descriptor) {
  File file(::fdopen(descriptor, "wb"));
  if (file != nullptr) return file;
  const int why = errno;
  ::close(descriptor);
  errno = why;
  return nullptr;
}

bool lock(int descriptor) { return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

void require_done(bool done, const char* undone, const char* advice) {
  if (done) return;
  const int why = errno;
  if (why == ENOMEM) throw std::bad_alloc();
  fail(Code::file, "{}: {}{}", undone, std::strerror(why), advice);
}

File open_to_read(const std::string& path, const char* kind) {
  require(!is_folder(path), Code::file, "is a folder; name a {} file", kind);
  File file(std::fopen(path.c_str(), "rb"));
  require_done(file != nullptr, "cannot be read");
  return file;
}

std::optional<std::int64_t> bytes_of(const File& file) {
  struct stat found;
  require_done(::fstat(::fileno(file.get()), &found) == 0, "cannot be read");
  return S_ISREG(found.st_mode) ? std::optional<std::int64_t>(found.st_size) : std::nullopt;
}

void refuse_special_file(const std::string& path, const char* kind) {
  require(!is_special_file(path), Code::file, "is a device or pipe, which holds no archive; name a {} file",
          kind);
}

void with_name(const std::string& path, Where where, const char* without_memory,
               const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    throw with_file(error, path).at(where);
  } catch (const std::bad_alloc&) {
    throw with_file(Error(Code::memory, {}, without_memory), path).at(where);
  }
}

void write_whole(const std::string& path, const char* kind, Where where,
                 const std::function<void(std::FILE* to)>& write) {
  with_name(path, where, not_written_without_memory, [&] {
    require(!is_folder(path), Code::file, "is a folder; name a {} file", kind);
    if (is_special_file(path)) return write_itself(path, write);
    write_beside_and_rename(behind_links(path), write);
  });
}

void require_writable(const std::string& path, const char* kind, SpecialFile special, Where where) {
  with_name(path, where, not_written_without_memory, [&] {
    require(!is_folder(path), Code::file, "is a folder; name a {} file", kind);
    if (special == SpecialFile::refused) refuse_special_file(path, kind);
    if (is_special_file(path)) return require_done(::access(path.c_str(), W_OK) == 0, not_written);
    const Temporary tried(behind_links(path));
  });
}

}  // namespace tutti
