// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/words/words.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

DType parse_dtype(std::string_view text) {
  const std::optional<DType> dtype = dtype_named(text);
  std::vector<std::string_view> names;
  for (DType one : all_dtypes()) names.push_back(tutti::name(one));
  require(dtype.has_value(), Code::usage, "--dtype: there is no '{}'; use one of {}", text,
          fmt::format("{}", fmt::join(names, ", ")));
  return *dtype;
}

}  // namespace tutti::cli
