// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tutti::xla {

/// Checks a library before the loader maps it. The loader believes the headers of the file: it waits for a
/// pipe, and the process gets SIGBUS for a page beyond the end. Throws R004 if `path` is a folder, device or
/// pipe, or if the file ends before what its ELF headers tell of. Files that are missing, unreadable, or no
/// library of this machine pass: the loader says what is wrong with them. Source: ELF-64 Object File Format
/// 1.5.
void require_whole_library(const std::string& path);

}  // namespace tutti::xla
