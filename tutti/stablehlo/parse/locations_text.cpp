// SPDX-License-Identifier: Apache-2.0
// loc(..) as MLIR writes it.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tutti/stablehlo/parse/aliases_inl.hpp"

namespace tutti::stablehlo {
namespace {

LocationNode node(LocationTree tree) { return std::make_shared<const LocationTree>(std::move(tree)); }

int as_int(std::int64_t number) {
  return static_cast<int>(std::clamp<std::int64_t>(number, 0, std::numeric_limits<int>::max()));
}

}  // namespace

Location Parser::location_if_there() {
  if (!in_.takes("loc")) return {};
  of_location_.bytes = 0;
  in_.expect("(");
  LocationNode place = location();
  in_.expect(")");
  return {std::move(place)};
}

/// Reads the inside of loc(..).
LocationNode Parser::location() {
  const Level level(*this);
  if (in_.sees(TokenKind::hash)) {
    const Token name = in_.take();
    if (!alias_at_.contains(name.text))
      in_.refuse_at(name.at, fmt::format("{} is no location: nothing defines it", name.text));
    return alias(name, location_aliases_, of_location_, &Parser::location);
  }
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

}  // namespace tutti::stablehlo
