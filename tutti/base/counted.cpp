// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/counted.hpp"

namespace tutti {

std::string counted(std::int64_t n, std::string_view one, std::string_view several) {
  std::string text = std::to_string(n) + " ";
  if (n == 1) return text.append(one);
  return several.empty() ? text.append(one).append("s") : text.append(several);
}

}  // namespace tutti
