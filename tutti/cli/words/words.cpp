// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/words/words.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "tutti/base/require.hpp"

namespace tutti::cli {

Shape parse_shape(std::string_view text) {
  std::vector<std::int64_t> sizes;
  for (std::size_t begin = 0; !text.empty() && begin <= text.size();) {
    const std::string_view word = text.substr(begin, text.find('x', begin) - begin);
    std::int64_t size = 0;
    require(reads(word, size) && size >= 0, Code::usage,
            "--shape: '{}' in '{}' is not the size of a dim; write for example 4096x4096", word, text);
    sizes.push_back(size);
    begin += word.size() + 1;
  }
  Shape shape(sizes);
  shape.check();
  return shape;
}

std::string dtype_names() {
  std::vector<std::string_view> names;
  for (DType one : all_dtypes()) names.push_back(tutti::name(one));
  return fmt::format("{}", fmt::join(names, ", "));
}

DType parse_dtype(std::string_view text) {
  const std::optional<DType> dtype = dtype_named(text);
  require(dtype.has_value(), Code::usage, "--dtype: there is no '{}'; use one of {}", text, dtype_names());
  return *dtype;
}

std::string shell_word(std::string_view word) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-./:=,@%+").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace tutti::cli
