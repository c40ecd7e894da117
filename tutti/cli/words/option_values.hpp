// SPDX-License-Identifier: Apache-2.0
// Checks of a command line that CLI11 has read; for the tool and the examples.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>

#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"

namespace tutti::cli {

/// Throws R002 if an option has an empty value, as `--load "$FILE"` has without the variable FILE. CLI11
/// takes it for no option at all. `may_be_empty` are the options for which an empty value means something.
inline void require_option_values(const CLI::App& app, const std::vector<std::string>& may_be_empty = {}) {
  for (const CLI::Option* option : app.get_options()) {
    const bool is_empty = std::ranges::find(option->results(), "") != option->results().end();
    const bool is_allowed = std::ranges::find(may_be_empty, option->get_name()) != may_be_empty.end();
    require(!is_empty || is_allowed, Code::usage, "{}: the value is empty; give one, or leave the option out",
            option->get_name());
  }
}

}  // namespace tutti::cli
