// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/windows/convolution_roles.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <vector>

namespace tutti::ops {
namespace {

/// A word for each dim.
std::vector<std::string> words_of(const ConvolutionRoles& roles, char outer, char feature) {
  std::vector<std::string> words(roles.spatial.size() + 2, "?");
  const auto put = [&](Dim dim, std::string word) {
    const auto at = static_cast<std::size_t>(dim.index);
    if (dim.index >= 0 && at < words.size()) words[at] = std::move(word);
  };
  for (std::size_t i = 0; i < roles.spatial.size(); ++i) put(roles.spatial[i], std::to_string(i));
  put(roles.outer, std::string(1, outer));
  put(roles.feature, std::string(1, feature));
  return words;
}

std::string in_brackets(const ConvolutionRoles& roles, char outer, char feature) {
  return fmt::format("[{}]", fmt::join(words_of(roles, outer, feature), ", "));
}

std::optional<std::string_view> taken(std::string_view& text, std::string_view until) {
  const std::size_t end = text.find(until);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view before = text.substr(0, end);
  text.remove_prefix(end + until.size());
  return before;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Reads "b, 0, 1, f".
std::optional<ConvolutionRoles> roles_of(std::string_view list, char outer, char feature) {
  std::map<int, Dim> spatial;
  std::optional<Dim> outer_dim, feature_dim;
  int index = 0;
  for (bool is_last = false; !is_last; ++index) {
    auto word = taken(list, ",");
    is_last = !word;
    const std::string_view text = trimmed(word.value_or(list));
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.size() == 1 && text[0] == outer && !outer_dim) outer_dim = Dim{index};
    else if (text.size() == 1 && text[0] == feature && !feature_dim) feature_dim = Dim{index};
    else {
      const bool is_number = error == std::errc() && end == text.data() + text.size() && number >= 0;
      if (!is_number || !spatial.emplace(number, Dim{index}).second) return std::nullopt;
    }
  }
  if (!outer_dim || !feature_dim) return std::nullopt;
  ConvolutionRoles roles{*outer_dim, *feature_dim, {}};
  for (const auto& [number, dim] : spatial) {
    if (number != static_cast<int>(roles.spatial.size())) return std::nullopt;
    roles.spatial.push_back(dim);
  }
  return roles;
}

}  // namespace

std::string to_string(const ConvolutionNumbers& numbers) {
  return in_brackets(numbers.input, 'b', 'f') + "x" + in_brackets(numbers.kernel, 'o', 'i') + "->" +
         in_brackets(numbers.result, 'b', 'f');
}

std::string layout_of(const ConvolutionNumbers& numbers) {
  return fmt::format("{},{}->{}", fmt::join(words_of(numbers.input, 'N', 'C'), ""),
                     fmt::join(words_of(numbers.kernel, 'O', 'I'), ""),
                     fmt::join(words_of(numbers.result, 'N', 'C'), ""));
}

std::optional<ConvolutionNumbers> convolution_numbers(std::string_view text) {
  std::optional<ConvolutionRoles> roles[3];
  constexpr char letters[][2] = {{'b', 'f'}, {'o', 'i'}, {'b', 'f'}};
  constexpr std::string_view between[] = {"", "x", "->"};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto before = taken(text, "["), list = taken(text, "]");
    if (!before || !list || trimmed(*before) != between[i]) return std::nullopt;
    roles[i] = roles_of(*list, letters[i][0], letters[i][1]);
    if (!roles[i]) return std::nullopt;
  }
  if (!trimmed(text).empty()) return std::nullopt;
  return ConvolutionNumbers{*roles[0], *roles[1], *roles[2]};
}

}  // namespace tutti::ops
