// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/windows/selected.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

#include "tutti/base/never_destroyed.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/indexing.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/tensor/loops/reductions.hpp"

namespace tutti {
namespace {

const NeverDestroyed<AreIndices> known_indices({false, true});
const AreIndices& are_indices = *known_indices;

Parameters parameters_of_selection(Extreme extreme, const WindowsAlong& windows) {
  Parameters all = parameters_of(windows);
  all.insert(all.begin(), {"extreme", extreme == Extreme::largest ? "largest" : "smallest"});
  return all;
}

void require_choosable(Type source, Type chooser) {
  require_same_dtype(source, chooser);
  require_order(chooser);
  require(chooser.dtype() != DType::boolean, Code::dtype,
          "{} is bool, which has no sum; convert it first: {}", chooser, conversion_to(DType::i32));
  for (const auto& [axis, state] : chooser.states())
    require(state != State::unreduced, Code::state,
            "the chooser is {} ({}); one cannot choose by its terms. Reduce first: psum(chooser, \"{}\")",
            in_words(chooser, axis), chooser, axis.name);
}

// Linear in the source alone.
Jvp jvp_by_source(const Op& op, const Arrays& operands, const Tangents& tangents) {
  if (!tangents[0]) return constant_jvp(op, operands);
  return {{apply_one(op, operands)}, {apply_one(op, {*tangents[0], operands[1]})}};
}

double nanoseconds(const WindowsAlong& windows, std::int64_t number, double per_element) {
  double read = static_cast<double>(number);
  for (const WindowAlong& window : windows) read *= static_cast<double>(window.size);
  return 20 + per_element * read;
}

stablehlo::Value emit_extreme(Emitter& emitter, Extreme extreme, DType dtype) {
  Tensor worst(Shape{}, dtype);
  write_neutral_element(extreme == Extreme::largest ? ReduceKind::max : ReduceKind::min, dtype,
                        worst.mutable_bytes());
  return emitter.constant(worst);
}

stablehlo::Value emit_keeps(Emitter& emitter, Extreme extreme, DType dtype, stablehlo::Value a,
                            stablehlo::Value b) {
  const std::string direction = extreme == Extreme::largest ? "GE" : "LE";
  return emitter.emit("stablehlo.compare", {a, b}, Type(DType::boolean, {}),
                      {{"comparison_direction", stablehlo::enumeration("comparison_direction", direction)},
                       {"compare_type", stablehlo::enumeration("comparison_type", order_of(dtype))}});
}

BatchedArrays batched_selection(const Op& op, const Axis& axis, const BatchedArrays& operands, bool batched) {
  if (!batched) return {{apply_one(op, {operands[0].array, operands[1].array}), false}};
  return {{apply_one(op, {materialised(operands[0], axis), materialised(operands[1], axis)}), true}};
}

bool any_batched(const BatchedArrays& operands) { return operands[0].batched || operands[1].batched; }

}  // namespace

Parameters SelectAndGather::parameters() const { return parameters_of_selection(extreme, windows); }

Types SelectAndGather::infer(const Types& operands) const {
  const Type &source = operands[0], &chooser = operands[1];
  require_choosable(source, chooser);
  require_same_elements(source, chooser);
  require_windows(windows, chooser, "reduce_window_c");
  return {source.with(shape_of_windows(windows, chooser.shape())).with(agreed_states(operands, mixing()))};
}

Kernel SelectAndGather::kernel(const Layout& layout) const {
  const Type x = layout.operands()[1];
  const MovingWindows moving(x.shape().sizes(), windows);
  return kernel::Opaque{.nanoseconds = nanoseconds(windows, layout.results()[0].elements(), 0.8),
                        .run =
                            [moving, dtype = x.dtype(), extreme = extreme](const kernel::Unit& unit) {
                              select_and_gather(unit.results[0], unit.operands[0], unit.operands[1], moving,
                                                dtype, extreme, unit.lines.begin, unit.lines.end);
                            },
                        .shared = {moving.lines()}};
}

Jvp SelectAndGather::jvp(const Arrays& operands, const Tangents& tangents) const {
  return jvp_by_source(*this, operands, tangents);
}

Tangents SelectAndGather::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  require_known_indices(operands, are_indices);
  return {apply_one(SelectAndScatter{extreme, windows}, {*cotangents[0], *operands[1].known}), {}};
}

BatchedArrays SelectAndGather::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  const bool batched = any_batched(operands);
  return batched_selection(SelectAndGather{extreme, batched ? with_batch_dim(windows) : windows}, axis,
                           operands, batched);
}

// A reduction of the pairs (chooser, source). All start from the worst value, which keeps its 0 where no
// element of the window is better.
Lowered SelectAndGather::lower(Emitter& emitter, const Lowered& operands) const {
  const Type result = emitter.result_types()[0], scalar = result.with(Shape{});
  const auto pick = [&](const Lowered& pairs) -> Lowered {
    const stablehlo::Value keeps = emit_keeps(emitter, extreme, scalar.dtype(), pairs[0], pairs[2]);
    return {emitter.emit("stablehlo.select", {keeps, pairs[0], pairs[2]}, scalar),
            emitter.emit("stablehlo.select", {keeps, pairs[1], pairs[3]}, scalar)};
  };
  const Lowered found =
      emitter.emit_with_regions("stablehlo.reduce_window",
                                {operands[1], operands[0], emit_extreme(emitter, extreme, scalar.dtype()),
                                 emitter.constant(Tensor(Shape{}, scalar.dtype()))},
                                {result, result}, {{{scalar, scalar, scalar, scalar}, pick}},
                                window_attributes(windows));
  return {found[1]};
}

Parameters SelectAndScatter::parameters() const { return parameters_of_selection(extreme, windows); }

Types SelectAndScatter::infer(const Types& operands) const {
  const Type &source = operands[0], &chooser = operands[1];
  require_choosable(source, chooser);
  require_windows(windows, chooser, "select_and_scatter_c");
  const Shape expected = shape_of_windows(windows, chooser.shape());
  require(source.shape() == expected, Code::shape,
          "the source is {}, the chooser {} has {} windows; give an element for each (select_and_scatter_c2)",
          source, chooser, to_string(expected));
  return {source.with(chooser.shape()).with(agreed_states(operands, mixing()))};
}

Kernel SelectAndScatter::kernel(const Layout& layout) const {
  const Type x = layout.operands()[1];
  const MovingWindows moving(x.shape().sizes(), windows);
  return kernel::Opaque{.nanoseconds = nanoseconds(windows, layout.operands()[0].elements(), 0.8) +
                                       0.1 * static_cast<double>(x.bytes()),
                        .scratch_bytes = scratch_of_scatter(moving, x.dtype()),
                        .run =
                            [moving, dtype = x.dtype(), extreme = extreme](const kernel::Unit& unit) {
                              select_and_scatter(unit.results[0], unit.operands[0], unit.operands[1], moving,
                                                 dtype, extreme, unit.lines.begin, unit.lines.end,
                                                 unit.scratch);
                            },
                        .shared = {moving.blocks()}};
}

Jvp SelectAndScatter::jvp(const Arrays& operands, const Tangents& tangents) const {
  return jvp_by_source(*this, operands, tangents);
}

Tangents SelectAndScatter::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  require_known_indices(operands, are_indices);
  return {apply_one(SelectAndGather{extreme, windows}, {*cotangents[0], *operands[1].known}), {}};
}

std::string_view SelectAndScatter::refusal(Rule rule) const {
  const bool is_dilated =
      std::ranges::any_of(windows, [](const WindowAlong& window) { return window.window_dilation != 1; });
  return rule == Rule::lower && is_dilated
             ? "StableHLO's select_and_scatter has no dilated windows; take elements by slices first"
             : "";
}

BatchedArrays SelectAndScatter::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  const bool batched = any_batched(operands);
  return batched_selection(SelectAndScatter{extreme, batched ? with_batch_dim(windows) : windows}, axis,
                           operands, batched);
}

namespace {

stablehlo::Value emit_padded(Emitter& emitter, stablehlo::Value x, stablehlo::Value value, Type result,
                             const std::vector<std::int64_t>& low, const std::vector<std::int64_t>& high,
                             const std::vector<std::int64_t>& interior) {
  return emitter.emit("stablehlo.pad", {x, value}, result,
                      {{"edge_padding_low", stablehlo::integers(low)},
                       {"edge_padding_high", stablehlo::integers(high)},
                       {"interior_padding", stablehlo::integers(interior)}});
}

}  // namespace

// XLA's CPU fails at the padding of select_and_scatter, so the chooser is padded first, and the result cut.
// f16 and bf16 in f32, rounded once.
Lowered SelectAndScatter::lower(Emitter& emitter, const Lowered& operands) const {
  const Type result = emitter.result_types()[0];
  const Type wide = is_half(result.dtype()) ? result.with(DType::f32) : result, scalar = wide.with(Shape{});
  const Type source = emitter.operand_types()[0].with(wide.dtype());
  stablehlo::Value values = operands[0], chooser = operands[1];
  if (wide.dtype() != result.dtype()) {
    values = emitter.emit("stablehlo.convert", {values}, source);
    chooser = emitter.emit("stablehlo.convert", {chooser}, wide);
  }
  std::vector<std::int64_t> low, high, interior, back_low, back_high, none, places, sizes, strides, one,
      dilated;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const WindowAlong& window = windows[i];
    const std::int64_t elements = result.shape().sizes()[i];
    low.push_back(window.low);
    high.push_back(window.high);
    interior.push_back(window.base_dilation - 1);
    back_low.push_back(-window.low);
    back_high.push_back(-window.high);
    none.push_back(0);
    places.push_back(window.places(elements));
    dilated.push_back(window.places(elements) - window.low - window.high);
    sizes.push_back(window.size);
    strides.push_back(window.stride);
    one.push_back(window.base_dilation);
  }
  const bool is_padded = low != none || high != none || interior != none;
  const Type padded = wide.with(Shape(places));
  if (is_padded)
    chooser = emit_padded(emitter, chooser, emit_extreme(emitter, extreme, wide.dtype()), padded, low, high,
                          interior);
  const stablehlo::Value zero = emitter.constant(Tensor(Shape{}, wide.dtype()));
  const auto keeps = [&](const Lowered& x) -> Lowered {
    return {emit_keeps(emitter, extreme, wide.dtype(), x[0], x[1])};
  };
  const auto sum = [&](const Lowered& x) -> Lowered { return {emitter.emit("stablehlo.add", x, scalar)}; };
  stablehlo::Value found =
      emitter.emit_with_regions("stablehlo.select_and_scatter", {chooser, values, zero}, {padded},
                                {{{scalar, scalar}, keeps}, {{scalar, scalar}, sum}},
                                {{"window_dimensions", stablehlo::integers(sizes)},
                                 {"window_strides", stablehlo::integers(strides)},
                                 {"padding",
                                  stablehlo::dense_i64({std::ssize(windows), 2},
                                                       std::vector<std::int64_t>(2 * windows.size()))}})[0];
  if (low != none || high != none)
    found = emit_padded(emitter, found, zero, wide.with(Shape(dilated)), back_low, back_high, none);
  if (interior != none)
    found = emitter.emit("stablehlo.slice", {found}, wide,
                         {{"start_indices", stablehlo::integers(none)},
                          {"limit_indices", stablehlo::integers(dilated)},
                          {"strides", stablehlo::integers(one)}});
  return {wide.dtype() == result.dtype() ? found : emitter.emit("stablehlo.convert", {found}, result)};
}

namespace {

// Calls add(windows, array): in several states and dtypes.
template <class Add>
void for_each_example(const Add& add) {
  const Axes& axes = example_mesh().axes();
  const Type row(DType::f64, {7}), image(DType::f64, {4, 5, 2});
  const WindowsAlong pool{{2, 2}, {.size = 3, .low = 1, .high = 1}, {}}, both{{2, 1}, {2, 2}};
  add({{2, 2}}, row);
  add({{3, 1}}, row.with(axes[0], varying));
  add({{.size = 3, .stride = 2, .low = -1, .high = 2}}, row.with(axes[1], reduced));
  add({{.size = 3, .low = 1, .high = 1, .base_dilation = 2}}, row);
  add(pool, image.with(axes[0], varying).with(axes[2], reduced));
  add({{}, {2, 2}, {2, 2}, {}}, Type(DType::f32, {1, 2, 4, 8}));
  add({{1}}, Type(DType::f64, {1}));
  add({{3}}, Type(DType::f32, {2}));
  add({{.size = 2, .low = 2}}, Type(DType::f32, {0}));
  add(both, Type(DType::i32, {3, 5}).with(axes[0], varying));
  for (const DType dtype : more_dtypes())
    if (!is_complex(dtype)) add(both, Type(dtype, {3, 5}));
}

// Elements far apart: at equal ones the choice jumps.
ExampleOperand apart(Type x) { return {x, is_unsigned(x.dtype()) ? 0.0 : -100.0, 100.0}; }

}  // namespace

std::vector<Example> SelectAndGather::examples() {
  std::vector<Example> examples;
  for_each_example([&](const WindowsAlong& windows, const Type& x) {
    examples.push_back({SelectAndGather{Extreme::largest, windows}, {x, apart(x)}});
  });
  const Type row = Type(DType::f64, {7}).with(example_mesh().axes()[0], unreduced);
  const WindowsAlong dilated{{.size = 2, .stride = 3, .low = 1, .high = 4, .window_dilation = 3}};
  examples.push_back({SelectAndGather{Extreme::smallest, dilated},
                      {row, apart(row.with(example_mesh().axes()[0], reduced))}});
  return examples;
}

std::vector<Example> SelectAndScatter::examples() {
  std::vector<Example> examples;
  const auto add = [&](Extreme extreme, const WindowsAlong& windows, const Type& source, const Type& x) {
    examples.push_back(
        {SelectAndScatter{extreme, windows}, {source.with(shape_of_windows(windows, x.shape())), apart(x)}});
  };
  for_each_example([&](const WindowsAlong& windows, const Type& x) { add(Extreme::largest, windows, x, x); });
  const Axis a = example_mesh().axes()[0];
  const Type row(DType::f64, {7});
  add(Extreme::smallest, {{2, 2}}, row.with(a, unreduced), row.with(a, reduced));
  add(Extreme::smallest, {{.size = 2, .stride = 3, .low = 1, .high = 4, .window_dilation = 3}}, row, row);
  return examples;
}

Array ops::select_and_scatter_add(const Array& source, const Array& chooser, Extreme extreme,
                                  const WindowsAlong& windows) {
  return apply_one(SelectAndScatter{extreme, windows}, {source, chooser});
}

}  // namespace tutti
