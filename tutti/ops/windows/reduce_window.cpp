// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/windows/reduce_window.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/windows/selected.hpp"

namespace tutti {

std::string_view ReduceWindow::name() const {
  if (kind == ReduceKind::sum) return "reduce_window_sum";
  return kind == ReduceKind::max ? "reduce_window_max" : "reduce_window_min";
}

About ReduceWindow::about() const {
  if (kind == ReduceKind::sum)
    return {"The sum of each window that moves over an array.", "reduce_window_sum, avg_pool"};
  if (kind == ReduceKind::max)
    return {"The largest element of each window; of bool: any.", "reduce_window_max, max_pool"};
  return {"The smallest element of each window; of bool: all.", "reduce_window_min, min_pool"};
}

Parameters ReduceWindow::parameters() const { return parameters_of(windows); }

Types ReduceWindow::infer(const Types& operands) const {
  ensure(kind == ReduceKind::sum || kind == ReduceKind::max || kind == ReduceKind::min,
         "windows are folded by sum, max or min");
  const Type& x = operands[0];
  require_windows(windows, x, "reduce_window_c");
  if (kind != ReduceKind::sum) require_order(x);
  require(kind != ReduceKind::sum || x.dtype() != DType::boolean, Code::dtype,
          "{} is bool, which has no sum; to count, convert it first: {}; for \"any\", reduce_window_max", x,
          conversion_to(DType::i32));
  return {Type(x.dtype(), shape_of_windows(windows, x.shape()), agreed_states(operands, mixing()))};
}

Kernel ReduceWindow::kernel(const Layout& layout) const {
  const Type x = layout.operands()[0], result = layout.results()[0];
  const MovingWindows moving(x.shape().sizes(), windows);
  double read = static_cast<double>(result.elements());
  for (const WindowAlong& window : windows) read *= static_cast<double>(window.size);
  const bool by_rows = moving.inner() >= 8;  // max_pool 2x2 of [8,32,32,64] takes 46 us
  const std::int64_t positions = result.elements() / std::max<std::int64_t>(moving.inner(), 1);
  return kernel::Opaque{.nanoseconds = 20 + (by_rows ? 0.06 : 2) * read + 10 * static_cast<double>(positions),
                        .run =
                            [moving, dtype = x.dtype(), kind = kind](const kernel::Unit& unit) {
                              reduce_windows(unit.results[0], unit.operands[0], moving, dtype, kind,
                                             unit.lines.begin, unit.lines.end);
                            },
                        .shared = {moving.lines()}};
}

Jvp ReduceWindow::jvp(const Arrays& operands, const Tangents& tangents) const {
  if (kind == ReduceKind::sum) return linear_jvp(*this, operands, tangents);
  if (!tangents[0]) return constant_jvp(*this, operands);
  const Extreme extreme = kind == ReduceKind::max ? Extreme::largest : Extreme::smallest;
  return {{apply_one(*this, operands)},
          {apply_one(SelectAndGather{extreme, windows}, {*tangents[0], operands[0]})}};
}

// The cotangents, spread apart by the stride, are summed by windows that move by the base dilation.
Tangents ReduceWindow::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  const std::vector<std::int64_t>& sizes = operands[0].type.shape().sizes();
  WindowsAlong back;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const WindowAlong& window = windows[i];
    WindowAlong turned{.size = window.size,
                       .stride = window.base_dilation,
                       .low = window.extent() - window.low - 1,
                       .base_dilation = window.stride,
                       .window_dilation = window.window_dilation};
    const std::int64_t places = window.places(sizes[i]) - window.low - window.high + window.extent() - 1;
    turned.high = places - turned.places(window.windows(sizes[i]));
    back.push_back(turned);
  }
  return {apply_one(ReduceWindow{kind, back}, {*cotangents[0]})};
}

std::string_view ReduceWindow::refusal(Rule rule) const {
  return rule == Rule::transpose && kind != ReduceKind::sum ? "a maximum or minimum is not linear" : "";
}

BatchedArrays ReduceWindow::batch(const Axis&, const BatchedArrays& operands, const Types&) const {
  const auto& [x, batched] = operands[0];
  return {{apply_one(ReduceWindow{kind, batched ? with_batch_dim(windows) : windows}, {x}), batched}};
}

Lowered ReduceWindow::lower(Emitter& emitter, const Lowered& operands) const {
  return {emitter.emit_with_reducer("stablehlo.reduce_window", kind, operands, emitter.result_types()[0],
                                    window_attributes(windows))};
}

std::vector<Example> ReduceWindow::examples() {
  const Axes& axes = example_mesh().axes();
  const Type row(DType::f64, {7}), image(DType::f64, {4, 5, 2}), pixels(DType::f32, {1, 2, 4, 8});
  const WindowsAlong pairs{{2, 2}},
      dilated{{.size = 2, .stride = 3, .low = 1, .high = 4, .base_dilation = 2, .window_dilation = 3}},
      cut{{.size = 3, .stride = 2, .low = -1, .high = 2}}, pool{{2, 2}, {.size = 3, .low = 1, .high = 1}, {}},
      of_pixels{{}, {2, 2}, {2, 2}, {}}, both{{2, 1}, {2, 2}};
  std::vector<Example> examples;
  for (const ReduceKind kind : {ReduceKind::sum, ReduceKind::max, ReduceKind::min}) {
    const auto add = [&](const WindowsAlong& windows, const Type& x) {
      // Elements far apart: at equal ones the choice, and so the derivative, jumps.
      const double far = kind == ReduceKind::sum ? 2 : 100;
      examples.push_back({ReduceWindow{kind, windows}, {{x, is_unsigned(x.dtype()) ? 0 : -far, far}}});
    };
    add(pairs, row);
    add(dilated, row.with(axes[0], varying));
    add(cut, row.with(axes[1], reduced));
    add(pool, image.with(axes[0], varying));
    add(of_pixels, pixels.with(axes[2], varying));
    add({{7}}, row);
    add({{1}}, Type(DType::f64, {1}));
    add({{3}}, Type(DType::f32, {2}));                              // no window fits
    add({{.size = 2, .low = 2}}, Type(DType::f32, {0}));            // a window of no elements
    add({{.size = 1, .base_dilation = 3}}, Type(DType::f32, {3}));  // and two of them
    add(both, Type(DType::i32, {3, 5}).with(axes[0], varying));
    if (kind != ReduceKind::sum) add(both, Type(DType::boolean, {3, 5}));
    for (const DType dtype : more_dtypes())
      if (kind == ReduceKind::sum || !is_complex(dtype)) add(both, Type(dtype, {3, 5}));
  }
  examples.push_back(
      {ReduceWindow{ReduceKind::sum, pool}, {image.with(axes[0], unreduced).with(axes[1], reduced)}});
  return examples;
}

namespace {

Array windows_reduced(ReduceKind kind, const Operand& x, const std::vector<std::int64_t>& window,
                      const ReduceWindowOptions& options) {
  return front_end(ReduceWindow{kind, {}}.name(), x.where(), [&] {
    const Array array = as_array(x);
    return apply_one(ReduceWindow{kind, windows_along(array.type(), window, options)}, {array});
  });
}

}  // namespace

Array reduce_window_sum(const Operand& x, const std::vector<std::int64_t>& window,
                        const ReduceWindowOptions& options) {
  return windows_reduced(ReduceKind::sum, x, window, options);
}
Array reduce_window_max(const Operand& x, const std::vector<std::int64_t>& window,
                        const ReduceWindowOptions& options) {
  return windows_reduced(ReduceKind::max, x, window, options);
}
Array reduce_window_min(const Operand& x, const std::vector<std::int64_t>& window,
                        const ReduceWindowOptions& options) {
  return windows_reduced(ReduceKind::min, x, window, options);
}

}  // namespace tutti
