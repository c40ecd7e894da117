// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/sort.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tutti/base/counted.hpp"
#include "tutti/base/in_lines.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/lines_along_dim.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/take_from_the_start.hpp"
#include "tutti/tensor/loops/plain/sorting.hpp"

namespace tutti {
namespace {

template <std::size_t element_bytes>
void permute_elements(std::byte* to, const std::byte* from, std::span<const std::int64_t> order,
                      std::int64_t step) {
  for (std::size_t k = 0; k < order.size(); ++k)
    std::memcpy(to + static_cast<std::int64_t>(k) * step, from + order[k] * step, element_bytes);
}

// to[k] = from[order[k]] along the dim, at one place of the others.
void permute(std::byte* to, const std::byte* from, std::span<const std::int64_t> order, std::int64_t stride,
             std::size_t element_bytes) {
  const std::int64_t step = stride * static_cast<std::int64_t>(element_bytes);
  if (element_bytes == 1) return permute_elements<1>(to, from, order, step);
  if (element_bytes == 2) return permute_elements<2>(to, from, order, step);
  if (element_bytes == 4) return permute_elements<4>(to, from, order, step);
  if (element_bytes == 8) return permute_elements<8>(to, from, order, step);
  ensure(element_bytes == 16, "elements of {} bytes", element_bytes);
  permute_elements<16>(to, from, order, step);
}

// Compares one key: ascending, NaN last.
stablehlo::Value is_less(Emitter& emitter, DType dtype, stablehlo::Value a, stablehlo::Value b) {
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

// The time to sort lines that nothing follows. Columns are copied to dense lines and back.
double sorting_nanoseconds(const AlongDim& shape) {
  const double steps = std::log2(static_cast<double>(std::max<std::int64_t>(2, shape.n)));
  return (shape.inner == 1 ? 0.5 : 0.65) * steps * static_cast<double>(shape.elements());
}

// Compares several keys: the first pair that differs decides. The last pair is the innermost select.
stablehlo::Value comes_before(Emitter& emitter, const Types& keys, const Lowered& pairs) {
  Type scalar(DType::boolean, {});
  stablehlo::Value before{};
  for (std::size_t k = keys.size(); k > 0; --k) {
    stablehlo::Value a = pairs[2 * k - 2], b = pairs[2 * k - 1];
    stablehlo::Value less = is_less(emitter, keys[k - 1].dtype(), a, b);
    if (k == keys.size()) {
      before = less;
      continue;
    }
    stablehlo::Value greater = is_less(emitter, keys[k - 1].dtype(), b, a);
    stablehlo::Value not_greater = emitter.emit("stablehlo.not", {greater}, scalar);
    stablehlo::Value tied_before = emitter.emit("stablehlo.and", {not_greater, before}, scalar);
    before = emitter.emit("stablehlo.or", {less, tied_before}, scalar);
  }
  return before;
}

}  // namespace

Parameters Sort::parameters() const {
  Parameters parameters{{"dim", std::to_string(dim.index)}};
  if (num_keys != 1) parameters.emplace_back("num_keys", std::to_string(num_keys));
  return parameters;
}

Types Sort::infer(const Types& operands) const {
  require(!operands.empty(), Code::shape, "nothing to sort; give a key at least (sort_c1)");
  require_in_range({dim}, operands[0], "sort_c4");
  require(1 <= num_keys && num_keys <= std::ssize(operands), Code::shape,
          "{} of {} are keys; give at least one key, and at most as many as there are arrays (sort_c5)",
          num_keys, counted(std::ssize(operands), "array"));
  for (int k = 0; k < num_keys; ++k) require_order(operands[static_cast<std::size_t>(k)]);
  AxisStates states = agreed_states(operands, mixing());
  Types results;
  for (Type type : operands) {
    require(type.shape() == operands[0].shape(), Code::shape,
            "{} is carried along with {}, which has another shape (sort_c2)", type, operands[0]);
    results.push_back(type.with(states));
  }
  return results;
}

Kernel Sort::kernel(const Layout& layout) const {
  const Types& types = layout.operands();
  const AlongDim shape = along_dim(types[0].shape(), dim);
  const LinesAlongDim lines(shape, shape.n);
  auto n = static_cast<std::size_t>(shape.n);
  if (types.size() == 1)
    return kernel::Opaque{.nanoseconds = 20 + sorting_nanoseconds(shape),
                          .scratch_bytes =
                              sort_lines_scratch_bytes(shape, bytes_per_element(types[0].dtype())),
                          .run =
                              [lines, dtype = types[0].dtype()](const kernel::Unit& unit) {
                                const LinesAlongDim::Part part = lines.part(unit.lines);
                                sort_lines(element_at(unit.results[0], part.result, dtype),
                                           element_at(unit.operands[0], part.operand, dtype), part.shape,
                                           dtype, unit.scratch);
                              },
                          .shared = lines.shared()};
  const std::size_t order_bytes = in_lines(n * sizeof(std::int64_t));
  std::size_t key_bytes = 0;
  for (int k = 0; k < num_keys; ++k)
    key_bytes = std::max(key_bytes, bytes_per_element(types[static_cast<std::size_t>(k)].dtype()));
  auto sort_line = [types, n, order_bytes, stride = shape.inner](const kernel::Unit& unit,
                                                                 std::span<SortKeys> by, std::int64_t start) {
    std::span<std::int64_t> order(reinterpret_cast<std::int64_t*>(unit.scratch), n);
    const auto line_of = [&](auto* data, std::size_t k) { return element_at(data, start, types[k].dtype()); };
    for (std::size_t k = 0; k < by.size(); ++k)
      by[k] = {line_of(unit.operands[k], k), stride, types[k].dtype()};
    sorted_order(order, by, unit.scratch + order_bytes);
    for (std::size_t k = 0; k < types.size(); ++k)
      permute(line_of(unit.results[k], k), line_of(unit.operands[k], k), order, stride,
              bytes_per_element(types[k].dtype()));
  };
  return kernel::Opaque{.nanoseconds = 20 + 20 * static_cast<double>(shape.elements()),
                        .scratch_bytes = order_bytes + sorting_scratch_bytes(shape.n, key_bytes),
                        .run =
                            [lines, sort_line, keys = num_keys](const kernel::Unit& unit) {
                              std::vector<SortKeys> by(static_cast<std::size_t>(keys));
                              const LinesAlongDim::Part part = lines.part(unit.lines);
                              const AlongDim& along = part.shape;
                              for (std::int64_t o = 0; o < along.outer; ++o)
                                for (std::int64_t i = 0; i < along.inner; ++i)
                                  sort_line(unit, by, part.operand + o * along.n * along.stride + i);
                            },
                        .shared = lines.shared()};
}

// The order is carried along once more, and tangents are looked up by it.
Jvp Sort::jvp(const Arrays& operands, const Tangents& tangents) const {
  if (std::ranges::none_of(tangents, [](const auto& tangent) { return tangent.has_value(); }))
    return constant_jvp(*this, operands);
  Arrays with_order = operands;
  const Shape& shape = operands[0].shape();
  DType index = shape[dim] <= most_numbered_by_i32 ? DType::i32 : DType::i64;
  with_order.push_back(iota(shape, index, dim.index));
  Arrays sorted = tutti::apply(*this, with_order);
  Array order = sorted.back();
  sorted.pop_back();
  Tangents moved;
  for (const auto& tangent : tangents)
    moved.push_back(tangent ? std::optional(take_along_from_the_start(*tangent, order, dim)) : std::nullopt);
  return {sorted, moved};
}

BatchedArrays Sort::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  bool any = std::ranges::any_of(operands, &Batched::batched);
  Arrays arrays;
  for (const Batched& x : operands) arrays.push_back(any ? materialised(x, axis) : x.array);
  BatchedArrays results;
  for (const Array& array : tutti::apply(Sort{Dim{dim.index + (any ? 1 : 0)}, num_keys}, arrays))
    results.push_back({array, any});
  return results;
}

Lowered Sort::lower(Emitter& emitter, const Lowered& operands) const {
  Types pairs;
  for (Type type : emitter.operand_types()) pairs.insert(pairs.end(), 2, type.with(Shape{}));
  const Types keys(emitter.operand_types().begin(), emitter.operand_types().begin() + num_keys);
  auto compare = [&](const Lowered& x) -> Lowered { return {comes_before(emitter, keys, x)}; };
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
      {Sort{Dim{0}, 2}, {Type(DType::i32, {9}), key(row.with(Shape{9})), Type(DType::f64, {9})}},
      {Sort{Dim{1}, 2}, {key(matrix.with(axes[0], varying)), key(matrix.with(axes[0], varying))}},
      {Sort{Dim{0}, 3},
       {Type(DType::boolean, {8}), Type(DType::i32, {8}), Type(DType::i64, {8})}},  // with ties
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

Arrays sort(const Arrays& keys_and_carried, int dim, const SortOptions& options, Where where) {
  return front_end(Sort::name, where, [&] {
    require(!keys_and_carried.empty(), Code::shape, "nothing to sort; give a key at least (sort_c1)");
    return tutti::apply(Sort{as_dim(dim, keys_and_carried[0].type()), options.num_keys}, keys_and_carried);
  });
}

Array argsort(const Operand& x, int dim) {
  return front_end("argsort", x.where(), [&] {
    Array array = as_array(x);
    Dim along = as_dim(dim, array.type());
    require(
        array.shape()[along] <= most_numbered_by_i32, Code::dtype,
        "dim {} of {} has more than 2^31 elements, beyond the indices of i32; carry others along: sort({{x, "
        "iota(x.shape(), DType::i64, {})}}, {})[1]",
        along.index, array.type(), along.index, along.index);
    return tutti::apply(Sort{along}, {array, iota(array.shape(), DType::i32, along.index)})[1];
  });
}

}  // namespace tutti
