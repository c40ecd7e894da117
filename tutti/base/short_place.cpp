// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/short_place.hpp"

namespace tutti {

std::string short_place(const Where& where) {
  const std::string text = to_string(where);
  return text.substr(text.rfind('/') + 1);  // npos + 1 = 0
}

}  // namespace tutti
