// SPDX-License-Identifier: Apache-2.0
#include "tutti/types/sharding.hpp"

#include <fmt/format.h>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/types/parts.hpp"

namespace tutti {
namespace {

void check(const Type& whole, const Sharding& sharding) {
  require(static_cast<int>(sharding.dims.size()) == whole.rank(), Code::spec,
          "{} is for {}, but {} has {}; name one axis, several, or none for each dim", sharding,
          counted(std::ssize(sharding.dims), "dim"), whole, whole.rank());
  Axes seen;
  for (const Axis& axis : axes_of(sharding)) {
    require(!contains(seen, axis), Code::spec, "{} names axis '{}' twice; name it once", sharding, axis.name);
    seen.push_back(axis);
  }
}

std::string names_of(const Axes& axes) { return fmt::format("{}", fmt::join(merged_names(axes), ", ")); }

// Brackets tell an axis that is called none from no axis.
std::string entry_text(const Axes& axes) {
  if (axes.empty()) return "none";
  const std::string names = names_of(axes);
  return names == "none" || merged_names(axes).size() > 1 ? "(" + names + ")" : names;
}

}  // namespace

Sharding internal::unsharded(const Mesh& mesh, int rank) {
  return {mesh, std::vector<Axes>(static_cast<std::size_t>(rank)), {}, {}};
}

Axes internal::axes_of(const Sharding& sharding) {
  Axes all;
  for (const Axes& axes : sharding.dims) all.insert(all.end(), axes.begin(), axes.end());
  all.insert(all.end(), sharding.unreduced.begin(), sharding.unreduced.end());
  all.insert(all.end(), sharding.reduced.begin(), sharding.reduced.end());
  return all;
}

Type internal::padded_local_type(Type global, const Sharding& sharding) {
  check(global, sharding);
  Shape shape = global.shape();
  AxisStates states = global.states();
  for (int i = 0; i < shape.rank(); ++i) {
    const Axes& axes = sharding.dims[static_cast<std::size_t>(i)];
    const std::int64_t n = joint_size(axes);
    shape = shape.with(Dim{i}, (shape[i] + n - 1) / n);
    for (const Axis& axis : axes) states.set(axis, State::varying);
  }
  for (const Axis& axis : sharding.unreduced) states.set(axis, State::unreduced);
  for (const Axis& axis : sharding.reduced) states.set(axis, State::reduced);
  return {global.dtype(), shape, states};
}

Type internal::local_type(Type global, const Sharding& sharding) {
  check(global, sharding);
  for (int i = 0; i < global.rank(); ++i) {
    const Axes& axes = sharding.dims[static_cast<std::size_t>(i)];
    const int n = joint_size(axes);
    require(global.shape()[i] % n == 0, Code::shape,
            "dim {} of {} does not split over the {} devices of {}; pad it or use another dim", i, global, n,
            axes);
  }
  return padded_local_type(global, sharding);
}

Type internal::global_type(Type local, const Sharding& sharding) {
  check(local, sharding);
  Shape shape = local.shape();
  AxisStates states = local.states();
  for (int i = 0; i < shape.rank(); ++i) {
    const Axes& axes = sharding.dims[static_cast<std::size_t>(i)];
    shape = shape.with(Dim{i}, shape[i] * joint_size(axes));
    for (const Axis& axis : axes) states.set(axis, State::invariant);
  }
  for (const Axis& axis : sharding.unreduced) states.set(axis, State::invariant);
  for (const Axis& axis : sharding.reduced) states.set(axis, State::invariant);
  return {local.dtype(), shape, states};
}

Sharding ops::dual(const Sharding& sharding) {
  return {sharding.mesh, sharding.dims, sharding.reduced, sharding.unreduced};
}

std::string to_string(const Sharding& sharding) {
  std::vector<Axes> dims = sharding.dims;
  while (!dims.empty() && dims.back().empty()) dims.pop_back();
  std::string text;
  for (const Axes& axes : dims) text += (text.empty() ? "" : ", ") + entry_text(axes);
  text = "P(" + text + ")";
  if (!sharding.unreduced.empty()) text += "+U(" + names_of(sharding.unreduced) + ")";
  if (!sharding.reduced.empty()) text += "+R(" + names_of(sharding.reduced) + ")";
  return text;
}

}  // namespace tutti
