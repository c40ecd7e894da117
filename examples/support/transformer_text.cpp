// SPDX-License-Identifier: Apache-2.0
#include "examples/support/transformer_text.hpp"

#include <array>
#include <cmath>

#include "examples/support/text_file.hpp"
#include "tutti/base/require.hpp"

namespace transformer {

using namespace tutti;

namespace {

constexpr std::size_t stretch = 320, stretches_in_turn = 10;
constexpr char first = ' ', last = '~';
constexpr std::int32_t end_of_line = vocabulary - 1;

bool is_held_out(std::size_t place) { return place / stretch % stretches_in_turn == stretches_in_turn - 1; }

bool goes_on(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}  // a later byte of a character

}  // namespace

Tokens encoded(std::string_view text) {
  Tokens tokens;
  for (char c : text) {
    if (c == '\r' || goes_on(c)) continue;
    if (c == '\t') c = ' ';
    bool is_known = c >= first && c <= last;
    tokens.push_back(c == '\n' ? end_of_line : (is_known ? c : '?') - first);
  }
  return tokens;
}

std::string decoded(std::span<const std::int32_t> tokens) {
  std::string text;
  for (std::int32_t token : tokens) text += token == end_of_line ? '\n' : static_cast<char>(first + token);
  return text;
}

Tokens read_tokens(const std::string& path) {
  Tokens text = encoded(examples::read_text(path, "give the path of a text with --text"));
  ops::require(text.size() >= stretch * stretches_in_turn, Code::file,
               "{}: a text of {} characters; give one of at least {} with --text", path, text.size(),
               stretch * stretches_in_turn);
  return text;
}

Split split(const Tokens& text, std::size_t length) {
  Split split;
  for (std::size_t start = 0; start + length <= text.size(); ++start)
    if (is_held_out(start) == is_held_out(start + length - 1))
      (is_held_out(start) ? split.held_out : split.training).push_back(start);
  return split;
}

std::vector<std::size_t> drawn_from(std::span<const std::size_t> starts, std::size_t count,
                                    examples::Random& random) {
  std::vector<std::size_t> chosen(count);
  for (std::size_t& start : chosen) start = starts[random.below(starts.size())];
  return chosen;
}

std::vector<std::size_t> evenly_spaced(std::span<const std::size_t> starts, std::size_t count) {
  std::vector<std::size_t> chosen(count);
  for (std::size_t i = 0; i < count; ++i) chosen[i] = starts[i * starts.size() / count];
  return chosen;
}

Tensor runs_of(const Tokens& text, std::span<const std::size_t> starts, std::size_t length) {
  Tokens runs;
  for (std::size_t start : starts) {
    auto from = text.begin() + static_cast<std::ptrdiff_t>(start);
    runs.insert(runs.end(), from, from + static_cast<std::ptrdiff_t>(length));
  }
  return {Shape{static_cast<std::int64_t>(starts.size()), static_cast<std::int64_t>(length)}, runs};
}

double loss_by_pairs(const Tokens& text, std::span<const std::size_t> starts, std::size_t length) {
  constexpr double unseen = 0.1;
  std::array<std::array<double, vocabulary>, vocabulary> seen{};
  std::array<double, vocabulary> total{};
  auto at = [&](std::size_t place) { return static_cast<std::size_t>(text[place]); };
  for (std::size_t start : split(text, 2).training) {
    ++seen[at(start)][at(start + 1)];
    ++total[at(start)];
  }
  double sum = 0;
  for (std::size_t start : starts)
    for (std::size_t i = start; i < start + length; ++i)
      sum -= std::log((seen[at(i)][at(i + 1)] + unseen) / (total[at(i)] + unseen * vocabulary));
  return sum / static_cast<double>(starts.size() * length);
}

}  // namespace transformer
