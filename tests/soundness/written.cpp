// SPDX-License-Identifier: Apache-2.0
#include "tests/soundness/written.hpp"

#include "tests/soundness/scope.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti::generated {
namespace {

Mesh mesh_of(const std::vector<int>& sizes) {
  std::vector<std::pair<std::string, int>> axes;
  for (int size : sizes) axes.emplace_back(std::string(1, static_cast<char>('a' + axes.size())), size);
  return Mesh(axes);
}

Type type_of(const std::array<int, 4>& input, DType dtype, const Axes& bound, Inputs inputs) {
  const Shape small[] = {{2}, {}, {3}, {2, 3}, {4, 2}, {1}, {3, 1, 2}, {6}};
  const Shape large[] = {{2053}, {}, {4099}, {3, 685}, {1029, 2}, {1}, {3, 1, 1029}, {685, 3}};
  const Shape(&shapes)[8] = inputs == Inputs::few_elements ? small : large;
  constexpr State states[] = {varying, invariant, reduced, unreduced, varying, invariant, varying, varying};
  Type type(dtype, shapes[input[0]]);
  for (std::size_t i = 0; i < bound.size(); ++i)
    type = type.with(bound[i], states[static_cast<std::size_t>(input[i + 1])]);
  return type;
}

}  // namespace

Written written(const Draft& draft, Inputs inputs) {
  Written made{mesh_of(draft.mesh), {}, {}};
  const Axes& axes = made.mesh.axes();
  made.bound.assign(axes.begin(), axes.begin() + draft.bound);
  Builder builder(Axes{}, 2);  // the laws differentiate what is made of it, twice at most
  auto names = builder.bind(made.bound);
  Scope scope{made.mesh, draft.dtype, made.bound, made.bound};
  for (const auto& input : draft.inputs)
    scope.values.push_back(builder.input(type_of(input, draft.dtype, made.bound, inputs)));
  write_actions(scope, draft.actions);
  Program program = builder.finish({scope.pick(0), scope.pick(1), scope.pick(3)});
  check(program);
  made.program = without_dead_code(std::move(program));
  return made;
}

}  // namespace tutti::generated
