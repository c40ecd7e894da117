// SPDX-License-Identifier: Apache-2.0
// Texts that are damaged at random end in an error with a place, or in a program; never in a crash, a hang,
// or an error of our own. TUTTI_MUTATIONS=1000000 tries more.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <sstream>

#include "tests/read/example_texts.hpp"
#include "tests/read/harness.hpp"
#include "tests/support/sanitizer.hpp"

namespace tutti {
namespace {

int mutations() {
  const char* text = std::getenv("TUTTI_MUTATIONS");
  return text != nullptr ? std::atoi(text) : has_sanitizer() ? 20'000 : 150'000;
}

class Damage {
 public:
  explicit Damage(std::uint64_t seed) : numbers_(seed) {}

  std::string operator()(std::string text) {
    for (std::size_t times = 1 + below(3); times > 0 && !text.empty(); --times) switch (below(5)) {
        case 0: text[below(text.size())] = static_cast<char>(below(256)); break;
        case 1: text.erase(below(text.size()), 1 + below(8)); break;
        case 2: text = by_tokens(text); break;
        case 3: text = by_lines(text); break;
        default: text.resize(below(text.size())); break;
      }
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return numbers_() % n; }

  /// Puts one word of the text in the place of another.
  std::string by_tokens(const std::string& text) {
    const std::string words = "()[]{}<>,: =";
    const auto word_at = [&](std::size_t at) {
      const std::size_t begin = text.find_last_of(words, at) + 1;
      return std::pair{begin, std::min(text.find_first_of(words, at), text.size())};
    };
    const auto [begin, end] = word_at(below(text.size()));
    const auto [other, other_end] = word_at(below(text.size()));
    if (end <= begin || other_end <= other) return text;
    return text.substr(0, begin) + text.substr(other, other_end - other) + text.substr(end);
  }

  std::string by_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line + "\n");
    const std::size_t from = below(lines.size()), to = below(lines.size());
    if (below(2) == 0) lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(from));
    else std::swap(lines[from], lines[to]);
    std::string all;
    for (const std::string& line : lines) all += line;
    return all;
  }

  std::mt19937_64 numbers_;
};

TEST(damaged_text, ends_in_an_error_with_a_place_or_in_a_program) {
  const std::vector<std::string>& texts = example_texts();
  int refused = 0;
  for (int i = 0; i < mutations(); ++i) {
    Damage damage(static_cast<std::uint64_t>(i));
    const std::string text = damage(texts[static_cast<std::size_t>(i) % texts.size()]);
    const std::string said = refusal_of_text(text);
    if (said == "accepted") continue;
    ++refused;
    EXPECT_FALSE(said.starts_with("I001")) << said << "\nmutation " << i << "\n" << text;
  }
  EXPECT_GT(refused, mutations() / 3);
}

}  // namespace
}  // namespace tutti
