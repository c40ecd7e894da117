// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/windows/padding.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"

namespace tutti {

std::vector<PaddingPair> WindowPadding::resolve(std::span<const std::int64_t> sizes,
                                                std::span<const std::int64_t> windows,
                                                std::span<const std::int64_t> strides,
                                                const std::string& label) const {
  if (has_pairs_) {
    require(pairs_.size() == sizes.size(), Code::dim, "{} of padding for {} that windows move along ({})",
            counted(std::ssize(pairs_), "pair"), counted(std::ssize(sizes), "dim"), label);
    return pairs_;
  }
  std::vector<PaddingPair> pairs(sizes.size());
  if (rule_ == valid) return pairs;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t count = (sizes[i] + strides[i] - 1) / strides[i],
                       all = std::max<std::int64_t>((count - 1) * strides[i] + windows[i] - sizes[i], 0);
    const std::int64_t less = all / 2, more = all - less;
    pairs[i] = rule_ == same ? PaddingPair{less, more} : PaddingPair{more, less};
  }
  return pairs;
}

}  // namespace tutti
