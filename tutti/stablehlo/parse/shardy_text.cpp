// SPDX-License-Identifier: Apache-2.0
// The dialect sdy: meshes, shardings, and the operations that name them.
#include <fmt/format.h>

#include <charconv>

#include "tutti/stablehlo/parse/parser.hpp"

namespace tutti::stablehlo {

/// <["x"=4, "y"=2], device_ids=[1, 0]>
MeshAxes Parser::mesh_axes() {
  MeshAxes mesh;
  in_.expect("<");
  in_.expect("[");
  if (!in_.takes("]")) {
    do {
      std::string name = in_.quoted("the name of an axis");
      in_.expect("=");
      const std::size_t at = in_.peek().at;
      const std::int64_t size = in_.integer("the size of an axis");
      if (size < 1) in_.refuse_at(at, fmt::format("axis '{}' has {} devices; it has at least 1", name, size));
      mesh.axes.emplace_back(std::move(name), size);
    } while (in_.takes(","));
    in_.expect("]");
  }
  if (in_.takes(",")) {
    in_.expect("device_ids");
    in_.expect("=");
    mesh.device_ids = integers();
  }
  in_.expect(">");
  return mesh;
}

/// "x" or "x":(2)4
AxisPart Parser::axis_part() {
  AxisPart part{in_.quoted("the name of an axis")};
  if (in_.takes(":")) factor_of(part);
  return part;
}

/// (2)4
void Parser::factor_of(AxisPart& part) {
  in_.expect("(");
  part.before = in_.integer("the size of the slower factors");
  in_.expect(")");
  const std::size_t at = in_.peek().at;
  part.size = in_.integer("the size of the factor");
  if (part.before < 1 || part.size < 1) in_.refuse_at(at, "a factor of an axis has a size of at least 1");
}

std::vector<AxisPart> Parser::axis_parts() {
  std::vector<AxisPart> parts;
  in_.expect("{");
  if (in_.takes("}")) return parts;
  do parts.push_back(axis_part());
  while (in_.takes(","));
  in_.expect("}");
  return parts;
}

/// {"x", ?}p0
DimSharding Parser::dim_sharding() {
  DimSharding dim;
  in_.expect("{");
  while (!in_.takes("}")) {
    if (!dim.axes.empty()) in_.expect(",");
    if (in_.takes("?")) {
      dim.is_open = true;
      in_.expect("}");
      break;
    }
    dim.axes.push_back(axis_part());
  }
  const std::string_view next = in_.peek().text;
  if (in_.sees(TokenKind::word) && next.size() > 1 && next[0] == 'p' && next[1] >= '0' && next[1] <= '9') {
    std::from_chars(next.data() + 1, next.data() + next.size(), dim.priority);
    in_.take();
  }
  return dim;
}

/// <@mesh, [{"x"}, {}], replicated={"y"}, unreduced={"z"}>
ValueSharding Parser::value_sharding() {
  ValueSharding sharding;
  in_.expect("<");
  if (in_.takes("mesh")) sharding.own_mesh = mesh_axes();
  else sharding.mesh = in_.symbol("a mesh, as in @mesh");
  in_.expect(",");
  in_.expect("[");
  if (!in_.takes("]")) {
    do sharding.dims.push_back(dim_sharding());
    while (in_.takes(","));
    in_.expect("]");
  }
  while (in_.takes(",")) {
    const bool is_replicated = in_.takes("replicated");
    if (!is_replicated) in_.expect("unreduced");
    in_.expect("=");
    if (!is_replicated && in_.sees(TokenKind::word)) sharding.unreduced_by = in_.take().text;
    (is_replicated ? sharding.replicated : sharding.unreduced) = axis_parts();
  }
  in_.expect(">");
  return sharding;
}

/// [<..>, <..>]
ShardingPerValue Parser::sharding_per_value() {
  ShardingPerValue shardings;
  in_.expect("[");
  if (in_.takes("]")) return shardings;
  do shardings.values.push_back(value_sharding());
  while (in_.takes(","));
  in_.expect("]");
  return shardings;
}

/// {"x", "y"}
ManualAxes Parser::manual_axes() {
  ManualAxes axes;
  in_.expect("{");
  if (in_.takes("}")) return axes;
  do axes.names.push_back(in_.quoted("the name of an axis"));
  while (in_.takes(","));
  in_.expect("}");
  return axes;
}

/// The bracket behind `name` has been taken.
Attribute Parser::sdy_attribute(std::string_view name, std::size_t begin) {
  const std::size_t bracket = in_.behind_last() - 1;
  if (name == "#sdy.mesh") {
    in_.go_to(bracket);
    return {mesh_axes()};
  }
  if (name == "#sdy.sharding") {
    in_.go_to(bracket);
    return {value_sharding()};
  }
  if (name == "#sdy.sharding_per_value") {
    Attribute shardings{sharding_per_value()};
    in_.expect(">");
    return shardings;
  }
  if (name == "#sdy" && in_.takes("manual_axes")) {
    Attribute axes{manual_axes()};
    in_.expect(">");
    return axes;
  }
  return verbatim(begin);
}

/// sdy.mesh @mesh = <["x"=4]> {..}
void Parser::mesh_symbol(OperationText& text) {
  const std::size_t at = in_.peek().at;
  std::string name = in_.symbol("the name of a mesh, as in @mesh");
  in_.expect("=");
  add(text, "mesh", {mesh_axes()}, at);
  add(text, "sym_name", {std::move(name)}, at);
  add_attributes(text, dictionary_if_there());
}

/// sdy.sharding_constraint %x <@mesh, [..]> : T
void Parser::sharding_constraint(OperationText& text) {
  use(text);
  const std::size_t at = in_.peek().at;
  add(text, "sharding", {value_sharding()}, at);
  add_attributes(text, dictionary_if_there());
  same_or_functional_type(text);
}

/// sdy.manual_computation(%a) in_shardings=[..] out_shardings=[..] manual_axes={..} (%p: T) {..} : (..) -> ..
void Parser::manual_computation(OperationText& text) {
  uses_in_parentheses(text);
  const auto named = [&](std::string_view name, auto&& read) {
    const std::size_t at = in_.peek().at;
    in_.expect(name);
    in_.expect("=");
    add(text, name, {read()}, at);
  };
  named("in_shardings", [&] { return sharding_per_value(); });
  named("out_shardings", [&] { return sharding_per_value(); });
  named("manual_axes", [&] { return manual_axes(); });
  Block& body = text.op.regions.emplace_back();
  std::vector<Token> names;
  in_.expect("(");
  if (!in_.takes(")")) {
    do {
      names.push_back(in_.expect(TokenKind::value, "an argument of the body"));
      in_.expect(":");
      body.argument_types.push_back(type());
      location_if_there();
    } while (in_.takes(","));
    in_.expect(")");
  }
  region(body, true, names);
  add_attributes(text, dictionary_if_there());
  in_.expect(":");
  functional_type(text);
}

}  // namespace tutti::stablehlo
