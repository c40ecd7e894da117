// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "tutti/stablehlo/parse/parser.hpp"

namespace tutti::stablehlo {

template <class T>
T Parser::alias(const Token& name, Aliases<T>& known, Expansion& expansion, T (Parser::*read)()) {
  const auto count = [&](std::size_t bytes) {
    expansion.bytes += bytes;
    if (expansion.bytes > expansion.most)
      in_.refuse_at(name.at, fmt::format("{} is too long: the aliases of {} stand for at most {} KiB",
                                         name.text, expansion.of, expansion.most >> 10));
  };
  if (const auto found = known.find(name.text); found != known.end()) {
    count(found->second.bytes);
    return found->second.value;
  }
  if (std::ranges::find(open_aliases_, name.text) != open_aliases_.end())
    in_.refuse_at(name.at, fmt::format("{} is defined by itself", name.text));
  const OpenAlias open(*this, name.text);
  const std::size_t behind = in_.behind_last(), before = expansion.bytes, begin = alias_at_.at(name.text);
  in_.go_to(begin);
  T value = (this->*read)();
  count(in_.behind_last() - begin);
  in_.go_to(behind);
  known.emplace(name.text, Alias<T>{value, expansion.bytes - before});
  return value;
}

}  // namespace tutti::stablehlo
