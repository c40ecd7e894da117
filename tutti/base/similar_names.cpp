// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/similar_names.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

namespace tutti {
namespace {

constexpr std::size_t shown_names = 3, shortest_part = 3;

/// True if `part` is a word of `name`, or begins it: "norm" of batch_norm, "relu" of relu6.
bool is_part(std::string_view part, std::string_view name) {
  if (part.size() < shortest_part) return false;
  const std::size_t at = name.find(part);
  return at == 0 || (at != name.npos && name[at - 1] == '_');
}

}  // namespace

// Row by row, as Levenshtein has it; an exchange looks two rows back.
std::size_t letters_apart(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0UL);
  for (std::size_t i = 0; i < a.size(); ++i) {
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
    before = last;
    last = row;
  }
  return last.back();
}

std::vector<std::string> similar_names(std::string_view name, const std::vector<std::string>& names) {
  std::set<std::pair<std::size_t, std::string>> near, parts, words;
  for (const std::string& other : names) {
    const std::size_t far = letters_apart(name, other);
    if (far <= 1 + name.size() / 4) near.emplace(far, other);
    if (is_part(name, other)) parts.emplace(far, other);
    if (is_part(other, name)) words.emplace(far, other);
  }
  std::vector<std::string> found;
  auto add = [&](const std::string& other) {
    if (found.size() < shown_names && std::ranges::find(found, other) == found.end()) found.push_back(other);
  };
  for (const auto& [far, other] : near)
    if (far == near.begin()->first) add(other);
  for (const auto& [far, other] : parts) add(other);
  if (found.empty())
    for (const auto& [far, other] : words) add(other);
  return found;
}

}  // namespace tutti
