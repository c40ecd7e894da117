// SPDX-License-Identifier: Apache-2.0
// Reductions, running sums, sorting.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/arg_reduce.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/cumulative.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/reverse.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/sort.hpp"
#include "tutti/ops/top_k.hpp"
#include "tutti/ops/windows/reduce_window.hpp"
#include "tutti/ops/windows/selected.hpp"
#include "tutti/read/operation_rows.hpp"
#include "tutti/read/patterns/ordering.hpp"
#include "tutti/read/patterns/scalar_region.hpp"
#include "tutti/tensor/loops/reductions.hpp"
#include "tutti/tensor/tensor.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {
namespace {

OuterNumbers outer_numbers(const OpReader& op) {
  return [&op](stablehlo::Value value) { return op.reading().value(value).number; };
}

Array reduced(const Array& x, const std::vector<int>& dims, ReduceKind kind) {
  switch (kind) {
    case ReduceKind::sum: return reduce_sum(x, dims);
    case ReduceKind::prod: return reduce_prod(x, dims);
    case ReduceKind::max: return reduce_max(x, dims);
    case ReduceKind::min: return reduce_min(x, dims);
    case ReduceKind::logical_and: return reduce_and(x, dims);
    case ReduceKind::logical_or: return reduce_or(x, dims);
  }
  return x;
}

Array combined(const Array& x, const Array& y, ReduceKind kind) {
  switch (kind) {
    case ReduceKind::sum: return Operand(x) + y;
    case ReduceKind::prod: return Operand(x) * y;
    case ReduceKind::max: return maximum(x, y);
    case ReduceKind::min: return minimum(x, y);
    case ReduceKind::logical_and: return logical_and(x, y);
    case ReduceKind::logical_or: return logical_or(x, y);
  }
  return x;
}

bool is_of_bits(ReduceKind kind) { return kind == ReduceKind::logical_and || kind == ReduceKind::logical_or; }

/// True if combining with this value changes nothing.
bool is_neutral(const ReadValue& value, DType dtype, ReduceKind kind) {
  if (is_complex(dtype)) return value.number == (kind == ReduceKind::sum ? 0 : 1);
  Tensor neutral(Shape{}, dtype);
  write_neutral_element(kind, dtype, neutral.mutable_bytes());
  if (value.number) return *value.number == neutral.at(0);
  const auto* constant =  // whose number is no double: the largest of 64 bits
      value.made_by ? find_as<stablehlo::Dense>(value.made_by->attributes, "value") : nullptr;
  return constant && constant->data.size() == neutral.bytes() &&
         std::memcmp(constant->data.data(), neutral.data(), neutral.bytes()) == 0;
}

/// The results of reduce with one kind of reduction, with its init.
Array with_init(const OpReader& op, const Array& result, ReduceKind kind) {
  if (is_neutral(op.known(1), result.dtype(), kind)) return result;
  return combined(broadcast_in_dim(op.operand(1), result.shape(), {}), result, kind);
}

/// True for an iota along a dim.
bool counts_along(const ReadValue& value, std::int64_t dim) {
  const stablehlo::Attribute* along =
      value.made_by ? find(value.made_by->attributes, "iota_dimension") : nullptr;
  const auto* number = along ? std::get_if<stablehlo::Integer>(&along->value) : nullptr;
  return number && number->value == dim;
}

/// argmax and argmin: (values, iota along the dim) with inits that any element replaces.
Arrays arg_reduced(const OpReader& op) {
  const auto kind = arg_reducer_of(op.op().regions[0], outer_numbers(op));
  const std::vector<int> dims = op.dims("dimensions");
  const bool counts = dims.size() == 1 && counts_along(op.known(1), dims[0]);
  require(kind && counts && is_neutral(op.known(2), op.operand(0).dtype(), *kind) &&
              op.known(3).number == 0.0,
          Code::unsupported,
          "this reduction of two arrays is neither argmax nor argmin; write it with other operations");
  const Array& x = op.operand(0);
  const bool is_max = *kind == ReduceKind::max;
  const DType index = op.dtype(1), found = index == DType::i64 ? index : DType::i32;
  const Array place = is_max ? argmax(x, dims[0], found) : argmin(x, dims[0], found);
  return {is_max ? reduce_max(x, dims) : reduce_min(x, dims), index == found ? place : convert(place, index)};
}

Arrays reduce_read(const OpReader& op) {
  const stablehlo::Block& region = op.op().regions.at(0);
  if (op.operands().size() == 4) return arg_reduced(op);
  const auto kind = reducer_of(region);
  require(kind.has_value() && op.operands().size() == 2, Code::unsupported,
          "the reducer is none of add, multiply, maximum, minimum, and, or");
  return {with_init(op, reduced(op.operand(0), op.dims("dimensions"), *kind), *kind)};
}

std::optional<Refusal> refusal_of_reduce(const SourceModule&, const stablehlo::Operation& op) {
  if (op.regions.size() != 1) return Refusal{"a reduction without a reducer", "write one"};
  if (op.operands.size() == 4) return {};  // looked at when it is read
  if (op.operands.size() == 2 && reducer_of(op.regions[0])) return {};
  return Refusal{"a reducer that is none of add, multiply, maximum, minimum, and, or", "use one of them"};
}

/// A window that ends, or begins, at each element, and has all those before it, or behind it. Without a dim
/// it has the element alone.
struct RunningWindow {
  std::optional<int> dim = {};
  Order order = Order::forward;
};
std::optional<RunningWindow> running_window(const std::vector<std::int64_t>& shape,
                                            const std::vector<std::int64_t>& sizes,
                                            const std::vector<std::int64_t>& padding) {
  RunningWindow found;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::int64_t low = padding[2 * d], high = padding[2 * d + 1];
    if (sizes[d] == 1 && low == 0 && high == 0) continue;
    const bool is_running =
        sizes[d] == shape[d] && ((low == sizes[d] - 1 && high == 0) || (high == sizes[d] - 1 && low == 0));
    if (found.dim || !is_running) return std::nullopt;
    found = {static_cast<int>(d), low > 0 ? Order::forward : Order::backward};
  }
  return found;
}

bool all_are(const stablehlo::Operation& op, std::string_view name, std::int64_t value) {
  const stablehlo::Attribute* attribute = find(op.attributes, name);
  if (!attribute) return true;
  const auto values = integers_of(*attribute);
  return values && std::ranges::all_of(*values, [&](std::int64_t each) { return each == value; });
}

std::optional<RunningWindow> running_window_of(const stablehlo::Operation& op) {
  const auto* type =
      op.operand_types.empty() ? nullptr : std::get_if<stablehlo::TensorType>(&op.operand_types[0]);
  const stablehlo::Attribute* sizes = find(op.attributes, "window_dimensions");
  const stablehlo::Attribute* padding = find(op.attributes, "padding");
  if (!type || !sizes) return std::nullopt;
  const auto window = integers_of(*sizes);
  const auto pads = padding ? integers_of(*padding) : std::vector<std::int64_t>(2 * type->shape.size(), 0);
  if (!window || !pads || window->size() != type->shape.size() || pads->size() != 2 * type->shape.size())
    return std::nullopt;
  for (const char* name : {"window_strides", "base_dilations", "window_dilations"})
    if (!all_are(op, name, 1)) return std::nullopt;
  return running_window(type->shape, *window, *pads);
}

constexpr std::string_view reducers_of_windows =
    "windows are folded by add, maximum and minimum, of bool by and, or; running windows by multiply, too";

/// The windows of an operation; attributes that it lacks are ones, or no padding.
WindowsAlong windows_read(const OpReader& op) {
  const auto rank = static_cast<std::size_t>(op.operand(0).rank());
  const auto sizes = op.integers("window_dimensions", 1, {rank}),
             strides = op.integers("window_strides", 1, {rank}),
             base = op.integers("base_dilations", 1, {rank}),
             dilation = op.integers("window_dilations", 1, {rank}),
             padding = op.integers("padding", 0, {rank, 2});
  WindowsAlong windows;
  for (std::size_t i = 0; i < rank; ++i)
    windows.push_back({sizes[i], strides[i], padding[2 * i], padding[2 * i + 1], base[i], dilation[i]});
  return windows;
}

Array pooled(const OpReader& op, ReduceKind kind) {
  const Array& x = op.operand(0);
  require(kind != ReduceKind::prod && (!is_of_bits(kind) || x.dtype() == DType::boolean), Code::unsupported,
          "{}", reducers_of_windows);
  const ReduceKind folded = kind == ReduceKind::logical_or    ? ReduceKind::max
                            : kind == ReduceKind::logical_and ? ReduceKind::min
                                                              : kind;
  return with_init(op, apply_one(ReduceWindow{folded, windows_read(op)}, {x}), folded);
}

/// The derivative of max or min windows. Its reducer keeps the better of two pairs (chooser, source).
Arrays gathered_by_windows(const OpReader& op) {
  const auto extreme = kept_pair_of(op.op().regions.at(0));
  const DType dtype = op.operand(0).dtype();
  const bool is_known =
      extreme && op.operand(1).dtype() == dtype && op.known(3).number == 0.0 &&
      is_neutral(op.known(2), dtype, *extreme == Extreme::largest ? ReduceKind::max : ReduceKind::min);
  require(is_known, Code::unsupported, "{}", reducers_of_windows);
  const Op gather = SelectAndGather{*extreme, windows_read(op)};
  const Array &x = op.operand(0), kept = apply_one(gather, {x, x});
  const Array has_elements = apply_one(gather, {ones_like(x), x}) > 0;
  return {select(has_elements, kept, op.operand(2)), apply_one(gather, {op.operand(1), op.operand(0)})};
}

Arrays select_and_scatter_read(const OpReader& op) {
  const auto extreme = kept_of(op.op().regions.at(0));
  const auto sum = reducer_of(op.op().regions.at(1));
  require(extreme && sum == ReduceKind::sum, Code::unsupported,
          "select_and_scatter is run with GE or LE for its selection, and add");
  const Array found = select_and_scatter_add(op.operand(1), op.operand(0), *extreme, windows_read(op));
  if (op.known(2).number == 0.0) return {found};
  return {found + broadcast_in_dim(op.operand(2), found.shape(), {})};
}

std::optional<Refusal> refusal_of_selection(const SourceModule&, const stablehlo::Operation& op) {
  if (op.regions.size() == 2 && kept_of(op.regions[0]) && reducer_of(op.regions[1]) == ReduceKind::sum)
    return {};
  return Refusal{"a selection that is neither GE nor LE, or a scatter that does not add", "use these"};
}

Arrays reduce_window_read(const OpReader& op) {
  const auto window = running_window_of(op.op());
  const stablehlo::Block& region = op.op().regions.at(0);
  if (window && is_logaddexp(region) && op.known(1).number == -HUGE_VAL)
    return {window->dim ? cumlogsumexp(op.operand(0), *window->dim, window->order) : op.operand(0)};
  if (op.operands().size() == 4) return gathered_by_windows(op);
  const auto kind = reducer_of(region);
  require(kind.has_value(), Code::unsupported, "{}", reducers_of_windows);
  const Array& x = op.operand(0);
  if (!window || !is_neutral(op.known(1), x.dtype(), *kind)) return {pooled(op, *kind)};
  if (!window->dim) return {x};
  switch (*kind) {
    case ReduceKind::sum: return {cumsum(x, *window->dim, window->order)};
    case ReduceKind::prod: return {cumprod(x, *window->dim, window->order)};
    case ReduceKind::max: return {cummax(x, *window->dim, window->order)};
    case ReduceKind::min: return {cummin(x, *window->dim, window->order)};
    default: return {pooled(op, *kind)};
  }
}

std::optional<Refusal> refusal_of_window(const SourceModule&, const stablehlo::Operation& op) {
  if (op.regions.size() != 1) return Refusal{"a window without a reducer", "write one"};
  const stablehlo::Block& region = op.regions[0];
  if (op.operands.size() == 4 && kept_pair_of(region)) return {};
  const auto kind = op.operands.size() == 2 ? reducer_of(region) : std::nullopt;
  if (kind && (*kind != ReduceKind::prod || running_window_of(op))) return {};
  if (op.operands.size() == 2 && is_logaddexp(region) && running_window_of(op)) return {};
  return Refusal{"a window that is folded by other than add, maximum or minimum",
                 "write it with slices and other operations"};
}

/// The largest first, with their places: top_k has this order.
Arrays totally_sorted(const OpReader& op, int dim) {
  const bool has_places =
      op.operands().size() == 2 && counts_along(op.known(1), dim) && op.operand(1).dtype() == DType::i32;
  require(has_places, Code::unsupported,
          "a sort of floats by their total order is run only as top_k: of values with their places");
  const TopKResult found = top_k(op.operand(0), op.operand(0).shape()[dim], dim);
  return {found.values, found.indices};
}

/// Sorting backwards between two reversals keeps the order of equal elements.
Arrays sort_read(const OpReader& op) {
  const auto order = sort_order_of(op.op().regions.at(0), outer_numbers(op));
  require(
      order.has_value(), Code::unsupported,
      "the comparator orders neither up nor down by its first operands; sort by keys that are made before");
  const int stated = dim_of(op.integer("dimension", -1));
  const int dim = stated < 0 ? op.operand(0).rank() + stated : stated;
  if (order->is_total) return totally_sorted(op, dim);
  const SortOptions options{order->keys};
  if (!order->is_descending) return sort(op.operands(), dim, options);
  const std::vector<int> along{dim};
  Arrays turned;
  for (const Array& x : op.operands()) turned.push_back(rev(x, along));
  Arrays results;
  for (const Array& x : sort(turned, dim, options)) results.push_back(rev(x, along));
  return results;
}

Arrays top_k_read(const OpReader& op) {
  const auto found = top_k(op.operand(0), op.integer("k"));
  return {found.values, found.indices};
}

using namespace forms;
constexpr OperationRow rows[] = {
    {"stablehlo.reduce", {2, -1, 1, as_operands}, reduce_read, refusal_of_reduce},
    {"stablehlo.reduce_window", {2, -1, 1, as_operands}, reduce_window_read, refusal_of_window},
    {"stablehlo.select_and_scatter", {3, 3, 2, pair}, select_and_scatter_read, refusal_of_selection},
    {"stablehlo.sort", {1, -1, 1, twice_operands}, sort_read},
    {"chlo.top_k", one, top_k_read},
};

}  // namespace

OperationRows fold_rows() { return rows; }

}  // namespace tutti
