// SPDX-License-Identifier: Apache-2.0
// The kernels whose texts are kept: every collective, variant and encoding, with changing dtypes, shapes and
// worlds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tutti/kernels/ir/op.hpp"
#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::kernels {

struct Golden {
  Manifest manifest;              // its name is unique and contains the encoding
  std::vector<Function> kernels;  // one for each entry
  bool is_shown = false;          // tests/kernels/golden has its text
};
/// The kernels of a target: about a hundred for nvidia; amd lacks those with encoding `threads`.
std::vector<Golden> goldens(Target target);

/// A line of tests/kernels/golden/kernels.txt.
struct GoldenLine {
  std::string entry, target;
  std::string text_hash;  // of triton_text()
  /// Bytes of shared memory that Triton 3.9.0 gives the kernel; none until `make triton` writes them.
  std::optional<std::int64_t> shared_bytes = {};
};
inline constexpr const char* golden_list = "tests/kernels/golden/kernels.txt";
std::vector<GoldenLine> golden_lines();
/// The line of an entry; none if the list lacks it.
std::optional<GoldenLine> golden_line(const std::vector<GoldenLine>& lines, const std::string& entry,
                                      Target target);
void write_golden_list(const std::vector<GoldenLine>& lines);
std::string hash_of(const std::string& text);

}  // namespace tutti::kernels
