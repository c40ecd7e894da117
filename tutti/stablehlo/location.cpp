// SPDX-License-Identifier: Apache-2.0
#include "tutti/stablehlo/location.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tutti/base/inside.hpp"
#include "tutti/base/overloaded.hpp"
#include "tutti/stablehlo/attribute_text.hpp"

namespace tutti::stablehlo {
namespace {

LocationNode node(LocationTree tree) { return std::make_shared<const LocationTree>(std::move(tree)); }

LocationNode node_of(const Where& where) {
  if (!where.known()) return nullptr;
  return node({FileRange{where.file, where.line, where.column}});
}

/// Calls `visit` with the places of files, innermost first, until it returns true; returns whether it did.
template <class Visit>
bool any_place(const LocationNode& location, const Visit& visit) {
  if (!location) return false;
  const auto any = [&](const LocationNode& part) { return any_place(part, visit); };
  return std::visit(Overloaded{[&](const FileRange& range) {
                                 return visit(Where{intern_name(range.file), range.line, range.column});
                               },
                               [&](const NamedLocation& named) { return any(named.child); },
                               [&](const CallSite& site) { return any(site.callee) || any(site.caller); },
                               [&](const FusedLocation& fused) {
                                 return std::ranges::any_of(fused.parts, any);
                               }},
                    location->value);
}

std::string text_of(const LocationNode& location) {
  if (!location) return "unknown";
  return std::visit(Overloaded{[](const FileRange& range) {
                                 std::string text =
                                     fmt::format("{}:{}:{}", quoted(range.file), range.line, range.column);
                                 if (range.end_line == range.line)
                                   return text + fmt::format(" to :{}", range.end_column);
                                 if (range.end_line > 0)
                                   text += fmt::format(" to {}:{}", range.end_line, range.end_column);
                                 return text;
                               },
                               [](const NamedLocation& named) {
                                 return quoted(named.name) +
                                        (named.child ? "(" + text_of(named.child) + ")" : "");
                               },
                               [](const CallSite& site) {
                                 return "callsite(" + text_of(site.callee) + " at " + text_of(site.caller) +
                                        ")";
                               },
                               [](const FusedLocation& fused) {
                                 std::string parts;
                                 for (const LocationNode& part : fused.parts)
                                   parts += (parts.empty() ? "" : ", ") + text_of(part);
                                 return "fused" + (fused.metadata.empty() ? "" : "<" + fused.metadata + ">") +
                                        "[" + parts + "]";
                               }},
                    location->value);
}

}  // namespace

Location location_of(const std::vector<Where>& chain) {
  LocationNode tree;
  for (auto where = chain.rbegin(); where != chain.rend(); ++where)
    tree = where == chain.rbegin() ? node_of(*where) : node({CallSite{node_of(*where), tree}});
  return {tree};
}

Where place_of(const Location& location) {
  Where innermost;
  any_place(location.tree, [&](const Where& place) {
    innermost = place;
    return true;
  });
  return innermost;
}

std::vector<Where> places_of(const Location& location) {
  std::vector<Where> places;
  any_place(location.tree, [&](const Where& place) {
    places.push_back(place);
    return false;
  });
  return places;
}

std::string to_string(const Location& location) { return text_of(location.tree); }

}  // namespace tutti::stablehlo
