// SPDX-License-Identifier: Apache-2.0
#include "tests/page/drawn.hpp"

#include <algorithm>
#include <optional>
#include <regex>
#include <sstream>

#include "tutti/base/inside.hpp"

namespace tutti {
namespace {

std::vector<std::string> split(const std::string& text, const std::string& at) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find(at, begin)) != text.npos; begin = end + at.size())
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream words(line);
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.push_back(word);
  return all;
}

Box whole_box(const Shape& whole) {
  Box box;
  for (std::int64_t size : whole) {
    box.begin.push_back(0);
    box.end.push_back(size);
  }
  return box;
}

void set_part(Box& box, int dim, const std::string& part) {
  const std::size_t colon = part.find(':');
  box.begin[static_cast<std::size_t>(dim)] = std::stoll(part.substr(0, colon));
  box.end[static_cast<std::size_t>(dim)] = std::stoll(part.substr(colon + 1));
}

/// The dims that the note names; without a note dims 0 and 1.
std::pair<std::optional<int>, std::optional<int>> dims_shown(const std::string& text, int rank) {
  static const std::regex note("down: dim (\\d+); across: dim (\\d+)");
  std::smatch match;
  if (std::regex_search(text, match, note)) return {std::stoi(match[1]), std::stoi(match[2])};
  if (rank == 0) return {};
  if (rank == 1) return {{}, 0};
  return {0, 1};
}

}  // namespace

std::vector<int> numbers_in(const std::string& list) {
  std::vector<int> numbers;
  for (const std::string& part : split(list, ",")) {
    const std::size_t range = part.find('-'), steps = part.find("..");
    if (range != part.npos) {
      for (int i = std::stoi(part); i <= std::stoi(part.substr(range + 1)); ++i) numbers.push_back(i);
    } else if (steps != part.npos) {
      const int second = std::stoi(part), step = second - numbers.back();
      for (int i = second; i <= std::stoi(part.substr(steps + 2)); i += step) numbers.push_back(i);
    } else {
      numbers.push_back(std::stoi(part));
    }
  }
  return numbers;
}

ReadText read_text(const std::string& text, const Shape& whole) {
  const auto [down, across] = dims_shown(text, whole.rank());
  ReadText read;
  Box panel = whole_box(whole);
  std::vector<std::string> columns;
  for (const std::string& line : split(text, "\n")) {
    const std::string without = "without a block: ";
    if (line.starts_with(without)) read.without_block = numbers_in(line.substr(without.size()));
    if (line.starts_with("dim "))
      for (const std::string& part : split(line, ", "))
        set_part(panel, std::stoi(part.substr(4)), part.substr(part.find(": ") + 2));
    const std::vector<std::string> words = words_of(line);
    const auto is_range = [](const std::string& word) {
      return word.find(':') != word.npos && word.find_first_not_of("0123456789:") == word.npos;
    };
    if (!words.empty() && std::ranges::all_of(words, is_range)) columns = words;
    const std::vector<std::string> cells = split(line, "|");
    for (std::size_t column = 0; column + 2 < cells.size(); ++column) {
      Box box = panel;
      if (down) set_part(box, *down, trimmed(cells[0]));
      if (across) set_part(box, *across, columns.at(column));
      for (const std::string& term : split(trimmed(cells[column + 1]), "+"))
        for (int device : numbers_in(term))
          if (!read.blocks.try_emplace(device, box).second) read.twice.push_back(device);
    }
  }
  return read;
}

ReadSvg read_svg(const std::string& svg) {
  ReadSvg read;
  const std::string number = "=\"(-?[0-9.]+)\"";
  static const std::regex rect("<rect x" + number + " y" + number + " width" + number + " height" + number +
                               " (fill=\"[^\"]*\")([^/]*)/>");
  for (std::sregex_iterator it(svg.begin(), svg.end(), rect), end; it != end; ++it) {
    const std::smatch& match = *it;
    const ReadFrame frame{
        std::stod(match[1]), std::stod(match[2]), std::stod(match[3]), std::stod(match[4]), {}};
    (match[5] == "fill=\"none\"" ? read.frames : read.tiles).push_back(frame);
  }
  static const std::regex text("<text x" + number + " y" + number + "[^>]*>([^<]*)</text>");
  for (std::sregex_iterator it(svg.begin(), svg.end(), text), end; it != end; ++it) {
    const double x = std::stod((*it)[1]), y = std::stod((*it)[2]) - 4;
    for (std::vector<ReadFrame>* all : {&read.frames, &read.tiles})
      for (ReadFrame& one : *all)
        if (x > one.left && x < one.left + one.width && y > one.top && y < one.top + one.height)
          one.texts.push_back((*it)[3]);
  }
  return read;
}

bool overlap(const ReadFrame& a, const ReadFrame& b) {
  constexpr double rounding = 0.2;  // numbers have one digit behind the point
  return a.left + a.width > b.left + rounding && b.left + b.width > a.left + rounding &&
         a.top + a.height > b.top + rounding && b.top + b.height > a.top + rounding;
}

std::string fault_of_xml(std::string_view xml) {
  std::vector<std::string> open;
  bool has_root = false;
  static const std::regex start("<([a-z]+)((?: [a-zA-Z-]+=\"[^\"<&]*\")*)(/?)>"), finish("</([a-z]+)>"),
      characters("(?:[^<>&]|&lt;|&gt;|&amp;)+");
  for (auto at = xml.begin(); at != xml.end();) {
    std::match_results<std::string_view::const_iterator> match;
    const auto here = std::regex_constants::match_continuous;
    if (std::regex_search(at, xml.end(), match, start, here)) {
      if (open.empty() && has_root) return "a second root";
      has_root = true;
      if (match[3].length() == 0) open.push_back(match[1]);
    } else if (std::regex_search(at, xml.end(), match, finish, here)) {
      if (open.empty() || open.back() != match[1]) return "an end without a beginning: " + match[1].str();
      open.pop_back();
    } else if (std::regex_search(at, xml.end(), match, characters, here)) {
      const std::string text = match[0];
      if (open.empty() && trimmed(text) != "\n") return "text outside of the root: " + text;
      for (char c : text)
        if (static_cast<unsigned char>(c) < 0x20 && c != '\n') return "a control character";
    } else {
      return "no XML: " + std::string(at, std::min(at + 40, xml.end()));
    }
    at = match[0].second;
  }
  return open.empty() ? has_root ? "" : "no root" : "no end of " + open.back();
}

}  // namespace tutti
