// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "tutti/base/error.hpp"
#include "tutti/tree/specs.hpp"

namespace tutti {
namespace {

/// Reads a text from left to right. Blanks between words do not count.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  /// Takes `word` if it is next.
  bool takes(char word) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != word) return false;
    ++at_;
    return true;
  }
  void expect(char word, std::string_view where) {
    if (!takes(word)) refuse(fmt::format("there must be a '{}' {}", word, where));
  }
  std::string name(std::string_view what) {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && belongs_to_name(text_[at_])) ++at_;
    if (at_ == begin) refuse(fmt::format("there must be {} here", what));
    return std::string(text_.substr(begin, at_ - begin));
  }
  /// "x, y)": behind the bracket that opens.
  std::vector<std::string> names() {
    std::vector<std::string> found;
    do found.push_back(name("an axis"));
    while (takes(','));
    expect(')', "after the axes");
    return found;
  }

  [[noreturn]] void refuse(const std::string& message) const {
    throw Error(Code::spec, {}, message, {std::string(text_), std::string(at_, ' ') + "^"});
  }

 private:
  static bool belongs_to_name(char c) { return std::string_view(",() +").find(c) == std::string_view::npos; }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

SpecEntry entry(Reader& reader) {
  SpecEntry axes = none;
  if (reader.takes('(')) {
    axes.names = reader.names();
    return axes;
  }
  std::string name = reader.name("an axis, none, or several axes in brackets");
  if (name != "none") axes.names = {std::move(name)};
  return axes;
}

}  // namespace

P parse_spec(std::string_view text) try {
  Reader reader(text);
  P spec;
  reader.expect('P', "at the start, as in P(x, none)");
  reader.expect('(', "after P");
  if (!reader.takes(')')) {
    do spec.dims_.push_back(entry(reader));
    while (reader.takes(','));
    reader.expect(')', "after the dims");
  }
  while (!reader.at_end()) {
    reader.expect('+', "before U(..) or R(..)");
    const bool holds_terms = reader.takes('U');
    if (!holds_terms) reader.expect('R', "or a 'U' after '+'");
    reader.expect('(', "after the letter");
    std::vector<std::string>& axes = holds_terms ? spec.unreduced_ : spec.reduced_;
    if (!axes.empty())
      reader.refuse(fmt::format("'{}' stands twice; name all its axes at once", holds_terms ? 'U' : 'R'));
    axes = reader.names();
  }
  return spec;
} catch (const Error& error) {
  throw error.at({}, "spec");
}

}  // namespace tutti
