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

/// The same to write: a file that was there is emptied.
File open_to_write(const std::string& path);

/// Has `write` write a file beside `path`, which takes its name at the end: a file that was there stays as it was if
/// that fails. Of a symbolic link the target is replaced; a device or pipe is written itself.
/// Throws what `write` throws, and R001, both with the file's name.
void write_whole(const std::string& path, const char* kind, Where where,
                 const std::function<void(const std::string& to)>& write);

/// "'x.npy' " before what the error says.
Error with_file(const Error& error, const std::string& path);

}  // namespace tutti
