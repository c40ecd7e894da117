// SPDX-License-Identifier: Apache-2.0
// The kernels whose texts are kept: every collective, variant and encoding, with changing dtypes, shapes and worlds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tutti/kernels/ir/op.hpp"
#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::kernels {

struct Golden {
  Manifest manifest;              // its name is unique, and tells the encoding too
  std::vector<Function> kernels;  // one for each entry
  bool is_shown = false;          // its text stands in tests/kernels/golden
};
/// About a hundred for nvidia; amd has the same without encoding `threads`.
std::vector<Golden> goldens(Target target);

/// A line of tests/kernels/golden/kernels.txt.
struct GoldenLine {
  std::string entry, target;
  std::string text_hash;  // of triton_text()
  /// Bytes of shared memory that Triton 3.9.0 gives the kernel; none: `make triton` has not said.
  std::optional<std::int64_t> shared_bytes = {};
};
inline constexpr const char* golden_list = "tests/kernels/golden/kernels.txt";
std::vector<GoldenLine> golden_lines();
/// Finds none if the list has no such line.
std::optional<GoldenLine> golden_line(const std::vector<GoldenLine>& lines, const std::string& entry,
                                      Target target);
void write_golden_list(const std::vector<GoldenLine>& lines);
std::string hash_of(const std::string& text);

/// What a file of the repository or of a build has.
std::string text_of_file(const std::string& path);

}  // namespace tutti::kernels
