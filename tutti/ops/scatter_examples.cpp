// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/inside.hpp"
#include "tutti/ops/scatter.hpp"

namespace tutti {
namespace {

// Rows of arrays. The products of floats are at indices that differ: others have no derivative.
std::vector<Example> examples_that_are_not_linear() {
  const Axes& axes = example_mesh().axes();
  const Dims none, d0{Dim{0}}, d1{Dim{1}};
  const GatherDims rows{d1, d0, none, none, d0, Dim{1}}, row{d0, d0, none, none, d0, Dim{0}};
  std::vector<Example> examples;
  for (ScatterKind kind : {ScatterKind::multiply, ScatterKind::min, ScatterKind::max}) {
    const bool unique = kind == ScatterKind::multiply;
    auto add = [&](Type x, const ExampleOperand& where, const Shape& updates) {
      examples.push_back({Scatter{kind, rows, unique}, {x, where, x.with(updates)}});
    };
    auto places = [&](const std::vector<std::int32_t>& values) {
      Shape shape{static_cast<std::int64_t>(values.size())};
      if (unique) return ExampleOperand(ExampleOperand::Given{{}, {Tensor(shape, values)}});
      return ExampleOperand(Type(DType::i32, shape), -1, 5);
    };
    Type matrix(DType::f64, {5, 3});
    add(matrix, places({3, -1, 0, 4}), {4, 3});
    add(matrix, places({1, 5}), {2, 2});
    add(Type(DType::f32, {3, 2}), places({2, 1}), {2, 2});
    add(Type(DType::i64, {5, 3}), places({}), {0, 3});
    examples.push_back(
        {Scatter{kind, row, unique},
         {matrix.with(axes[0], varying), ExampleOperand(Type(DType::i32, {}).with(axes[0], varying), -1, 5),
          matrix.with(axes[0], varying).with(Shape{3})}});
    examples.push_back(
        {Scatter{kind, rows},
         {Type(DType::i32, {5, 2}), ExampleOperand(Type(DType::i64, {6}), -1, 5), Type(DType::i32, {6, 2})}});
  }
  for (ScatterKind kind : {ScatterKind::min, ScatterKind::max})
    examples.push_back({Scatter{kind, rows},
                        {Type(DType::boolean, {5, 2}), ExampleOperand(Type(DType::i32, {4}), -1, 5),
                         Type(DType::boolean, {4, 2})}});
  return examples;
}

}  // namespace

std::vector<Example> Scatter::examples() {
  const Axes& axes = example_mesh().axes();
  const Dims none, d0{Dim{0}}, d1{Dim{1}}, d01{Dim{0}, Dim{1}};
  auto indices = [](const Shape& shape, const AxisStates& states = {}, DType dtype = DType::i32) {
    return ExampleOperand(Type(dtype, shape, states), -1, 5);
  };
  const GatherDims rows{d1, d0, none, none, d0, Dim{1}}, windows{d1, d0, none, none, d01, Dim{1}},
      of_each{none, {Dim{0}, Dim{2}}, d1, d1, {Dim{2}, Dim{0}}, Dim{2}};
  std::vector<Example> examples;
  for (ScatterKind kind : {ScatterKind::add, ScatterKind::replace}) {
    auto add = [&](const GatherDims& dims, DType dtype, const Shape& x, ExampleOperand where,
                   const Shape& updates, const AxisStates& states = {}) {
      examples.push_back(
          {Scatter{kind, dims}, {Type(dtype, x, states), where, Type(dtype, updates, states)}});
    };
    const auto& [a, b, c] = std::tuple(axes[0], axes[1], axes[2]);
    add(rows, DType::f64, {5, 3}, indices({4}), {4, 3});
    add(rows, DType::f64, {4, 2}, indices({6}, {{a, varying}}, DType::i64), {6, 2}, {{a, varying}});
    add(rows, DType::f64, {3, 2}, indices({2}, {{b, reduced}}), {2, 2}, {{b, unreduced}});
    add(rows, DType::f32, {3, 2}, indices({2}), {2, 1}, {{c, reduced}});
    add(windows, DType::f64, {5, 3}, indices({4, 2}, {}, DType::i64), {4, 2});
    add(of_each, DType::f32, {2, 4, 3}, indices({3, 4, 2}), {3, 4});
    add({d0, d0, none, none, d0, Dim{0}}, DType::i32, {5, 3}, indices({}), {3});
    add(rows, DType::i64, {5, 3}, indices({0}), {0, 3});
    add({none, none, none, none, none, Dim{0}}, DType::f32, {}, indices({0}), {});
  }
  examples.push_back({Scatter{ScatterKind::replace, rows},
                      {Type(DType::boolean, {5, 2}), indices({4}), Type(DType::boolean, {4, 2})}});
  for (const Example& example : examples_that_are_not_linear()) examples.push_back(example);
  return examples;
}

}  // namespace tutti
