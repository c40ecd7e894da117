// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/error.hpp"
#include "tutti/tree/specs.hpp"

namespace tutti {
namespace {

/// A name, and where it begins in the text.
struct Word {
  std::string name;
  std::size_t at;
};
struct DimText {
  std::vector<Word> axes;
  std::size_t at;
};
struct SpecText {
  std::vector<DimText> dims;
  std::vector<Word> unreduced, reduced;
};

// A byte that begins a character in UTF-8.
bool is_start(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

[[noreturn]] void refuse_at(std::string_view text, std::size_t at, Code code, const std::string& message) {
  const auto column = static_cast<std::size_t>(std::ranges::count_if(text.substr(0, at), is_start));
  throw Error(code, {}, message, {std::string(text), std::string(column, ' ') + "^"});
}

/// Reads a text from left to right. Blanks between words do not count.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::string_view text() const { return text_; }
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
  /// Where the next word begins.
  std::size_t next() {
    skip_blanks();
    return at_;
  }
  Word word(std::string_view what) {
    const std::size_t begin = next();
    while (at_ < text_.size() && belongs_to_word(text_[at_])) ++at_;
    if (at_ == begin) refuse(fmt::format("there must be {} here", what));
    return {std::string(text_.substr(begin, at_ - begin)), begin};
  }
  /// "x, y)": behind the bracket that opens.
  std::vector<Word> words() {
    std::vector<Word> found;
    do found.push_back(word("an axis"));
    while (takes(','));
    expect(')', "after the axes");
    return found;
  }

  [[noreturn]] void refuse(const std::string& message) const { refuse_at(text_, at_, Code::spec, message); }

 private:
  static bool belongs_to_word(char c) { return std::string_view(",() +").find(c) == std::string_view::npos; }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

DimText read_dim(Reader& reader) {
  const std::size_t at = reader.next();
  if (reader.takes('(')) return {reader.words(), at};
  Word word = reader.word("an axis, none, or several axes in brackets");
  if (word.name == "none") return {{}, at};
  return {{std::move(word)}, at};
}

// "U(x, y)": behind the plus.
void read_terms(Reader& reader, SpecText& spec) {
  const std::size_t at = reader.next();
  const Word kind = reader.word("U(..) or R(..)");
  const bool holds_terms = kind.name == "U";
  if (!holds_terms && kind.name != "R")
    refuse_at(reader.text(), at, Code::spec,
              fmt::format("'{}' is neither U, terms of a sum, nor R, partial gradients; terms of a "
                          "maximum, a minimum or a product are not linear: reduce them first, "
                          "for example with pmax",
                          kind.name));
  reader.expect('(', "after the letter");
  std::vector<Word>& axes = holds_terms ? spec.unreduced : spec.reduced;
  if (!axes.empty())
    refuse_at(reader.text(), at, Code::spec,
              fmt::format("'{}' stands twice; name all its axes at once", kind.name));
  axes = reader.words();
}

SpecText read_spec(std::string_view text) {
  Reader reader(text);
  SpecText spec;
  reader.expect('P', "at the start, as in P(x, none)");
  reader.expect('(', "after P");
  if (!reader.takes(')')) {
    do spec.dims.push_back(read_dim(reader));
    while (reader.takes(','));
    reader.expect(')', "after the dims");
  }
  while (!reader.at_end()) {
    reader.expect('+', "before U(..) or R(..)");
    read_terms(reader, spec);
  }
  return spec;
}

std::vector<std::string> names_of(const std::vector<Word>& words) {
  std::vector<std::string> names;
  for (const Word& word : words) names.push_back(word.name);
  return names;
}

// Adds the axes to `seen`.
Axes axes_on(const Mesh& mesh, const std::vector<Word>& words, std::string_view text, Axes& seen) {
  Axes axes;
  for (const Word& word : words) {
    const auto axis = std::ranges::find(mesh.axes(), std::string_view(word.name), &Axis::name);
    if (axis == mesh.axes().end())
      refuse_at(text, word.at, Code::axis_unbound,
                fmt::format("there is no axis '{}', the mesh is {}; use one of its axes", word.name,
                            to_string(mesh)));
    if (contains(seen, *axis))
      refuse_at(text, word.at, Code::spec, fmt::format("axis '{}' is named twice; name it once", word.name));
    seen.push_back(*axis);
    axes.push_back(*axis);
  }
  return axes;
}

}  // namespace

P parse_spec(std::string_view text) try {
  const SpecText read = read_spec(text);
  P spec;
  for (const DimText& dim : read.dims) spec.dims_.emplace_back(none).names = names_of(dim.axes);
  spec.unreduced_ = names_of(read.unreduced);
  spec.reduced_ = names_of(read.reduced);
  return spec;
} catch (const Error& error) {
  throw error.at({}, "spec");
}

Sharding parse_sharding(std::string_view text, const Mesh& mesh, Type whole, std::string_view what) try {
  const SpecText read = read_spec(text);
  const auto rank = static_cast<std::size_t>(whole.rank());
  if (read.dims.size() > rank)
    refuse_at(text, read.dims[rank].at, Code::spec,
              fmt::format("it names {}, but {} has {}; drop the last {}",
                          counted(std::ssize(read.dims), "dim"), to_string(whole), rank,
                          read.dims.size() - rank));
  Axes seen;
  Sharding sharding = unsharded(mesh, whole.rank());
  for (std::size_t i = 0; i < read.dims.size(); ++i)
    sharding.dims[i] = axes_on(mesh, read.dims[i].axes, text, seen);
  sharding.unreduced = axes_on(mesh, read.unreduced, text, seen);
  sharding.reduced = axes_on(mesh, read.reduced, text, seen);
  return sharding;
} catch (const Error& error) {
  throw error.at({}, what);
}

}  // namespace tutti
