// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/new_file.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "tutti/tensor/files/whole_file.hpp"

namespace tutti::xla {

std::optional<std::filesystem::path> write_new_file(const std::filesystem::path& folder,
                                                    const std::string& prefix, const std::string& suffix,
                                                    std::string_view content) {
  std::string path = (folder / (prefix + "XXXXXX" + suffix)).string();
  const int number = ::mkstemps(path.data(), static_cast<int>(suffix.size()));
  if (number < 0) return std::nullopt;
  const File file = stream_to(number);
  const bool is_written = file &&
                          std::fwrite(content.data(), 1, content.size(), file.get()) == content.size() &&
                          std::fflush(file.get()) == 0;
  if (is_written) return path;
  static_cast<void>(std::remove(path.c_str()));
  return std::nullopt;
}

}  // namespace tutti::xla
