// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/sort.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/gather.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/tensor/loops/plain/scans.hpp"

namespace tutti {
namespace {

std::size_t in_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

// to[k] = from[order[k]] along the dim, at one place of the others.
void permute(std::byte* to, const std::byte* from, std::span<const std::int64_t> order, std::int64_t stride,
             std::size_t element_bytes) {
  std::int64_t step = stride * static_cast<std::int64_t>(element_bytes);
  for (std::size_t k = 0; k < order.size(); ++k)
    std::copy_n(from + order[k] * step, element_bytes, to + static_cast<std::int64_t>(k) * step);
}

// An order that depends on nothing else: ascending, NaN last.
stablehlo::Value comes_before(Emitter& emitter, DType dtype, stablehlo::Value a, stablehlo::Value b) {
  Type scalar(DType::boolean, {});
  std::string type = order_of(dtype);
  auto compare = [&](std::string direction, stablehlo::Value x, stablehlo::Value y) {
    return emitter.emit("stablehlo.compare", {x, y}, scalar,
                        {{"comparison_direction",
                          stablehlo::enumeration("comparison_direction", std::move(direction))},
                         {"compare_type", stablehlo::enumeration("comparison_type", type)}});
  };
  stablehlo::Value less = compare("LT", a, b);
  if (!is_float(dtype)) return less;
  stablehlo::Value only_b_is_nan =
      emitter.emit("stablehlo.and", {compare("NE", b, b), compare("EQ", a, a)}, scalar);
  return emitter.emit("stablehlo.or", {less, only_b_is_nan}, scalar);
}

}  // namespace

Parameters Sort::parameters() const { return {{"dim", std::to_string(dim.index)}}; }

Types Sort::infer(const Types& operands) const {
  require(!operands.empty(), Code::shape, "nothing to sort; give a key at least (sort_c1)");
  require_in_range({dim}, operands[0], "sort_c4");
  require_order(operands[0]);
  AxisStates states = agreed_states(operands, mixing());
  Types results;
  for (Type type : operands) {
    require(type.shape() == operands[0].shape(), Code::shape,
            "{} is carried along with {}, which has another shape (sort_c2)", to_string(type),
            to_string(operands[0]));
    results.push_back(type.with(states));
  }
  return results;
}

Kernel Sort::kernel(const Layout& layout) const {
  const Types& types = layout.operands();
  AlongDim shape = along_dim(types[0].shape(), dim);
  auto n = static_cast<std::size_t>(shape.n);
  return kernel::Opaque{.nanoseconds = 20 + 20 * static_cast<double>(shape.elements()),
                        .scratch_bytes = in_lines(n * sizeof(std::int64_t)),
                        .run = [types, shape, n](const kernel::Unit& unit) {
                          std::span<std::int64_t> order(reinterpret_cast<std::int64_t*>(unit.scratch), n);
                          for (std::int64_t o = 0; o < shape.outer; ++o)
                            for (std::int64_t i = 0; i < shape.inner; ++i) {
                              std::int64_t start = o * shape.n * shape.inner + i;
                              auto at = [&](std::size_t operand) {
                                return start *
                                       static_cast<std::int64_t>(bytes_per_element(types[operand].dtype()));
                              };
                              sorted_order(order, unit.operands[0] + at(0), shape.inner, types[0].dtype());
                              for (std::size_t k = 0; k < types.size(); ++k)
                                permute(unit.results[k] + at(k), unit.operands[k] + at(k), order, shape.inner,
                                        bytes_per_element(types[k].dtype()));
                            }
                        }};
}

// The order is carried along once more, and tangents are looked up by it.
Jvp Sort::jvp(const Arrays& operands, const Tangents& tangents) const {
  if (std::ranges::none_of(tangents, [](const auto& tangent) { return tangent.has_value(); }))
    return constant_jvp(*this, operands);
  Arrays with_order = operands;
  const Shape& shape = operands[0].shape();
  DType index = shape[dim] <= most_numbered_by_i32 ? DType::i32 : DType::i64;
  with_order.push_back(iota(index, shape, dim.index));
  Arrays sorted = tutti::apply(*this, with_order);
  Array order = sorted.back();
  sorted.pop_back();
  Tangents moved;
  for (const auto& tangent : tangents)
    moved.push_back(tangent ? std::optional(take_along_axis(*tangent, order, dim.index)) : std::nullopt);
  return {sorted, moved};
}

BatchedArrays Sort::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  bool any = std::ranges::any_of(operands, &Batched::batched);
  Arrays arrays;
  for (const Batched& x : operands) arrays.push_back(any ? materialised(x, axis) : x.array);
  BatchedArrays results;
  for (const Array& array : tutti::apply(Sort{Dim{dim.index + (any ? 1 : 0)}}, arrays))
    results.push_back({array, any});
  return results;
}

Lowered Sort::lower(Emitter& emitter, const Lowered& operands) const {
  Types pairs;
  for (Type type : emitter.operand_types()) pairs.insert(pairs.end(), 2, type.with(Shape{}));
  DType key = emitter.operand_types()[0].dtype();
  auto compare = [&](const Lowered& x) -> Lowered { return {comes_before(emitter, key, x[0], x[1])}; };
  return emitter.emit_with_regions("stablehlo.sort", operands, emitter.result_types(), {{pairs, compare}},
                                   {{"dimension", stablehlo::integer(dim.index)}, {"is_stable", {true}}});
}

// Keys far apart: at equal ones the order, and so the derivative, jumps.
std::vector<Example> Sort::examples() {
  const Axes& axes = example_mesh().axes();
  auto key = [](Type type) { return ExampleOperand(type, is_unsigned(type.dtype()) ? 0 : -100, 100); };
  Type row(DType::f64, {7}), matrix(DType::f32, {3, 5});
  std::vector<Example> examples{
      {Sort{Dim{0}}, {key(row)}},
      {Sort{Dim{1}}, {key(matrix.with(axes[0], varying))}},
      {Sort{Dim{0}}, {key(matrix.with(axes[1], reduced)), Type(DType::i32, {3, 5}).with(axes[1], reduced)}},
      {Sort{Dim{1}}, {key(Type(DType::f64, {2, 4, 3})), Type(DType::f64, {2, 4, 3})}},
      {Sort{Dim{0}}, {Type(DType::i32, {9}), Type(DType::f64, {9}), Type(DType::boolean, {9})}},  // with ties
      {Sort{Dim{0}}, {Type(DType::i64, {6}).with(axes[2], varying)}},
      {Sort{Dim{0}}, {Type(DType::boolean, {5}), Type(DType::i32, {5})}},
      {Sort{Dim{1}}, {key(Type(DType::f32, {2, 0}))}},
      {Sort{Dim{0}}, {key(Type(DType::f32, {1, 3}))}},
  };
  for (DType dtype : more_dtypes())
    if (!is_complex(dtype))
      examples.push_back({Sort{Dim{1}}, {key(Type(dtype, {3, 5})), Type(dtype, {3, 5})}});
  return examples;
}

Array sort(const Operand& x, int dim) {
  return front_end(Sort::name, x.where(), [&] {
    Array array = as_array(x);
    return apply_one(Sort{as_dim(dim, array.type())}, {array});
  });
}

Arrays sort(const Arrays& key_and_carried, int dim, Where where) {
  return front_end(Sort::name, where, [&] {
    require(!key_and_carried.empty(), Code::shape, "nothing to sort; give a key at least (sort_c1)");
    return tutti::apply(Sort{as_dim(dim, key_and_carried[0].type())}, key_and_carried);
  });
}

Array argsort(const Operand& x, int dim) {
  return front_end("argsort", x.where(), [&] {
    Array array = as_array(x);
    Dim along = as_dim(dim, array.type());
    require(
        array.shape()[along] <= most_numbered_by_i32, Code::dtype,
        "dim {} of {} has more than 2^31 elements, beyond the indices of i32; carry others along: sort({{x, "
        "iota(DType::i64, x.shape(), {})}}, {})[1]",
        along.index, to_string(array.type()), along.index, along.index);
    return tutti::apply(Sort{along}, {array, iota(DType::i32, array.shape(), along.index)})[1];
  });
}

}  // namespace tutti
