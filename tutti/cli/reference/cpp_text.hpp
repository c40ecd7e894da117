// SPDX-License-Identifier: Apache-2.0
// How C++ is cut into pieces, as far as our headers need it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tutti/base/inside.hpp"

namespace tutti::cli {

/// The text with spaces for comments, literals and preprocessor lines. Lines and positions stay.
std::string code_alone(std::string_view text);

bool is_word_letter(char letter);
/// The word that begins at `at`; empty if none does.
std::string_view word_at(std::string_view code, std::size_t at);
/// The word that ends before `end`, spaces apart.
std::string_view word_before(std::string_view code, std::size_t end);
/// The first position from `at` on without a space there; the text's size if there is none.
std::size_t after_spaces(std::string_view code, std::size_t at);
/// The position after the bracket that closes the one at `open`: of (, [ and {.
std::size_t after_brackets(std::string_view code, std::size_t open);
/// The same of the arguments of a template, from < on.
std::size_t after_angles(std::string_view code, std::size_t open);

/// Without spaces at both ends.
std::string_view trimmed(std::string_view text);
/// In one line: each run of spaces is one.
std::string in_one_line(std::string_view text);
/// Each line, the first apart, with the indentation that all have less.
std::string without_indentation(std::string_view text);
/// The lines of a comment, those of one sentence as one line. Lines of examples, which four more spaces
/// indent, stay as they are.
std::string with_whole_sentences(std::string_view comment);

}  // namespace tutti::cli
