// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/machine_files.hpp"

#include <fmt/core.h>

#include <string_view>

#include "tutti/base/error.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/run/backend.hpp"
#include "tutti/tensor/tensor_hash.hpp"

namespace tutti::tree {

void save_leaves(const Machine& machine, const std::string& path, const std::vector<std::string>& names,
                 const Arrays& leaves, Where where) {
  if (machine.processes() == 1) return save_leaves(path, names, leaves, where);
  Arrays wholes;
  for (const Array& leaf : leaves) {
    Array whole = machine.place(leaf, P(), where);
    if (machine.process() == 0) wholes.push_back(std::move(whole));
  }
  const auto write = [&] {
    if (machine.process() == 0) save_leaves(path, names, wholes, where);
    return std::string();
  };
  try {
    machine.backend().do_together(write, "writes otherwise than");
  } catch (const Error& error) {
    throw error.at(where, "save_tree");
  }
}

Arrays load_leaves(const Machine& machine, const std::string& path, const std::vector<std::string>& names,
                   const Arrays& like, const ArchiveOptions& options, Where where) {
  Arrays leaves;
  const auto read = [&] {
    leaves = load_leaves(path, names, like, options, where);
    std::uint64_t hash = hash_of("");
    for (const Array& leaf : leaves) hash = hash_of(leaf.tensor(where), hash);
    return fmt::format("{}: {:x}", path, hash);
  };
  try {
    machine.backend().do_together(read, "reads another file than");
  } catch (const Error& error) {
    throw error.at(where, "load_tree");
  }
  return leaves;
}

}  // namespace tutti::tree
