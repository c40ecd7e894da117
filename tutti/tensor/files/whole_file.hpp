// SPDX-License-Identifier: Apache-2.0
// Files of arrays: opened with words where they cannot be, and written whole or not at all.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "tutti/base/error.hpp"

namespace tutti {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// There is a device or pipe: neither a regular file nor a folder.
bool is_special_file(const std::string& path);

/// A stream that writes to `descriptor`. Null if there is none, for a reason in errno; the descriptor is closed then.
File stream_to(int descriptor);
/// Locks an open file until it is closed. False if another open file of the same name is locked. File systems without
/// locks refuse nobody.
bool lock(int descriptor);

/// Throws R001 with the reason in errno, std::bad_alloc if that is lack of memory: "cannot be written: File too large".
void require_done(bool done, const char* undone, const char* advice = "");

/// Throws R001, without the file's name, for a folder (`kind` is the file to name instead) and what cannot be opened.
File open_to_read(const std::string& path, const char* kind);

/// Calls `act`. Throws what it throws, and R003 with the words `without_memory` for std::bad_alloc, both with the
/// file's name.
void with_name(const std::string& path, Where where, const char* without_memory,
               const std::function<void()>& act);
inline constexpr const char* too_large_to_read = "holds more than there is memory for";
inline constexpr const char* not_written_without_memory =
    "cannot be written: not enough memory; free some and write it again";

/// Calls `write` with a temporary file beside `path`, which takes that name at the end: an old file stays as it was if
/// anything fails. The target of a symbolic link is replaced; a device or pipe is written itself.
/// The temporary file is NAME.tutti-R.tmp, R of 16 random hexadecimal digits, with a hash for a name of more than 100
/// bytes, and locked by its writer. Unlocked ones of the same target are removed first: their writers are dead.
/// Throws what `write` throws, R001, and R003 without memory, all with the file's name.
void write_whole(const std::string& path, const char* kind, Where where,
                 const std::function<void(std::FILE* to)>& write);

}  // namespace tutti
