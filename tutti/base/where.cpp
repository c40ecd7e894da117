// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/where.hpp"
#include "tutti/base/inside.hpp"

#include <mutex>
#include <set>

#include "tutti/base/fork.hpp"
#include "tutti/base/never_destroyed.hpp"

namespace tutti {
namespace {

constinit std::mutex names_lock;

}  // namespace

std::string to_string(const Where& where) {
  if (!where.known()) return {};
  std::string text = std::string(where.file) + ":" + std::to_string(where.line);
  if (where.column > 0) text += ":" + std::to_string(where.column);
  return text;
}

const char* internal::intern_name(std::string_view name) {
  static NeverDestroyed<std::set<std::string, std::less<>>> names;
  free_at_fork<names_lock>();
  std::lock_guard lock(names_lock);
  auto it = names->find(name);
  if (it == names->end()) it = names->emplace(name).first;
  return it->c_str();
}

}  // namespace tutti
