// SPDX-License-Identifier: Apache-2.0
#include "second_difference.hpp"

namespace rod {
namespace {

template <class T>
void second_differences(std::byte* out, const std::byte* in, const AlongDim& shape) {
  const T* x = reinterpret_cast<const T*>(in);
  T* y = reinterpret_cast<T*>(out);
  const std::int64_t n = shape.n, step = shape.inner;
  for (std::int64_t outer = 0; outer < shape.outer; ++outer)
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t inner = 0; inner < step; ++inner, ++x, ++y) {
        const T before = i > 0 ? x[-step] : T(0), after = i + 1 < n ? x[step] : T(0);
        *y = (before + after) - 2 * *x;
      }
}

}  // namespace

Parameters SecondDifference::parameters() const { return {{"dim", std::to_string(dim.index)}}; }

Types SecondDifference::infer(const Types& operands) const {
  const Type x = operands[0];
  require_in_range({dim}, x, "second_difference_c1");
  require(x.dtype() == DType::f32 || x.dtype() == DType::f64, Code::dtype,
          "{} is neither f32 nor f64; convert it: convert(x, DType::f32)", to_string(x));
  return {x.with(agreed_states(operands, mixing()))};
}

Kernel SecondDifference::kernel(const Layout& layout) const {
  const Type x = layout.operands()[0];
  const auto run = x.dtype() == DType::f32 ? second_differences<float> : second_differences<double>;
  return kernel::Opaque{.nanoseconds = 20 + static_cast<double>(x.elements()),
                        .run = [run, shape = along_dim(x.shape(), dim)](const kernel::Unit& unit) {
                          run(unit.results[0], unit.operands[0], shape);
                        }};
}

Jvp SecondDifference::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

// Its matrix is symmetric.
Tangents SecondDifference::transpose(const LinearOperands&, const Tangents& cotangents) const {
  return {apply_one(*this, {*cotangents[0]})};
}

// The batch dim is dim 0: the other dims move up by one.
BatchedArrays SecondDifference::batch(const Axis&, const BatchedArrays& operands, const Types&) const {
  const auto& [x, batched] = operands[0];
  return {{apply_one(SecondDifference{Dim{dim.index + (batched ? 1 : 0)}}, {x}), batched}};
}

Lowered SecondDifference::lower(Emitter& emitter, const Lowered& operands) const {
  const Type type = emitter.result_types()[0];
  const stablehlo::Value x = operands[0], zero = emitter.constant(Tensor(Shape{}, type.dtype()));
  auto shifted = [&](std::int64_t by) {
    std::vector<std::int64_t> low(static_cast<std::size_t>(type.rank())), high = low, interior = low;
    low[static_cast<std::size_t>(dim.index)] = by;
    high[static_cast<std::size_t>(dim.index)] = -by;
    return emitter.emit("stablehlo.pad", {x, zero}, type,
                        {{"edge_padding_low", stablehlo::integers(low)},
                         {"edge_padding_high", stablehlo::integers(high)},
                         {"interior_padding", stablehlo::integers(interior)}});
  };
  const stablehlo::Value before = shifted(1), after = shifted(-1);
  const stablehlo::Value neighbours = emitter.emit("stablehlo.add", {before, after}, type);
  const stablehlo::Value twice = emitter.emit("stablehlo.add", {x, x}, type);
  return {emitter.emit("stablehlo.subtract", {neighbours, twice}, type)};
}

std::vector<Example> SecondDifference::examples() {
  const Axes& axes = example_mesh().axes();
  const Type row(DType::f64, {5}), matrix(DType::f64, {3, 4});
  return {
      {SecondDifference{Dim{0}}, {row.with(axes[0], varying)}},
      {SecondDifference{Dim{1}}, {matrix.with(axes[1], unreduced)}},
      {SecondDifference{Dim{0}}, {matrix}},
      {SecondDifference{Dim{1}}, {Type(DType::f32, {2, 1, 3})}},
      {SecondDifference{Dim{0}}, {Type(DType::f32, {0})}},
  };
}

Array second_difference(const Operand& x, int dim) {
  return front_end(SecondDifference::name, x.where(), [&] {
    const Array array = as_array(x);
    return apply_one(SecondDifference{as_dim(dim, array.type())}, {array});
  });
}

}  // namespace rod
