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

/// There is something that is no regular file: a device or pipe.
bool is_special_file(const std::string& path);

/// Throws R001, without the file's name, for a folder (`kind` is the file to name instead) and what cannot be opened.
File open_to_read(const std::string& path, const char* kind);

/// Calls `write` with a temporary file beside `path`, which takes that name at the end: an old file stays as it was if
/// anything fails. The target of a symbolic link is replaced; a device or pipe is written itself.
/// The temporary file is NAME.PID-NUMBER.tmp, with a hash for a name of more than 100 bytes, and locked by its writer.
/// Unlocked ones of the same target are removed first: their writers are dead.
/// Throws what `write` throws, and R001, both with the file's name.
void write_whole(const std::string& path, const char* kind, Where where,
                 const std::function<void(std::FILE* to)>& write);

/// "'x.npy' " before what the error says.
Error with_file(const Error& error, const std::string& path);

}  // namespace tutti
