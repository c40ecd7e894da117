// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/counted.hpp"

#include <fmt/core.h>

#include <array>

namespace tutti {

std::string counted(std::int64_t n, std::string_view one, std::string_view several) {
  std::string text = std::to_string(n) + " ";
  if (n == 1) return text.append(one);
  return several.empty() ? text.append(one).append("s") : text.append(several);
}

std::string in_bytes(std::int64_t bytes) {
  constexpr std::array names{"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t name = 0;
  for (; amount >= 1023.95 && name + 1 < names.size(); ++name) amount /= 1024;
  return fmt::format("{:.1f} {}", amount, names[name]);
}

}  // namespace tutti
