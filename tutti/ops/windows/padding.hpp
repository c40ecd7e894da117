// SPDX-License-Identifier: Apache-2.0
// Padding of windows: of convolutions and of pools.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti {

/// Elements that stand in front of a dim and behind it; negative ones are cut off.
struct PaddingPair {
  std::int64_t low = 0, high = 0;

  bool operator==(const PaddingPair&) const = default;
};

/// The padding of windows: WindowPadding::valid, WindowPadding::same, or one pair for each dim that windows
/// move along: {{1, 1}, {0, 2}}.
/// valid: none. same: as many windows as size / stride, rounded up; where the padding is odd, the larger
/// part stands behind. same_lower: it stands in front.
/// Source: jax.lax.padtype_to_pads.
class WindowPadding {
 public:
  /// The padding by its name.
  enum Rule : std::uint8_t { valid, same, same_lower };

  WindowPadding(Rule rule = valid) : rule_(rule) {}
  WindowPadding(std::initializer_list<PaddingPair> pairs) : pairs_(pairs), has_pairs_(true) {}
  WindowPadding(std::vector<PaddingPair> pairs) : pairs_(std::move(pairs)), has_pairs_(true) {}

  /// One pair per dim. `windows` are the sizes of the windows with their dilation.
  /// Throws T006 unless there is one pair per dim; `label` stands in the message.
  std::vector<PaddingPair> resolve(std::span<const std::int64_t> sizes, std::span<const std::int64_t> windows,
                                   std::span<const std::int64_t> strides, const std::string& label) const;

  bool operator==(const WindowPadding&) const = default;

 private:
  Rule rule_ = valid;
  std::vector<PaddingPair> pairs_;
  bool has_pairs_ = false;
};

}  // namespace tutti
