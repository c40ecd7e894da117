// SPDX-License-Identifier: Apache-2.0
// Words of options that several subcommands have.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include "tutti/types/dtype.hpp"
#include "tutti/types/shape.hpp"

namespace tutti::cli {

/// True if all of the text is one number, which is then read.
template <class Number>
bool reads(std::string_view text, Number& number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

/// "4096x4096"; empty: a scalar. Throws R002 for a word that is no size, and what Shape::check() throws.
Shape parse_shape(std::string_view text);
/// The names of all dtypes, for messages: "bool, u8, ..".
std::string dtype_names();
/// "bf16". Throws R002 with all names.
DType parse_dtype(std::string_view text);

/// A word as a shell reads it: in quotes if it has other characters than those of plain names and paths.
std::string shell_word(std::string_view word);

}  // namespace tutti::cli
