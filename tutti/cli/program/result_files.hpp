// SPDX-License-Identifier: Apache-2.0
// The files of --out and --expect.
#pragma once

#include <string>
#include <vector>

#include "tutti/api/load.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/tensor/tensor.hpp"

namespace tutti::cli {

/// True if the file holds arrays by name: "all.npz", "all.safetensors".
bool is_archive(const std::string& path);

/// Refuses names of files that `option` gives for this number of results. Throws R002.
void require_files(const std::vector<std::string>& files, std::size_t results, const char* option);

/// Refuses a file for two results. Throws R002.
void require_different(const std::vector<std::string>& files);

/// Refuses files that cannot be written. Throws R001. The files stay as they are.
void require_writable_results(const std::vector<std::string>& files);

/// The names of the results in an archive. A name that an earlier result has too is "result1" instead.
std::vector<std::string> names_in_archive(const std::vector<LoadedArray>& results);

/// Writes each result to its file, in order, or all to one archive. Throws R001 if a file cannot be written.
void write_results(const std::vector<std::string>& files, const std::vector<LoadedArray>& names,
                   const Tensors& results);

}  // namespace tutti::cli
