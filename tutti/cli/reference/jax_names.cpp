// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/reference/jax_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "tutti/cli/reference/cpp_text.hpp"
#include "tutti/cli/reference/texts.hpp"

namespace tutti::cli {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// The cells of a row of a table; in them \| is a letter.
std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t at = 1; at < row.size(); ++at) {
    if (row.substr(at, 2) == "\\|") cell += row[++at];
    else if (row[at] != '|') cell += row[at];
    else cells.emplace_back(trimmed(std::exchange(cell, "")));
  }
  return cells;
}

/// The texts in marks of code.
std::vector<std::string> codes_in(std::string_view text) {
  std::vector<std::string> codes;
  for (std::size_t at = text.find('`'); at != text.npos; at = text.find('`', at)) {
    const std::size_t end = text.find('`', at + 1);
    if (end == text.npos) break;
    codes.emplace_back(text.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return codes;
}

/// The codes at the beginning of a cell: `zeros(shape)`, `split(key)`, but not `jit` in "outside of `jit`".
std::vector<std::string> codes_at_the_beginning(std::string_view cell) {
  std::size_t end = 0;  // of what counts
  for (std::size_t at = cell.find('`'); at != cell.npos; at = cell.find('`', end)) {
    const std::string_view between = cell.substr(end, at - end);
    if (end > 0 && between != ", " && between != " and " && between != " or ") break;
    end = std::min(cell.find('`', at + 1), cell.size() - 1) + 1;
  }
  return codes_in(cell.substr(0, end));
}

std::string plain(std::string text) {
  std::erase(text, '`');
  return text;
}

/// The words that are called in `code`, and those that stand there alone: "device_put" and "NamedSharding";
/// "jvp", "vjp".
std::vector<std::string> names_called_in(std::string_view code) {
  std::vector<std::string> names;
  int depth = 0;  // of brackets
  for (std::size_t at = 0; at < code.size();) {
    const std::string_view word = word_at(code, at);
    const std::size_t end = at + word.size();
    const std::string_view before = code.substr(0, at), behind = code.substr(end);
    const bool is_alone = depth == 0 && (behind.empty() || behind.starts_with(',')) &&
                          (before.empty() || before.ends_with('.') || before.ends_with(", "));
    const bool is_option = before.empty() && behind.starts_with('=');
    const bool is_of_std = before.ends_with("std::");
    if (word.size() > 1 && !is_of_std && (behind.starts_with('(') || is_alone || is_option))
      names.emplace_back(word);
    if (std::string_view("([{").find(code[at]) != std::string_view::npos) ++depth;
    if (std::string_view(")]}").find(code[at]) != std::string_view::npos) --depth;
    at = std::max(end, at + 1);
  }
  return names;
}

/// | JAX | Tutti | what differs, and why |
std::vector<JaxRow> rows_of_from_jax() {
  std::vector<JaxRow> rows;
  bool is_of_jax = false;
  for (const std::string_view line : lines_of(text_of_file("docs/from_jax.md"))) {
    if (!line.starts_with('|')) is_of_jax = false;
    else if (line.starts_with("| JAX |")) is_of_jax = true;
    else if (is_of_jax && !line.starts_with("|--")) {
      const std::vector<std::string> cells = cells_of(line);
      JaxRow row{.theirs = plain(cells[0]),
                 .codes = codes_at_the_beginning(cells[0]),
                 .our_codes = codes_in(cells[1]),
                 .ours = plain(cells[1]),
                 .note = plain(cells[2])};
      for (const std::string& code : row.codes)
        if (!code.starts_with("x[") && !code.starts_with("x.at"))
          std::ranges::move(names_called_in(code), std::back_inserter(row.names));
      if (!row.names.empty()) rows.push_back(std::move(row));
    }
  }
  return rows;
}

/// Tables of modules, and below them names that are no functions: "- `e` `pi`: C++ numbers".
std::vector<JaxRow> rows_of_numpy() {
  std::vector<JaxRow> rows;
  std::string module;
  auto add = [&](std::vector<std::string> names, const std::string& ours, const std::string& note) {
    rows.push_back({.names = std::move(names),
                    .module = module,
                    .our_codes = codes_in(ours),
                    .ours = plain(ours),
                    .note = plain(note)});
  };
  for (const std::string_view line : lines_of(text_of_file("docs/numpy.md"))) {
    if (line.starts_with("## ")) module = line.starts_with("## jax.") ? line.substr(3) : "";
    if (module.empty()) continue;
    if (line.starts_with("| `")) {
      const std::vector<std::string> cells = cells_of(line);
      add(codes_in(cells[0]), cells[1], cells[2]);
    } else if (line.starts_with("- `")) {
      const std::size_t colon = line.find("`: ");
      add(codes_in(line.substr(0, colon + 1)), "", std::string(line.substr(colon + 3)));
    }
  }
  return rows;
}

/// NumPy's and JAX's short names of modules, as programs import them.
std::string full_module(std::string_view name) {
  if (name.find('.') == name.npos) return "";
  std::string module(name.substr(0, name.rfind('.')));
  for (const auto& [brief, full] : {std::pair{"jnp", "jax.numpy"}, std::pair{"np", "jax.numpy"},
                                    std::pair{"numpy", "jax.numpy"}, std::pair{"lax", "jax.lax"}})
    if (module == brief || module.starts_with(std::string(brief) + "."))
      return full + module.substr(std::string_view(brief).size());
  return module;
}

/// The place of the code in the first cell that has the name; their number if none has it.
std::size_t place_of(const JaxRow& row, std::string_view name) {
  const auto has_name = [&](const std::string& code) {
    const std::vector<std::string> names = names_called_in(code);
    return std::ranges::find(names, without_module(name)) != names.end();
  };
  return static_cast<std::size_t>(std::ranges::find_if(row.codes, has_name) - row.codes.begin());
}

}  // namespace

bool JaxRow::is_same() const { return std::ranges::find(names, ours) != names.end(); }

const std::vector<JaxRow>& jax_rows() {
  static const std::vector<JaxRow> all = [] {
    std::vector<JaxRow> rows = rows_of_from_jax();
    std::ranges::move(rows_of_numpy(), std::back_inserter(rows));
    return rows;
  }();
  return all;
}

std::string_view without_module(std::string_view name) {
  const std::size_t last = name.find_last_of(".:");
  return last == name.npos ? name : name.substr(last + 1);
}

std::vector<const JaxRow*> rows_of(std::string_view name) {
  const std::string module = full_module(name);
  const std::string_view bare = without_module(name);
  std::vector<const JaxRow*> found;
  for (const JaxRow& row : jax_rows()) {
    if (std::ranges::find(row.names, bare) == row.names.end()) continue;
    if (module.empty() || row.module.empty() || row.module == module) found.push_back(&row);
  }
  return found;
}

std::string JaxRow::theirs_of(std::string_view name) const {
  if (!module.empty()) return fmt::format("{}.{}", module, without_module(name));
  const std::size_t place = place_of(*this, name);
  return place < codes.size() ? codes[place] : theirs;
}

std::string JaxRow::ours_of(std::string_view name) const {
  const std::size_t place = place_of(*this, name);
  return place < codes.size() && codes.size() == our_codes.size() ? our_codes[place] : ours;
}

std::string in_a_sentence(const JaxRow& row, std::string_view name) {
  const std::string note = row.note.empty() ? "" : " " + row.note;
  const std::string begin = row.theirs_of(name) + " is";
  std::string text;
  if (row.is_refused()) text = fmt::format("{} refused:{}", begin, note);
  else if (row.is_composed()) text = fmt::format("{} composed here:{}", begin, note);
  else if (row.ours.empty()) text = fmt::format("{} no function:{}", begin, note);
  else if (row.ours == "none") text = fmt::format("{} not here.{}", begin, note);
  else text = fmt::format("{} {} here.{}", begin, row.ours_of(name), note);
  return text.ends_with('.') ? text : text + ".";
}

std::vector<std::string> leads_to(const JaxRow& row, std::string_view name) {
  if (row.is_refused()) return {};
  if (row.is_composed()) return names_called_in(row.note);
  const std::string ours = row.ours_of(name);
  if (ours.starts_with("a ") && ours.ends_with(" b") && ours.size() <= std::string_view("a << b").size())
    return {"operator" + ours.substr(2, ours.size() - 4)};
  if (ours == "-x" || ours == "~x") return {"operator" + ours.substr(0, 1)};
  if (ours != row.ours || row.our_codes.empty()) return names_called_in(ours);
  std::vector<std::string> names;
  for (const std::string& code : row.our_codes)
    std::ranges::move(names_called_in(code), std::back_inserter(names));
  return names;
}

}  // namespace tutti::cli
