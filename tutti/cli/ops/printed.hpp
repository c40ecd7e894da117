// SPDX-License-Identifier: Apache-2.0
// How `tutti explain` lays out what it prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tutti/base/inside.hpp"

namespace tutti::cli {

inline constexpr std::size_t line_length = 100;

/// Breaks a line at spaces, so that no part exceeds line_length. Each further line is indented by `indent`.
std::string wrapped(std::string_view line, std::size_t indent);

/// One line with its label, or several below each other.
void print_labelled(std::string_view label, const std::vector<std::string>& lines);

/// The first lines of a program, or of the reason why there is none.
void print_program(std::string_view title, std::string_view program);

/// "a, b", or `none`.
std::string joined(const std::vector<std::string>& names, std::string_view none);

}  // namespace tutti::cli
