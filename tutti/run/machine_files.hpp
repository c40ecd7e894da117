// SPDX-License-Identifier: Apache-2.0
// Trees of arrays of a machine in NumPy archives, also if several processes share it: docs/tree_files.md.
#pragma once

#include <string>

#include "tutti/run/machine.hpp"
#include "tutti/tree/tree_file.hpp"

namespace tutti {

namespace tree {

void save_leaves(const Machine& machine, const std::string& path, const std::vector<std::string>& names,
                 const Arrays& leaves, Where where);
Arrays load_leaves(const Machine& machine, const std::string& path, const std::vector<std::string>& names,
                   const Arrays& like, const ArchiveOptions& options, Where where);

}  // namespace tree

/// Writes a tree as save_tree(path, tree) does, and the same bytes. All processes of the machine call it.
/// Process 0 writes: it gathers one array after the other, and holds the whole tree in the end.
/// Throws what save_tree(path, tree) throws; if process 0 cannot write, R007 on the others.
template <class T>
void save_tree(const Machine& machine, const std::string& path, const T& t, Where where = Where::here()) {
  tree::save_leaves(machine, path, tree::names_in_file(t), tree::flatten(t), where);
}

/// Reads a tree as load_tree(path, like) does, on all processes of the machine, each from its own file
/// system. The arrays lie on the host of each; Machine::place then moves no bytes between processes.
/// Throws what load_tree(path, like) throws. If one process cannot read, the others throw R007; if the files
/// differ, all do.
template <class T>
T load_tree(const Machine& machine, const std::string& path, const T& like,
            const ArchiveOptions& options = {}, Where where = Where::here()) {
  return tree::rebuild(like, tree::load_leaves(machine, path, tree::names_in_file(like), tree::flatten(like),
                                               options, where));
}

}  // namespace tutti
