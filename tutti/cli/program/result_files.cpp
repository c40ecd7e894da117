// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/program/result_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "tutti/base/counted.hpp"
#include "tutti/base/excerpt.hpp"
#include "tutti/base/require.hpp"
#include "tutti/tensor/files/archive.hpp"
#include "tutti/tensor/files/npy.hpp"
#include "tutti/tensor/files/safetensors.hpp"
#include "tutti/tensor/files/whole_file.hpp"

namespace tutti::cli {

bool is_archive(const std::string& path) { return path.ends_with(".npz") || is_safetensors(path); }

void require_files(const std::vector<std::string>& files, std::size_t results, const char* option) {
  const bool one_archive = files.size() == 1 && is_archive(files[0]);
  require(one_archive || files.size() <= results, Code::usage, "{} is given {} times; the program has {}",
          option, files.size(), counted(static_cast<std::int64_t>(results), "result"));
  for (const std::string& file : files)
    require(is_archive(file) ? one_archive : file.ends_with(".npy"), Code::usage,
            "{} {}: write results to .npy files, one each in order, or all to one .npz or .safetensors",
            option, excerpt(file));
}

void require_different(const std::vector<std::string>& files) {
  std::map<std::filesystem::path, std::string> seen;
  for (const std::string& file : files) {
    std::error_code ignored;
    const auto path = std::filesystem::weakly_canonical(std::filesystem::absolute(file, ignored), ignored);
    const auto [one, is_new] = seen.emplace(path, file);
    require(is_new, Code::usage, "--out {}: it is the file of an earlier result{}; give each result its own",
            excerpt(file), one->second == file ? "" : fmt::format(", '{}'", excerpt(one->second)));
  }
}

void require_writable_results(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    if (is_archive(file))
      require_writable(file, is_safetensors(file) ? ".safetensors" : ".npz", SpecialFile::refused, Where{});
    else require_writable(file, ".npy", SpecialFile::allowed, Where{});
  }
}

std::vector<std::string> names_in_archive(const std::vector<LoadedArray>& results) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const bool is_new = std::ranges::find(names, results[i].name) == names.end();
    names.push_back(is_new ? results[i].name : fmt::format("result{}", i));
  }
  return names;
}

void write_results(const std::vector<std::string>& files, const std::vector<LoadedArray>& names,
                   const Tensors& results) {
  if (files.size() == 1 && is_archive(files[0])) {
    const std::vector<std::string> in_archive = names_in_archive(names);
    NamedTensors arrays;
    for (std::size_t i = 0; i < results.size(); ++i) arrays.emplace_back(in_archive[i], results[i]);
    return write_archive(files[0], arrays, Where{});
  }
  for (std::size_t i = 0; i < files.size(); ++i) write_npy(files[i], results[i], Where{});
}

}  // namespace tutti::cli
