// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/require.hpp"

#include <fmt/args.h>
#include <fmt/core.h>

namespace tutti {

void internal::throw_formatted(Code code, std::string_view text,
                               std::initializer_list<FormatArgument> values) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const FormatArgument& value : values)
    std::visit(
        [&](auto one) {
          if constexpr (std::same_as<decltype(one), LaterText>) store.push_back(one.text(one.value));
          else store.push_back(one);
        },
        value.value());
  ops::throw_error(code, {}, fmt::vformat(text, store));
}

}  // namespace tutti
