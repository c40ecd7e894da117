// SPDX-License-Identifier: Apache-2.0
#include "tutti/stablehlo/location.hpp"

#include <fmt/format.h>

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

void append_places(const LocationNode& location, std::vector<Where>& places) {
  if (!location) return;
  std::visit(Overloaded{[&](const FileRange& range) {
                          places.push_back({intern_name(range.file), range.line, range.column});
                        },
                        [&](const NamedLocation& named) { append_places(named.child, places); },
                        [&](const CallSite& site) {
                          append_places(site.callee, places);
                          append_places(site.caller, places);
                        },
                        [&](const FusedLocation& fused) {
                          for (const LocationNode& part : fused.parts) append_places(part, places);
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

std::vector<Where> places_of(const Location& location) {
  std::vector<Where> places;
  append_places(location.tree, places);
  return places;
}

std::string to_string(const Location& location) { return text_of(location.tree); }

}  // namespace tutti::stablehlo
