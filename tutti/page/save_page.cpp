// SPDX-License-Identifier: Apache-2.0
#include "tutti/page/save_page.hpp"

#include <algorithm>
#include <map>

#include "tutti/base/require.hpp"
#include "tutti/page/page_text.hpp"
#include "tutti/page/svg.hpp"
#include "tutti/run/watch/program_report.hpp"
#include "tutti/tensor/files/whole_file.hpp"

namespace tutti {
namespace {

/// JSON inside of <script>: no text in it can end the script.
std::string inside_script(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (char c : json) {
    if (c == '<') text += "\\u003c";
    else text += c;
  }
  return text;
}

void count_files(const Report::Part& part, std::map<std::string, int>& rows) {
  for (const Report::Row& row : part.rows) {
    if (row.where.known()) ++rows[row.where.file];
    for (const Report::Part& inside : row.parts) count_files(inside, rows);
  }
}

/// The file that most rows stand in, without its folders; else what is known of the program.
std::string title_of(const Report& report) {
  std::map<std::string, int> rows;
  count_files(report.program, rows);
  if (rows.empty() && !report.machine.empty()) return report.machine;
  if (rows.empty()) return report.mesh.axes().empty() ? "program" : "program on " + to_string(report.mesh);
  const auto most = std::ranges::max_element(rows, {}, &std::pair<const std::string, int>::second);
  return most->first.substr(most->first.find_last_of('/') + 1);
}

std::string page_of(const Report& report) {
  std::string page(page_text());
  const auto fill = [&](std::string_view place, const std::string& text) {
    page.replace(page.find(place), place.size(), text);
  };
  fill("{{title}}", escaped(title_of(report)));
  fill("{{data}}", inside_script(to_json(report)));
  return page;
}

}  // namespace

void save_page(const std::string& path, const Report& report, Where where) try {
  require(path != "-", Code::file, "'-' is no file; /dev/stdout is the standard output");
  const std::string page = page_of(report);
  write_whole(path, ".html", {}, [&](std::FILE* file) {
    require_done(std::fwrite(page.data(), 1, page.size(), file) == page.size(), "cannot be written");
  });
} catch (const Error& error) {
  throw error.at(where, "save_page");
}

void save_page(const std::string& path, const Error& error, Where where) {
  save_page(path, refused_report(error), where);
}

}  // namespace tutti
