// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/top_k.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/lines_along_dim.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/take_from_the_start.hpp"
#include "tutti/tensor/loops/plain/sorting.hpp"

namespace tutti {

Parameters TopK::parameters() const { return {{"k", std::to_string(k)}, {"dim", std::to_string(dim.index)}}; }

Types TopK::infer(const Types& operands) const {
  const Type& x = operands[0];
  require_in_range({dim}, x, "top_k_c1");
  const std::int64_t size = x.shape()[dim];
  require(0 <= k && k <= size, Code::shape,
          "k = {} is not among 0 to {}, the size of dim {} of {} (top_k_c2)", k, size, dim.index, x);
  require_order(x);
  require(
      size <= most_numbered_by_i32, Code::dtype,
      "dim {} of {} has more than 2^31 elements, beyond the indices of i32 (top_k_c3); take the largest of "
      "parts first",
      dim.index, x);
  const Type values = x.with(x.shape().with(dim, k)).with(agreed_states(operands, mixing()));
  return {values, values.with(DType::i32)};
}

Kernel TopK::kernel(const Layout& layout) const {
  Type x = layout.operands()[0];
  const AlongDim shape = along_dim(x.shape(), dim);
  const LinesAlongDim lines(shape, k);
  // First elements are taken one by one; later on, vectors skip most of them.
  const double one_by_one = static_cast<double>(std::min<std::int64_t>(shape.n, 1024));
  const double of_line = 3 * one_by_one + 0.5 * static_cast<double>(shape.n) + 20 * static_cast<double>(k);
  return kernel::Opaque{.nanoseconds = 20 + of_line * static_cast<double>(shape.outer * shape.inner),
                        .scratch_bytes =
                            largest_elements_scratch_bytes(shape.n, k, bytes_per_element(x.dtype())),
                        .run =
                            [lines, k = k, dtype = x.dtype()](const kernel::Unit& unit) {
                              const LinesAlongDim::Part part = lines.part(unit.lines);
                              largest_elements(element_at(unit.results[0], part.result, dtype),
                                               element_at(unit.results[1], part.result, DType::i32),
                                               element_at(unit.operands[0], part.operand, dtype), part.shape,
                                               k, dtype, unit.scratch);
                            },
                        .shared = lines.shared()};
}

// Tangents are looked up by the indices.
Jvp TopK::jvp(const Arrays& operands, const Tangents& tangents) const {
  if (!tangents[0]) return constant_jvp(*this, operands);
  Arrays results = tutti::apply(*this, operands);
  return {results, {take_along_from_the_start(*tangents[0], results[1], dim), std::nullopt}};
}

BatchedArrays TopK::batch(const Axis&, const BatchedArrays& operands, const Types&) const {
  const auto& [x, batched] = operands[0];
  BatchedArrays results;
  for (const Array& array : tutti::apply(TopK{k, Dim{dim.index + (batched ? 1 : 0)}}, {x}))
    results.push_back({array, batched});
  return results;
}

namespace {

// True if a comes before b in the result: it is larger, or a is NaN and b a number, or a is +0 and b -0.
class ComesFirst {
 public:
  ComesFirst(Emitter& emitter, DType dtype) : emitter_(emitter), dtype_(dtype) {}

  stablehlo::Value operator()(stablehlo::Value a, stablehlo::Value b) const {
    const std::string order = order_of(dtype_);
    stablehlo::Value larger = compare("GT", a, b, order);
    if (!is_float(dtype_)) return larger;
    stablehlo::Value a_is_nan = compare("NE", a, a, order), b_is_number = compare("EQ", b, b, order);
    stablehlo::Value only_a_is_nan = bits("stablehlo.and", {a_is_nan, b_is_number});
    stablehlo::Value tied = compare("EQ", a, b, order),
                     at_zero = compare("GT", integer(a), integer(b), "SIGNED");
    stablehlo::Value positive_zero = bits("stablehlo.and", {tied, at_zero});
    return bits("stablehlo.or", {larger, bits("stablehlo.or", {only_a_is_nan, positive_zero})});
  }

 private:
  stablehlo::Value compare(std::string direction, stablehlo::Value a, stablehlo::Value b,
                           std::string order) const {
    return emitter_.emit("stablehlo.compare", {a, b}, Type(DType::boolean, {}),
                         {{"comparison_direction",
                           stablehlo::enumeration("comparison_direction", std::move(direction))},
                          {"compare_type", stablehlo::enumeration("comparison_type", std::move(order))}});
  }
  stablehlo::Value bits(std::string_view op, const Lowered& operands) const {
    return emitter_.emit(op, operands, Type(DType::boolean, {}));
  }
  /// The bits as a signed integer: only those of equal numbers are compared, so only those of zeros differ.
  stablehlo::Value integer(stablehlo::Value x) const {
    return emitter_.emit("stablehlo.bitcast_convert", {x}, Type(integer_as_wide_as(dtype_), {}));
  }

  Emitter& emitter_;
  DType dtype_;
};

}  // namespace

// Everything is sorted, stably, with the indices carried along; the first k are kept.
Lowered TopK::lower(Emitter& emitter, const Lowered& operands) const {
  const Type x = emitter.operand_types()[0], index = x.with(DType::i32);
  const Types scalars{x.with(Shape{}), x.with(Shape{}), index.with(Shape{}), index.with(Shape{})};
  stablehlo::Value counted =
      emitter.emit("stablehlo.iota", {}, index, {{"iota_dimension", stablehlo::integer(dim.index)}});
  const ComesFirst first(emitter, x.dtype());
  auto body = [&](const Lowered& pair) -> Lowered { return {first(pair[0], pair[1])}; };
  const Lowered sorted =
      emitter.emit_with_regions("stablehlo.sort", {operands[0], counted}, {x, index}, {{scalars, body}},
                                {{"dimension", stablehlo::integer(dim.index)}, {"is_stable", {true}}});
  Lowered results;
  const Shape& kept = emitter.result_types()[0].shape();
  auto ones = std::vector<std::int64_t>(static_cast<std::size_t>(kept.rank()), 1);
  auto zeros = std::vector<std::int64_t>(static_cast<std::size_t>(kept.rank()), 0);
  for (std::size_t i = 0; i < 2; ++i)
    results.push_back(emitter.emit("stablehlo.slice", {sorted[i]}, emitter.result_types()[i],
                                   {{"start_indices", stablehlo::integers(zeros)},
                                    {"limit_indices", stablehlo::integers(kept.sizes())},
                                    {"strides", stablehlo::integers(ones)}}));
  return results;
}

// Elements far apart: at equal ones the choice, and so the derivative, jumps.
std::vector<Example> TopK::examples() {
  const Axes& axes = example_mesh().axes();
  auto apart = [](Type type) { return ExampleOperand(type, is_unsigned(type.dtype()) ? 0 : -100, 100); };
  Type row(DType::f64, {7}), matrix(DType::f32, {3, 5});
  std::vector<Example> examples{
      {TopK{3, Dim{0}}, {apart(row)}},
      {TopK{1, Dim{1}}, {apart(matrix.with(axes[0], varying))}},
      {TopK{2, Dim{0}}, {apart(matrix.with(axes[1], reduced))}},
      {TopK{3, Dim{1}}, {apart(Type(DType::f64, {2, 4, 3}))}},
      {TopK{9, Dim{0}}, {Type(DType::i32, {9}).with(axes[2], varying)}},  // with ties
      {TopK{2, Dim{0}}, {Type(DType::boolean, {5})}},
      {TopK{0, Dim{1}}, {apart(matrix)}},
      {TopK{0, Dim{1}}, {apart(Type(DType::f32, {2, 0}))}},
      {TopK{1, Dim{0}}, {apart(Type(DType::f32, {1, 3}))}},
  };
  for (DType dtype : more_dtypes())
    if (!is_complex(dtype)) examples.push_back({TopK{2, Dim{1}}, {apart(Type(dtype, {3, 5}))}});
  return examples;
}

TopKResult top_k(const Operand& x, std::int64_t k, int dim) {
  return front_end(TopK::name, x.where(), [&] {
    Array array = as_array(x);
    Arrays results = tutti::apply(TopK{k, as_dim(dim, array.type())}, {array});
    return TopKResult{results[0], results[1]};
  });
}

}  // namespace tutti
