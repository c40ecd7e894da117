// SPDX-License-Identifier: Apache-2.0
// loc(..) as MLIR writes it.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tutti/stablehlo/parse/parser.hpp"

namespace tutti::stablehlo {
namespace {

LocationNode node(LocationTree tree) { return std::make_shared<const LocationTree>(std::move(tree)); }

int as_int(std::int64_t number) {
  return static_cast<int>(std::clamp<std::int64_t>(number, 0, std::numeric_limits<int>::max()));
}

}  // namespace

Location Parser::location_if_there() {
  if (!in_.takes("loc")) return {};
  in_.expect("(");
  LocationNode place = location();
  in_.expect(")");
  return {std::move(place)};
}

/// Reads the inside of loc(..).
LocationNode Parser::location() {
  const Level level(*this);
  if (in_.sees(TokenKind::hash)) return location_alias(in_.take());
  if (in_.takes("loc")) {
    in_.expect("(");
    LocationNode inner = location();
    in_.expect(")");
    return inner;
  }
  if (in_.takes("unknown")) return nullptr;
  if (in_.takes("callsite")) {
    in_.expect("(");
    CallSite site;
    site.callee = location();
    in_.expect("at");
    site.caller = location();
    in_.expect(")");
    return node({std::move(site)});
  }
  if (in_.takes("fused")) {
    FusedLocation fused;
    if (in_.takes("<")) fused.metadata = in_.text_to_bracket();
    in_.expect("[");
    if (!in_.takes("]")) {
      do fused.parts.push_back(location());
      while (in_.takes(","));
      in_.expect("]");
    }
    return node({std::move(fused)});
  }
  std::string text = in_.quoted("a location, as in \"model.py\":3:7");
  if (!in_.takes(":")) {
    NamedLocation named{std::move(text), nullptr};
    if (in_.takes("(")) {
      named.child = location();
      in_.expect(")");
    }
    return node({std::move(named)});
  }
  FileRange range{std::move(text)};
  range.line = as_int(in_.integer("a line"));
  in_.expect(":");
  range.column = as_int(in_.integer("a column"));
  if (in_.takes("to")) {
    range.end_line = in_.sees(":") ? range.line : as_int(in_.integer("a line"));
    in_.expect(":");
    range.end_column = as_int(in_.integer("a column"));
  }
  return node({std::move(range)});
}

LocationNode Parser::location_alias(const Token& name) {
  const Level level(*this);
  if (const auto known = location_aliases_.find(name.text); known != location_aliases_.end())
    return known->second;
  const auto defined = alias_at_.find(name.text);
  if (defined == alias_at_.end())
    in_.refuse_at(name.at, fmt::format("{} is no location: nothing defines it", name.text));
  if (std::ranges::find(open_aliases_, name.text) != open_aliases_.end())
    in_.refuse_at(name.at, fmt::format("{} is defined by itself", name.text));
  open_aliases_.push_back(name.text);
  const std::size_t behind = in_.peek().at;
  in_.go_to(defined->second);
  LocationNode place = location();
  in_.go_to(behind);
  open_aliases_.pop_back();
  location_aliases_.emplace(name.text, place);
  return place;
}

}  // namespace tutti::stablehlo
