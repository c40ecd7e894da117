// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "tutti/base/where.hpp"

namespace tutti::stablehlo {

struct LocationTree;
/// Shared by the many operations of one place; null: unknown.
using LocationNode = std::shared_ptr<const LocationTree>;

/// loc("f.py":3:4 to 3:9); without a range the end is 0.
struct FileRange {
  std::string file;
  int line = 0, column = 0, end_line = 0, end_column = 0;
};
/// loc("name"(child)); the child may be null.
struct NamedLocation {
  std::string name;
  LocationNode child;
};
/// loc(callsite(callee at caller))
struct CallSite {
  LocationNode callee, caller;
};
/// loc(fused<metadata>[..])
struct FusedLocation {
  std::string metadata;  // as it stands in the text; may be empty
  std::vector<LocationNode> parts;
};
struct LocationTree {
  std::variant<FileRange, NamedLocation, CallSite, FusedLocation> value;
};

/// A place in the text or in the program it came from.
struct Location {
  LocationNode tree;
  bool operator==(const Location&) const { return true; }  // two texts are equal wherever they stand
};

struct Locations {
  std::vector<Location> list;  // empty, or one per item
  bool operator==(const Locations&) const { return true; }
};

/// A chain of callers, innermost first, as a location.
Location location_of(const std::vector<Where>& chain);
/// The innermost place of a file in a location; unknown if there is none.
Where place_of(const Location& location);
/// The places of files in a location, innermost first.
std::vector<Where> places_of(const Location& location);
/// loc(..) without "loc": `"f.py":3:4`, `callsite(.. at ..)`, `unknown`.
std::string to_string(const Location& location);

}  // namespace tutti::stablehlo
