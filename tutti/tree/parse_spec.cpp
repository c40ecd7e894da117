// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "tutti/base/counted.hpp"
#include "tutti/base/error.hpp"
#include "tutti/tree/spec_axes.hpp"

namespace tutti {
namespace {

/// A name, and where it begins in the text.
struct Word {
  std::string name;
  std::size_t at;
};
/// Axes, and where each begins.
struct AxesText {
  std::vector<SpecAxis> axes;
  std::vector<std::size_t> places;
};
struct DimText {
  AxesText split;
  std::size_t at;
};
struct SpecText {
  std::vector<DimText> dims;
  AxesText unreduced, reduced;
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
  /// "(2)4" behind a name, if it is next.
  std::optional<SpecAxis::Part> part() {
    if (!takes('(')) return std::nullopt;
    const int before = number();
    expect(')', "after the number of slower positions, as in z(2)4");
    return SpecAxis::Part{before, number()};
  }
  void add_axis(AxesText& axes, std::string_view what = "an axis") {
    Word name = word(what);
    axes.places.push_back(name.at);
    axes.axes.emplace_back(std::move(name.name), part());
  }
  /// "x, z(2)4)": behind the bracket that opens.
  AxesText axes() {
    AxesText found;
    do add_axis(found);
    while (takes(','));
    expect(')', "after the axes");
    return found;
  }

  [[noreturn]] void refuse(const std::string& message) const { refuse_at(text_, at_, Code::spec, message); }

 private:
  static bool belongs_to_word(char c) { return std::string_view(",() +").find(c) == std::string_view::npos; }
  int number() {
    constexpr std::string_view wanted = "a number, as in z(2)4, the part of size 4 behind 2 slower positions";
    const Word digits = word(wanted);
    int value = 0;
    const char* last = digits.name.data() + digits.name.size();
    auto [end, error] = std::from_chars(digits.name.data(), last, value);
    if (error != std::errc{} || end != last)
      refuse_at(text_, digits.at, Code::spec, fmt::format("'{}' is not {}", digits.name, wanted));
    return value;
  }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

DimText read_dim(Reader& reader) {
  const std::size_t at = reader.next();
  if (reader.takes('(')) return {reader.axes(), at};
  AxesText one;
  reader.add_axis(one, "an axis, none, or several axes in brackets");
  const bool is_none = one.axes[0].name == "none" && !one.axes[0].part;
  return {is_none ? AxesText{} : std::move(one), at};
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
  AxesText& terms = holds_terms ? spec.unreduced : spec.reduced;
  if (!terms.axes.empty())
    refuse_at(reader.text(), at, Code::spec,
              fmt::format("'{}' stands twice; name all its axes at once", kind.name));
  terms = reader.axes();
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

/// All axes, in the order in which P::on looks at them.
AxesText all_axes(const SpecText& spec) {
  AxesText all;
  auto add = [&](const AxesText& some) {
    all.axes.insert(all.axes.end(), some.axes.begin(), some.axes.end());
    all.places.insert(all.places.end(), some.places.begin(), some.places.end());
  };
  for (const DimText& dim : spec.dims) add(dim.split);
  add(spec.unreduced);
  add(spec.reduced);
  return all;
}

/// True for all of an axis that is named before.
bool is_repeated(const std::vector<SpecAxis>& axes, std::size_t at) {
  for (std::size_t i = 0; i < at; ++i)
    if (axes[i].name == axes[at].name && !axes[i].part && !axes[at].part) return true;
  return false;
}

}  // namespace

P parse_spec(std::string_view text) try {
  const SpecText read = read_spec(text);
  P spec;
  for (const DimText& dim : read.dims) spec.dims_.emplace_back(none).axes = dim.split.axes;
  spec.unreduced_ = read.unreduced.axes;
  spec.reduced_ = read.reduced.axes;
  return spec;
} catch (const Error& error) {
  throw error.at({}, "spec");
}

Sharding internal::parse_sharding(std::string_view text, const Mesh& mesh, Type whole,
                                  std::string_view what) try {
  const SpecText read = read_spec(text);
  const auto rank = static_cast<std::size_t>(whole.rank());
  if (read.dims.size() > rank)
    refuse_at(text, read.dims[rank].at, Code::spec,
              fmt::format("it names {}, but {} has {}; drop the last {}",
                          counted(std::ssize(read.dims), "dim"), to_string(whole), rank,
                          read.dims.size() - rank));
  const AxesText all = all_axes(read);
  if (const std::optional<SpecFault> fault = fault_of(mesh, all.axes))
    refuse_at(text, all.places[fault->index], fault->code, fault->message);
  for (std::size_t i = 0; i < all.axes.size(); ++i)
    if (is_repeated(all.axes, i))
      refuse_at(text, all.places[i], Code::spec,
                fmt::format("axis '{}' is named twice; name it once", all.axes[i].name));
  return parse_spec(text).on(mesh, whole);
} catch (const Error& error) {
  throw error.at({}, what);
}

}  // namespace tutti
