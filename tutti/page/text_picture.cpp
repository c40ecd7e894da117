// SPDX-License-Identifier: Apache-2.0
#include "tutti/page/text_picture.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/excerpt.hpp"

namespace tutti::internal {
namespace {

constexpr std::size_t most_panels = 8;
constexpr std::size_t most_letters = 24;  // in a cell with numbers of devices
constexpr std::string_view gap = "..";
constexpr std::size_t around_cell = 3;  // two blanks and a line

/// The characters of frames. Rows of `corners`: top, middle, bottom; columns: left, middle, right.
struct FrameCharacters {
  std::string_view across, down;
  std::string_view corners[3][3];
};
constexpr FrameCharacters plain{"-", "|", {{"+", "+", "+"}, {"+", "+", "+"}, {"+", "+", "+"}}};
constexpr FrameCharacters boxes{"─", "│", {{"┌", "┬", "┐"}, {"├", "┼", "┤"}, {"└", "┴", "┘"}}};

/// The number of characters of a text without control characters.
std::size_t length_of(std::string_view text) {
  std::size_t characters = 0;
  for (; !text.empty(); ++characters) text.remove_prefix(std::max<std::size_t>(shown_bytes(text), 1));
  return characters;
}

/// The text, or its beginning and "..", in at most `most` characters.
std::string fitted(const std::string& text, std::size_t most) {
  if (length_of(text) <= most) return text;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i + gap.size() < most; ++i)
    bytes += shown_bytes(std::string_view(text).substr(bytes));
  return text.substr(0, bytes) + std::string(gap);
}

std::string blanks(std::size_t n) { return std::string(n, ' '); }

std::string centred(const std::string& text, std::size_t width) {
  const std::size_t left_over = width - std::min(width, length_of(text));
  return blanks(left_over / 2) + text + blanks(left_over - left_over / 2);
}

/// The words in lines of at most `most` characters.
std::string wrapped(const std::string& text, std::size_t most) {
  std::string lines, line;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = fitted(text.substr(at, end - at), most);
    if (!line.empty() && length_of(line) + 1 + length_of(word) > most) {
      lines += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return lines + line + "\n";
}

using Shown = std::vector<std::optional<std::size_t>>;

/// Draws the panels of one array. All have the same columns.
class TextPicture {
 public:
  TextPicture(const LaidArray& array, const PictureOptions& options)
      : array_(array),
        grid_(block_grid(array.whole, sharding_or_host(array))),
        shown_(split_dims(grid_)),
        characters_(options.box_characters ? boxes : plain),
        line_length_(static_cast<std::size_t>(options.line_length)),
        rows_(shown_of(grid_.parts(shown_.down), static_cast<std::size_t>(options.most_rows))) {
    if (!fit(naming_for(array_, grid_, most_letters))) fit(Naming::classes);
  }

  std::string text() const {
    std::string text = wrapped(heading(array_), line_length_);
    const std::vector<Panel> panels = panels_of(grid_, shown_);
    if (!grid_.holders.empty())
      for (std::size_t i = 0; i < std::min(panels.size(), most_panels); ++i) text += panel(panels[i]);
    if (panels.size() > most_panels) text += more_panels(panels.size() - most_panels) + "\n";
    for (const std::string& note : notes(array_, grid_, shown_, naming_)) text += wrapped(note, line_length_);
    return text;
  }

 private:
  /// Sets widths and columns. False if numbers leave no room for the first and the last column; classes
  /// always fit.
  bool fit(Naming naming) {
    naming_ = naming;
    const std::size_t most_width =
        naming == Naming::classes ? (line_length_ - 13) / 3 : line_length_;  // labels and two cells fit
    label_width_ = std::min(widest_label(shown_.down), most_width);
    cell_width_ = widest_label(shown_.across);
    for (const std::vector<int>& holders : grid_.holders)
      cell_width_ = std::max(cell_width_, length_of(cell_text(array_, holders, naming_)));
    cell_width_ = std::min(cell_width_, most_width);
    const std::size_t n = grid_.parts(shown_.across), column = cell_width_ + around_cell;
    const std::size_t border = begin_of_cells() + 1, with_gap = border + gap.size() + around_cell;
    const bool all_fit = border + n * column <= line_length_;
    const std::size_t most = all_fit ? n : (line_length_ - std::min(line_length_, with_gap)) / column;
    columns_ = shown_of(n, std::max<std::size_t>(most, 1));
    return all_fit || most >= 2;
  }

  std::size_t widest_label(std::optional<int> dim) const {
    std::size_t widest = 0;
    for (std::size_t part = 0; dim && part < grid_.parts(dim); ++part)
      widest = std::max(widest, length_of(label(array_, grid_, *dim, part, naming_)));
    return widest;
  }

  std::size_t begin_of_cells() const { return shown_.down ? label_width_ + 1 : 0; }
  std::size_t width_of(std::optional<std::size_t> column) const { return column ? cell_width_ : gap.size(); }

  std::string label_of(std::optional<int> dim, std::optional<std::size_t> part, std::size_t width) const {
    return part ? fitted(label(array_, grid_, *dim, *part, naming_), width) : std::string(gap);
  }

  std::string panel(const Panel& at) const {
    const std::string title = panel_title(array_, grid_, shown_, at, naming_);
    std::string text = title.empty() ? "" : wrapped(title, line_length_);
    if (shown_.across) text += column_labels();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      text += rule(characters_.corners[i == 0 ? 0 : 1]);
      text += row(at, rows_[i]);
    }
    return text + rule(characters_.corners[2]);
  }

  std::string column_labels() const {
    std::string line = blanks(begin_of_cells());
    for (const std::optional<std::size_t>& column : columns_) {
      const std::size_t width = width_of(column);
      line += "  " + centred(label_of(shown_.across, column, width), width) + " ";
    }
    return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }

  std::string rule(const std::string_view (&corners)[3]) const {
    std::string line = blanks(begin_of_cells());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      line += corners[i == 0 ? 0 : 1];
      for (std::size_t k = 0; k < width_of(columns_[i]) + 2; ++k) line += characters_.across;
    }
    return line + std::string(corners[2]) + "\n";
  }

  std::string row(const Panel& at, std::optional<std::size_t> part) const {
    std::string line;
    if (shown_.down) {
      const std::string its_label = label_of(shown_.down, part, label_width_);
      line = blanks(label_width_ - std::min(label_width_, length_of(its_label))) + its_label + " ";
    }
    for (const std::optional<std::size_t>& column : columns_) {
      std::string cell(gap);
      if (part && column)
        cell = fitted(cell_text(array_, holders_in(grid_, shown_, at, *part, *column), naming_), cell_width_);
      line += fmt::format("{} {} ", characters_.down, centred(cell, width_of(column)));
    }
    return line + std::string(characters_.down) + "\n";
  }

  const LaidArray& array_;
  BlockGrid grid_;
  ShownDims shown_;
  const FrameCharacters& characters_;
  std::size_t line_length_;
  Shown rows_, columns_;
  Naming naming_ = Naming::numbers;
  std::size_t label_width_ = 0, cell_width_ = 0;
};

}  // namespace

std::string text_picture(const LaidArray& array, const PictureOptions& options) {
  return TextPicture(array, options).text();
}

}  // namespace tutti::internal
