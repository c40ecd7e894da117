// SPDX-License-Identifier: Apache-2.0
// Trees of arrays in NumPy archives and .safetensors files: docs/tree_files.md.
#pragma once

#include <string>
#include <vector>

#include "tutti/tensor/files/npz.hpp"
#include "tutti/tree/field_names.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti {

namespace tree {

template <class T>
inline constexpr bool is_map_by_text = false;
template <class K, class V, class... Rest>
inline constexpr bool is_map_by_text<std::map<K, V, Rest...>> = std::convertible_to<const K&, std::string>;

/// The name in a file of the i-th child of a T that its parent reaches by `label`: ".w1" for a struct's field
/// and a map's key, nothing for an optional's value, else the label: ".0", "[2]".
template <class T>
std::string name_in_file([[maybe_unused]] std::size_t i, const std::string& label) {
  if constexpr (is<T, std::optional>) return "";
  else if constexpr (is_map_by_text<T>) return field_label(label.substr(2, label.size() - 4));  // ["key"]
  else if constexpr (is<T, std::vector> || is<T, std::map> || TupleLike<T> || Tied<T>) return label;
  else return field_label(std::string(field_names<T>()[i]));
}

template <class T>
void collect_names(const T& t, const std::string& prefix, std::vector<std::string>& names) {
  if constexpr (Leaf<T>) {
    names.push_back(prefix);
  } else {
    std::size_t i = 0;
    for_each_child(t, [&](const auto& label, const auto& child) {
      collect_names(child, prefix + name_in_file<T>(i++, label()), names);
    });
  }
}

/// The name of each leaf in a file, in order: "params.w1", "layers[2].bias"; "arr_0" of a lone leaf, as of
/// numpy.savez.
template <class T>
std::vector<std::string> names_in_file(const T& t) {
  std::vector<std::string> names;
  collect_names(t, "", names);
  for (std::string& name : names) {
    if (name.empty()) name = "arr_0";
    if (name.starts_with('.')) name.erase(0, 1);
  }
  return names;
}

void save_leaves(const std::string& path, const std::vector<std::string>& names, const Arrays& leaves,
                 Where where);
Arrays load_leaves(const std::string& path, const std::vector<std::string>& names, const Arrays& like,
                   const ArchiveOptions& options, Where where);

}  // namespace tree

/// Writes the arrays of a tree to one file, under their paths: "layers[2].bias". A path that ends in
/// .safetensors gives a file of that format, any other a NumPy archive, which numpy.load opens.
/// Sharded ones are gathered. The file appears whole or not at all; the same tree gives the same bytes.
/// Throws R001 if it cannot be written, T011 for an array without a value, T012 for two leaves of one name,
/// or none; T007 for complex128 in a .safetensors file.
/// Example:
///     save_tree(path, params);
///     Params like{abstract({2, 3}, DType::f32), abstract({3}, DType::f32)};
///     Params again = load_tree(path, like);
template <class T>
void save_tree(const std::string& path, const T& t, Where where = Where::here()) {
  tree::save_leaves(path, tree::names_in_file(t), tree::flatten(t), where);
}

/// A tree like `like`, whose values are not read (`abstract` will do), with the arrays of such a file, on the
/// host. The path says the format, as for save_tree.
/// `options.most_bytes` bounds what a file of unknown origin may expand to.
/// Throws R001 if the file cannot be read, is damaged, expands to more, or holds arrays of other names,
/// dtypes or shapes.
template <class T>
T load_tree(const std::string& path, const T& like, const ArchiveOptions& options = {},
            Where where = Where::here()) {
  return tree::rebuild(like, tree::load_leaves(path, tree::names_in_file(like), tree::flatten(like), options,
                                               where));
}

}  // namespace tutti
