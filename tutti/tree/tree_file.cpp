// SPDX-License-Identifier: Apache-2.0
#include "tutti/tree/tree_file.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/excerpt.hpp"
#include "tutti/base/require.hpp"
#include "tutti/tensor/files/archive.hpp"

namespace tutti::tree {
namespace {

// " (it has 'w', 'b', ..)" of those that are not taken yet.
std::string named(const NamedTensors& arrays) {
  constexpr std::size_t shown = 4;
  std::string text;
  for (std::size_t i = 0; i < arrays.size() && i < shown; ++i)
    text += fmt::format("{}'{}'", i == 0 ? " (it has " : ", ", excerpt(arrays[i].first));
  return text.empty() ? text : text + (arrays.size() > shown ? ", ..)" : ")");
}

Tensor taken(NamedTensors& arrays, const std::string& path, const std::string& name, Type like) {
  auto found = std::ranges::find(arrays, name, &NamedTensors::value_type::first);
  require(found != arrays.end(), Code::file, "'{}' has no array '{}'{}; load it into the tree that was saved",
          path, name, named(arrays));
  Tensor tensor = std::move(found->second);
  arrays.erase(found);
  require(tensor.dtype() == like.dtype() && tensor.shape() == like.shape(), Code::file,
          "'{}' has {}[{}] as '{}', where the tree has {}; load it into the tree that was saved", path,
          tutti::name(tensor.dtype()), excerpt(to_string(tensor.shape())), name, like);
  return tensor;
}

Tensor value_of(const std::string& name, const Array& leaf, Where where) try {
  require(leaf.traced() == nullptr, Code::trace,
          "its values are known when the program runs; return it from the function and save the result");
  return leaf.finished()->whole();
} catch (const Error& error) {
  throw Error(error.code(), where, fmt::format("save_tree: '{}': {}", name, error.message()));
}

}  // namespace

void save_leaves(const std::string& path, const std::vector<std::string>& names, const Arrays& leaves,
                 Where where) {
  NamedTensors arrays;
  for (std::size_t i = 0; i < leaves.size(); ++i)
    arrays.emplace_back(names[i], value_of(names[i], leaves[i], where));
  write_archive(path, arrays, where);
}

Arrays load_leaves(const std::string& path, const std::vector<std::string>& names, const Arrays& like,
                   const ArchiveOptions& options, Where where) {
  NamedTensors arrays = read_archive(path, options, where);
  try {
    Arrays leaves;
    for (std::size_t i = 0; i < names.size(); ++i)
      leaves.emplace_back(taken(arrays, path, names[i], like[i].type(where)));
    require(arrays.empty(), Code::file,
            "'{}' has the array '{}', which the tree has not; load it into the tree that "
            "was saved",
            path, arrays.empty() ? "" : excerpt(arrays[0].first));
    return leaves;
  } catch (const Error& error) {
    throw error.at(where, "load_tree");
  }
}

}  // namespace tutti::tree
