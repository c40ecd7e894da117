// SPDX-License-Identifier: Apache-2.0
#include "tutti/lower/sharding_text.hpp"

#include <fmt/format.h>

#include "tutti/stablehlo/attribute_text.hpp"

namespace tutti {
namespace {

constexpr const char* mesh_name = "mesh";

template <class Items, class F>
std::string listed(const Items& items, F text_of) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + text_of(item);
  return text;
}

std::string braced(const Axes& axes) {
  return "{" + listed(axes, [](const Axis& axis) { return stablehlo::quoted(axis.name); }) + "}";
}

std::string sharding_text(const Sharding& sharding) {
  std::string text = "<" + stablehlo::symbol(mesh_name) + ", [" + listed(sharding.dims, braced) + "]";
  if (!sharding.unreduced.empty()) text += ", unreduced=" + braced(sharding.unreduced);
  return text + ">";
}

stablehlo::Attribute verbatim(std::string text) { return {stablehlo::Verbatim{std::move(text)}}; }

}  // namespace

stablehlo::Operation mesh_symbol(const Mesh& mesh) {
  auto sized = [](const Axis& axis) { return fmt::format("{}={}", stablehlo::quoted(axis.name), axis.size); };
  stablehlo::Operation symbol;
  symbol.name = "sdy.mesh";
  symbol.attributes = {{"mesh", verbatim("#sdy.mesh<[" + listed(mesh.axes(), sized) + "]>")},
                       {"sym_name", {std::string(mesh_name)}}};
  return symbol;
}

stablehlo::Attribute sharding_attribute(const Sharding& sharding) {
  return verbatim("#sdy.sharding" + sharding_text(sharding));
}

stablehlo::Attribute per_value_attribute(const std::vector<Sharding>& shardings) {
  return verbatim("#sdy.sharding_per_value<[" + listed(shardings, sharding_text) + "]>");
}

stablehlo::Attribute manual_axes_attribute(const Mesh& mesh) {
  return verbatim("#sdy<manual_axes" + braced(mesh.axes()) + ">");
}

}  // namespace tutti
