// SPDX-License-Identifier: Apache-2.0
#include "tests/laws/transforms.hpp"

#include <algorithm>

#include "tutti/ops/moves/enter.hpp"
#include "tutti/ops/moves/exchange.hpp"
#include "tutti/ops/moves/leave.hpp"
#include "tutti/transform/batch.hpp"
#include "tutti/transform/jvp.hpp"
#include "tutti/transform/simplify.hpp"
#include "tutti/transform/split.hpp"
#include "tutti/transform/transpose.hpp"
#include "tutti/transform/vjp.hpp"

namespace tutti {
namespace {

Types inputs_of(const Program& program) { return program.types_of(program.inputs); }
Types outputs_of(const Program& program) { return program.types_of(program.outputs); }

Types marked(const Types& types, const Bits& bits) {
  Types found;
  for (std::size_t i = 0; i < types.size(); ++i)
    if (bits[i]) found.push_back(types[i]);
  return found;
}

Types duals(Types types) {
  for (Type& type : types) type = dual(type);
  return types;
}

Types joined(Types front, const Types& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

Types with_tangents(const Types& types) {
  Types found;
  for (Type type : types)
    if (tangent(type)) found.push_back(type);
  return found;
}

Transform jvp_by(const Bits& by) {
  return {"jvp", [by](const Program& program) -> Transformed {
            JvpProgram made = jvp(program, by);
            return {made.program, joined(inputs_of(program), marked(inputs_of(program), by)),
                    joined(outputs_of(program), marked(outputs_of(program), made.nonzero))};
          }};
}

// Cut by the tangents: both halves are checked, the linear one is handed on.
Transform split_of_jvp(const Bits& by) {
  return {"jvp and split", [by](const Program& program) -> Transformed {
            JvpProgram derived = jvp(program, by);
            Bits linear(derived.program.inputs.size());
            std::fill(linear.begin() + static_cast<std::ptrdiff_t>(program.inputs.size()), linear.end(),
                      true);
            SplitProgram halves = split(derived.program, linear);
            check(halves.known);
            Types known = outputs_of(halves.known);
            auto residuals = known.begin() + std::ranges::count(halves.linear_outputs, false);
            return {halves.linear, joined({residuals, known.end()}, marked(inputs_of(program), by)),
                    marked(outputs_of(derived.program), halves.linear_outputs)};
          }};
}

Transform vjp_by(const Bits& by) {
  return {"vjp", [by](const Program& program) -> Transformed {
            return {vjp(program, by), joined(inputs_of(program), duals(with_tangents(outputs_of(program)))),
                    joined(outputs_of(program), duals(marked(inputs_of(program), by)))};
          }};
}

Transform transpose_by(const Bits& by) {
  return {"transpose", [by](const Program& program) -> Transformed {
            Bits known = by;
            known.flip();
            return {transpose(program, by),
                    joined(marked(inputs_of(program), known), duals(outputs_of(program))),
                    duals(marked(inputs_of(program), by))};
          }};
}

Type batched(Type type, const Axis& axis) {
  Type one = type.with(axis, State::invariant);
  return has_lanes(type, axis) ? one.inserted(Dim{0}, axis.size) : one;
}

Transform batch_over(const Axis& axis) {
  return {"batch over " + std::string(axis.name), [axis](const Program& program) -> Transformed {
            Types inputs = inputs_of(program), outputs = outputs_of(program);
            for (Types* types : {&inputs, &outputs})
              for (Type& type : *types) type = batched(type, axis);
            return {batch(program, axis), inputs, outputs};
          }};
}

Transform simplified_by(const std::string& name, Program (*simplified)(const Program&)) {
  return {name, [simplified](const Program& program) -> Transformed {
            return {simplified(program), inputs_of(program), outputs_of(program)};
          }};
}

// All float inputs at once, and each alone.
std::vector<Bits> derived_by(const Program& program) {
  Bits floats = float_inputs(program);
  std::vector<Bits> sets;
  if (std::ranges::count(floats, true) > 0) sets.push_back(floats);
  if (std::ranges::count(floats, true) < 2) return sets;
  for (std::size_t i = 0; i < floats.size(); ++i) {
    Bits alone(floats.size());
    alone[i] = true;
    if (floats[i]) sets.push_back(alone);
  }
  return sets;
}

}  // namespace

std::vector<Transform> simplifications() {
  return {simplified_by("without dead code", [](const Program& p) { return without_dead_code(p); }),
          simplified_by("without common subexpressions",
                        [](const Program& p) { return without_common_subexpressions(p); }),
          simplified_by("with early casts", with_early_casts),
          simplified_by("with borders as moves", [](const Program& p) {
            return with_borders_as_moves(p, [](const Equation&) { return false; });
          })};
}

Axes batchable_axes(const Example& example) {
  bool is_border = example.op.as<Enter>() || example.op.as<Leave>();
  if (is_border) return {};
  Axes axes = example_mesh().axes();
  if (const auto* exchange = example.op.as<Exchange>())  // of axes of a mesh, which vmap never removes
    for (const Sharding* sharding : {&exchange->from, &exchange->to})
      for (const Axis& axis : axes_of(*sharding)) axes = without(std::move(axes), axis);
  return axes;
}

std::vector<Transform> transforms_of(const Program& program, const Axes& batchable) {
  std::vector<Transform> all = simplifications();
  for (const Bits& by : derived_by(program)) {
    all.push_back(jvp_by(by));
    all.push_back(split_of_jvp(by));
    all.push_back(vjp_by(by));
  }
  for (const Axis& axis : batchable) all.push_back(batch_over(axis));
  return all;
}

std::vector<Transform> transforms_of(const Example& example) {
  std::vector<Transform> all = transforms_of(program_of(example), batchable_axes(example));
  for (const Bits& by : linear_inputs(example)) all.push_back(transpose_by(by));
  return all;
}

}  // namespace tutti
