// SPDX-License-Identifier: Apache-2.0
// The parts of StableHLO's text and of compile options that the fake plugin reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fake_pjrt {

struct ArrayText {
  std::int32_t type = 0;  // element_type
  std::vector<std::int64_t> dims;
  std::size_t bytes() const;
};

/// The types of @main.
struct ModuleText {
  std::vector<ArrayText> parameters, results;
  std::vector<std::optional<std::size_t>> alias;  // per parameter the result with tf.aliasing_output
};
/// None if there is no @main.
std::optional<ModuleText> read_module(const std::string& text);

struct OptionsText {
  std::uint64_t replicas = 0, partitions = 0;
  std::vector<int> device_ids;
  std::vector<std::string> overrides;  // names
};
OptionsText read_options(std::string_view bytes);

}  // namespace fake_pjrt
