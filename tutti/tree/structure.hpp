// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/base/where.hpp"

namespace tutti::internal {

/// The form of a tree of arrays, without its types: to compare trees, match specs, and name leaves in
/// messages.
struct Structure {
  std::string label;  // how the parent reaches it: ".0", "[2]", "[\"key\"]"
  bool leaf = false;
  std::vector<Structure> children;

  bool operator==(const Structure&) const = default;
};

}  // namespace tutti::internal

namespace tutti {

namespace tree {
/// Labels: "[2]", "[\"key\"]", ".0". Not inline: under -O3 -Wall GCC 12 warns a user of overlapping copies in
/// such sums.
std::string index_label(const std::string& index);
std::string key_label(const std::string& key);
std::string field_label(const std::string& field);
}  // namespace tree

}  // namespace tutti

namespace tutti::internal {

/// The number of leaves.
std::size_t leaf_count(const Structure& structure);
/// "argument 0.1" for what = "argument" and the path ".0.1"; "result" for the path of a lone leaf.
std::string leaf_name(std::string_view what, std::string_view path);
/// The path to each leaf, in order: ".0.1", "[2].0"; "" for a lone leaf.
std::vector<std::string> leaf_paths(const Structure& structure);

/// Throws T012 for the function `name`, called at `where`, naming the first branch where they differ.
void require_same_structure(std::string_view name, const Structure& expected, const Structure& found,
                            Where where = {}, std::string_view advice = "hand in the same structure");

}  // namespace tutti::internal
