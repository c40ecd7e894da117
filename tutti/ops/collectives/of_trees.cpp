// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/collectives/of_trees.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/core.h>

namespace tutti::tree {

Arrays each_leaf(std::string_view name, Where where, const Arrays& leaves, const Structure& structure,
                 const std::function<Array(const Array&)>& f) {
  std::vector<std::string> paths = leaf_paths(structure);
  Arrays results;
  for (std::size_t i = 0; i < leaves.size(); ++i)
    results.push_back(
        front_end(leaf_name(fmt::format("{}: leaf", name), paths[i]), where, [&] { return f(leaves[i]); }));
  return results;
}

}  // namespace tutti::tree
