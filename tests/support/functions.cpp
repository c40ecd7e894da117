// SPDX-License-Identifier: Apache-2.0
#include "tests/support/functions.hpp"

#include <cmath>

#include "tutti/base/inside.hpp"

namespace tutti {
namespace {

/// Numbers in [-1, 1], different in every element, the same in every run.
Tensors numbers(const std::vector<Shape>& shapes, double& phase) {
  Tensors arguments;
  for (const Shape& shape : shapes) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < shape.elements(); ++i) values.push_back(std::sin(phase += 0.7));
    arguments.emplace_back(shape, values);
  }
  return arguments;
}

/// The dims of the lanes: the last dim of the first argument, dim 0 of the second. The lanes share all other
/// arguments.
std::vector<MappedDim> dims_of_lanes(const Function& function) {
  std::vector<MappedDim> dims(function.shapes.size(), none);
  dims[0] = function.shapes[0].rank();
  dims[1] = 0;
  return dims;
}

Tensor stacked(const Tensor& one, const Tensor& other, int dim) {
  std::int64_t inner = 1;
  for (int d = dim; d < one.shape().rank(); ++d) inner *= one.shape()[Dim{d}];
  std::vector<double> values;
  for (std::int64_t from = 0; from < one.elements(); from += inner)
    for (const Tensor& lane : {one, other})
      for (std::int64_t i = 0; i < inner; ++i) values.push_back(lane.at(from + i));
  return {Type(one.dtype(), one.shape()).inserted(Dim{dim}, 2).shape(), values};
}

/// Computes, from whole arguments, the value and the gradient by every argument, taken outside of the
/// shard_map.
Arrays value_and_gradients(const Function& function, const Arrays& arguments) {
  auto whole = [&](const Arrays& all) {
    if (function.specs.empty()) return function.body(all);
    Specs in(std::vector<Specs>(function.specs.begin(), function.specs.end()));
    return shard_map(function.body, {.mesh = functions_mesh(), .in = Specs{in}, .out = P()})(all);
  };
  if (function.derivatives == Derivatives::refused) return {whole(arguments)};
  auto [value, results] = value_and_grad(whole)(arguments);
  results.insert(results.begin(), value);
  return results;
}

}  // namespace

const Mesh& functions_mesh() {
  static const Mesh mesh({{"x", 4}, {"y", 2}});
  return mesh;
}

std::vector<Function> all_functions() {
  std::vector<Function> functions = collective_functions();
  for (const auto& more :
       {local_functions(), control_functions(), transform_functions(), shaping_functions(),
        einsum_functions(), indexing_functions(), reduction_functions(), linalg_functions()})
    functions.insert(functions.end(), more.begin(), more.end());
  return functions;
}

Tensors arguments_of(const Function& function) {
  double phase = 0.3;
  Tensors arguments = numbers(function.shapes, phase), others = numbers(function.shapes, phase);
  std::vector<MappedDim> dims = dims_of_lanes(function);
  for (std::size_t i = 0; i < dims.size(); ++i)
    arguments.push_back(dims[i].dim() ? stacked(arguments[i], others[i], *dims[i].dim()) : arguments[i]);
  return arguments;
}

Arrays values_gradients_and_lanes(const Function& function, const Arrays& arguments) {
  auto middle = arguments.begin() + static_cast<std::ptrdiff_t>(arguments.size() / 2);
  Arrays results = value_and_gradients(function, {arguments.begin(), middle});
  auto of_lane = [&](const Arrays& lane) { return value_and_gradients(function, lane); };
  Arrays of_lanes =
      vmap_flat({of_lane, {middle, arguments.end()}, dims_of_lanes(function)}, {}, Where::here());
  results.insert(results.end(), of_lanes.begin(), of_lanes.end());
  return results;
}

}  // namespace tutti
