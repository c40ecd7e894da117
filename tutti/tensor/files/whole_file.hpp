// SPDX-License-Identifier: Apache-2.0
// Opens files with errors that say why, and writes files whole or not at all.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tutti/base/error.hpp"

namespace tutti {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// True if `path` exists and is neither a regular file nor a folder: a device or pipe.
bool is_special_file(const std::string& path);

/// Opens a stream that writes to `descriptor`. On failure returns null, closes `descriptor` and sets errno.
File stream_to(int descriptor);
/// Locks an open file until it is closed. False if the file is open and locked elsewhere. Always true on file
/// systems without locks.
bool lock(int descriptor);

/// Unless `done`, throws std::bad_alloc for ENOMEM, else R001 with errno's text: "cannot be written: File too
/// large".
void require_done(bool done, const char* undone, const char* advice = "");

/// Opens `path` for reading. Throws R001, without the file's name, if `path` is a folder or cannot be opened.
/// `kind`, such as ".npy", is the ending that the error recommends.
File open_to_read(const std::string& path, const char* kind);

/// The size of the open file. None for a device or pipe. A file that took the same name later does not count.
std::optional<std::int64_t> bytes_of(const File& file);

/// Throws R001, without the file's name, if `path` is a device or pipe. An archive needs a file: it seeks.
void refuse_special_file(const std::string& path, const char* kind);

/// Calls `act` and adds the file's name to its errors. std::bad_alloc becomes R003 with the text
/// `without_memory`.
void with_name(const std::string& path, Where where, const char* without_memory,
               const std::function<void()>& act);
inline constexpr const char* too_large_to_read = "holds more than there is memory for";
inline constexpr const char* not_written_without_memory =
    "cannot be written: not enough memory; free some and write it again";

/// Calls `write` with a temporary file in the folder of `path`, and renames that file to `path` at the end.
/// If anything fails, an old file stays unchanged. For a symbolic link the target is replaced; a device or
/// pipe is written directly.
/// The new file has the mode of the old one, and its owner and group where the system lets this process give
/// files away. A group that it cannot have loses the rights that others do not have. The temporary file is
/// NAME.tutti-R.tmp, where R is 16 random hexadecimal digits; a NAME of more than 100 bytes is replaced by
/// its hash. The writer locks the file. Unlocked temporary files of the same target are removed first,
/// because their writers are dead. Throws R001, R003 without memory, and the errors of `write`, all with the
/// file's name.
void write_whole(const std::string& path, const char* kind, Where where,
                 const std::function<void(std::FILE* to)>& write);

enum class SpecialFile { allowed, refused };
/// Throws what write_whole would throw before it calls `write`, and leaves nothing behind. For programs that
/// compute long before they write. `special`: whether `path` may be a device or pipe.
void require_writable(const std::string& path, const char* kind, SpecialFile special, Where where);

}  // namespace tutti
