// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "tutti/base/inside.hpp"
#include "tutti/tree/structure.hpp"

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"

namespace tutti {
namespace {

void collect(const Structure& structure, const std::string& prefix, std::vector<std::string>& paths) {
  std::string path = prefix + structure.label;
  if (structure.leaf) paths.push_back(path);
  for (const Structure& child : structure.children) collect(child, path, paths);
}

std::string described(const Structure& structure) {
  constexpr std::size_t named = 4;
  if (structure.leaf) return "an array";
  std::size_t n = structure.children.size();
  if (n == 0) return "nothing";
  std::string labels;
  for (std::size_t i = 0; i < n && i < named; ++i)
    labels += (i == 0 ? "" : ", ") + structure.children[i].label;
  return fmt::format("{} ({}{})", counted(static_cast<std::int64_t>(n), "part"), labels,
                     n > named ? ", .." : "");
}

void compare(const Structure& expected, const Structure& found, std::string_view advice,
             const std::string& prefix = "") {
  std::string path = prefix + expected.label;
  bool same = expected.leaf == found.leaf && expected.children.size() == found.children.size();
  for (std::size_t i = 0; same && i < expected.children.size(); ++i)
    same = expected.children[i].label == found.children[i].label;
  require(same, Code::tree, "the trees differ{}: found {}, expected {}; {}",
          path.empty() ? "" : " at " + path, described(found), described(expected), advice);
  for (std::size_t i = 0; i < expected.children.size(); ++i)
    compare(expected.children[i], found.children[i], advice, path);
}

}  // namespace

std::string tree::index_label(const std::string& index) { return "[" + index + "]"; }
std::string tree::key_label(const std::string& key) { return "[\"" + key + "\"]"; }
std::string tree::field_label(const std::string& field) { return "." + field; }

std::size_t internal::leaf_count(const Structure& structure) {
  std::size_t n = structure.leaf ? 1 : 0;
  for (const Structure& child : structure.children) n += leaf_count(child);
  return n;
}

std::vector<std::string> internal::leaf_paths(const Structure& structure) {
  std::vector<std::string> paths;
  collect(structure, "", paths);
  return paths;
}

std::string internal::leaf_name(std::string_view what, std::string_view path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  return fmt::format("{}{}{}", what, path.empty() ? "" : " ", path);
}

void internal::require_same_structure(std::string_view name, const Structure& expected,
                                      const Structure& found, Where where, std::string_view advice) try {
  compare(expected, found, advice);
} catch (const Error& error) {
  throw error.at(where, name);
}

}  // namespace tutti
