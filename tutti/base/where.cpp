// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/where.hpp"

#include <mutex>
#include <set>

namespace tutti {

std::string to_string(const Where& where) {
  if (!where.known()) return {};
  std::string text = std::string(where.file) + ":" + std::to_string(where.line);
  if (where.column > 0) text += ":" + std::to_string(where.column);
  return text;
}

const char* intern_name(std::string_view name) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> names;
  std::lock_guard lock(mutex);
  auto it = names.find(name);
  if (it == names.end()) it = names.emplace(name).first;
  return it->c_str();
}

}  // namespace tutti
