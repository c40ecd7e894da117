// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/tree/structure.hpp"
#include "tutti/types/none.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti {

/// An axis, or a part of one, by name.
struct SpecAxis {
  /// A factor of an axis: its size, and the product of the slower factors before it.
  struct Part {
    int before, size;
  };

  SpecAxis(const char* axis) : name(AxisName(axis).text) {}
  SpecAxis(std::string_view axis) : name(axis) {}
  SpecAxis(int) = delete;  // 0 would be a null pointer
  SpecAxis(std::nullptr_t) = delete;
  SpecAxis(std::string axis, std::optional<Part> its_part = {}) : name(std::move(axis)), part(its_part) {}

  std::string name;
  std::optional<Part> part = {};  // none: all of it
};

/// A factor of the axis `name`, of size `size`, behind slower factors whose product is `before`. With z=8,
/// part("z", 2, 4) counts the faster 4 positions and part("z", 1, 2) the slower 2. As text: z(2)4.
SpecAxis part(std::string name, int before, int size);

/// "z" or "z(2)4".
std::string to_string(const SpecAxis& axis);

/// The axes that split one dimension: none, one, or several (the first is the slowest).
struct SpecEntry {
  SpecEntry(None) {}
  SpecEntry(const char* name) : axes{name} {}
  SpecEntry(std::string_view name) : axes{name} {}
  SpecEntry(int) = delete;  // 0 would be a null pointer
  SpecEntry(std::nullptr_t) = delete;
  SpecEntry(std::string name) : axes{std::move(name)} {}
  SpecEntry(SpecAxis axis) : axes{std::move(axis)} {}
  SpecEntry(std::initializer_list<SpecAxis> several) : axes(several) {}
  template <internal::NamesOfAxes T>
  SpecEntry(const T& several) : axes(std::begin(several), std::end(several)) {}

  std::vector<SpecAxis> axes;
};

/// How one array lies on the mesh, by names: P("data"), P(none, "model"), P(SpecEntry{"data", "model"}), P()
/// for an array that all devices hold, P(part("data", 1, 2)), P(names) of a vector of names for one dim.
/// Dimensions that are not mentioned are not split.
class P {
 public:
  P() = default;
  template <class... E>
    requires(sizeof...(E) > 0 && (std::convertible_to<E, SpecEntry> && ...))
  explicit P(E... entries) : dims_{SpecEntry(std::move(entries))...} {}

  /// The devices along these axes hold terms of a sum.
  P unreduced(SpecEntry axes) const;
  /// The devices along these axes hold equal values whose gradients are terms of a sum.
  P reduced(SpecEntry axes) const;

  /// On `mesh`, for an array of this type or its parts. If the spec names parts of axes, on the mesh refined
  /// at these.
  /// Throws T001 for a name that the mesh has not, T013 for a spec longer than the rank and for parts that do
  /// not divide their axis, overlap, or do not fit each other.
  Sharding on(const Mesh& mesh, ops::Type whole_or_part) const;

 private:
  friend P parse_spec(std::string_view text);
  friend std::string to_string(const P& spec);

  std::vector<SpecEntry> dims_;
  std::vector<SpecAxis> unreduced_, reduced_;
};

/// "P((x, y), none, z(2)4)+U(t)+R(s)", which parse_spec reads.
std::string to_string(const P& spec);
/// "P((x, y), none, z(2)4)+U(t)+R(s)": the axes of each dim, those of unreduced sums, those of partial
/// gradients.
/// Throws T013 with the text, and a mark under the place where it is wrong.
P parse_spec(std::string_view text);

}  // namespace tutti

namespace tutti::internal {

/// The same on `mesh`, for an array of type `whole`. Also marks an axis that the mesh has not (T001), an axis
/// named twice, a wrong part and a dim too many (T013). `what` names the text.
Sharding parse_sharding(std::string_view text, const Mesh& mesh, Type whole, std::string_view what = "spec");

/// The axes of `mesh` with these names. Throws T001 for one that it has not; `what` names them: "the spec".
Axes axes_named(const Mesh& mesh, const std::vector<std::string>& names, std::string_view what = "the spec");
/// Throws T013 if `sharding` names parts of the axes of `mesh`. Programs bind whole axes.
void require_whole_axes(const Sharding& sharding, const Mesh& mesh);

}  // namespace tutti::internal

namespace tutti {

/// One P for a whole tree, or one Specs for each of its children: Specs{P(none, "model"), P("model")}.
/// One P in braces is for one child.
class Specs {
 public:
  Specs(P leaf) : leaf_{std::move(leaf)} {}
  Specs(std::initializer_list<Specs> parts) : parts_(parts) {}
  explicit Specs(std::vector<Specs> parts) : parts_(std::move(parts)) {}

  /// One P per leaf of a tree. Throws T013 for one P in braces and a tree of several children, T012 if
  /// there are otherwise more or fewer parts than children; `what` names the specs there.
  std::vector<P> per_leaf(const internal::Structure& tree, const std::string& what) const;

 private:
  std::vector<P> leaf_;  // one, or none
  std::vector<Specs> parts_;
};

}  // namespace tutti
