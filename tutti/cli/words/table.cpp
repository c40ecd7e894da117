// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/words/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::cli {

std::string table(const std::vector<Row>& rows, std::size_t numbers) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string gap = i == 0 ? "" : "  ";
      line += gap + (i < numbers ? fmt::format("{:>{}}", row[i], widths[i])
                                 : fmt::format("{:<{}}", row[i], widths[i]));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace tutti::cli
