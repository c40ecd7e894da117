// SPDX-License-Identifier: Apache-2.0
#include "examples/support/text_file.hpp"

#include <zlib.h>

#include <cstdio>
#include <memory>

#include "tutti/base/require.hpp"
#include "tutti/tensor/files/whole_file.hpp"

namespace examples {

using namespace tutti;

std::string read_text(const std::string& path, const std::string& advice) {
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  ops::require(file != nullptr, Code::file, "{}: cannot be opened; {}", path, advice);
  std::string text;
  char block[1 << 16];
  int n = 0;
  while ((n = gzread(file.get(), block, sizeof block)) > 0) text.append(block, static_cast<std::size_t>(n));
  int status = Z_OK;
  std::string reason = gzerror(file.get(), &status);
  // A file that was cut off decompresses without any other error.
  ops::require(n == 0 && (status == Z_OK || status == Z_STREAM_END), Code::file, "{}: cannot be read: {}; {}",
               path, reason.starts_with(path + ": ") ? reason.substr(path.size() + 2) : reason, advice);
  return text;
}

void write_text(const std::string& path, const char* kind, const std::string& text) {
  write_whole(path, kind, Where{}, [&](std::FILE* to) {
    require_done(std::fwrite(text.data(), 1, text.size(), to) == text.size(), "cannot be written",
                 "; free some space or write elsewhere");
  });
}

}  // namespace examples
