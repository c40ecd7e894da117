// SPDX-License-Identifier: Apache-2.0
// Slices at places that are computed, gather and scatter.
#include "tutti/base/require.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/dynamic_slice.hpp"
#include "tutti/ops/dynamic_update_slice.hpp"
#include "tutti/ops/gather.hpp"
#include "tutti/ops/scatter.hpp"
#include "tutti/read/operation_rows.hpp"
#include "tutti/read/patterns/scalar_region.hpp"
#include "tutti/types/dtype.hpp"

namespace tutti {
namespace {

/// Indices as signed integers of 32 or 64 bits.
Array as_index(const Array& x) {
  if (x.dtype() == DType::i32 || x.dtype() == DType::i64) return x;
  return convert(x, is_unsigned(x.dtype()) ? DType::i64 : DType::i32);
}

std::vector<Operand> starts(const OpReader& op, std::size_t first) {
  std::vector<Operand> all;
  for (std::size_t i = first; i < op.operands().size(); ++i) all.emplace_back(as_index(op.operand(i)));
  return all;
}

Arrays dynamic_slice_read(const OpReader& op) {
  return {dynamic_slice(op.operand(0), starts(op, 1), op.integers("slice_sizes"))};
}

Arrays dynamic_update_slice_read(const OpReader& op) {
  return {dynamic_update_slice(op.operand(0), op.operand(1), starts(op, 2))};
}

/// Names of one operation for the dims of windows.
struct DimNames {
  std::string_view offset, collapsed, batching, indices_batching, index_map;
};
constexpr DimNames gather_names{"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
                                "start_indices_batching_dims", "start_index_map"};
constexpr DimNames scatter_names{"update_window_dims", "inserted_window_dims", "input_batching_dims",
                                 "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"};

GatherDims dims_of(const stablehlo::Record& numbers, const DimNames& names) {
  const auto dims = [&](std::string_view name) {
    Dims all;
    for (const int dim : dims_in(numbers, name)) all.push_back(Dim{dim});
    return all;
  };
  const auto* number = find_as<stablehlo::Integer>(numbers.fields, "index_vector_dim");
  return {dims(names.offset),           dims(names.collapsed), dims(names.batching),
          dims(names.indices_batching), dims(names.index_map), Dim{number ? dim_of(number->value) : 0}};
}

Arrays gather_read(const OpReader& op) {
  return {gather(op.operand(0), as_index(op.operand(1)),
                 dims_of(op.record("dimension_numbers"), gather_names), op.integers("slice_sizes"))};
}

Arrays scatter_read(const OpReader& op) {
  const stablehlo::Block& region = op.op().regions.at(0);
  const GatherDims dims = dims_of(op.record("scatter_dimension_numbers"), scatter_names);
  const Array &x = op.operand(0), indices = as_index(op.operand(1)), &updates = op.operand(2);
  const ScatterOptions options{.unique_indices = op.flag("unique_indices")};
  if (returns_second(region)) return {scatter(x, indices, updates, dims, options)};
  switch (reducer_of(region).value_or(ReduceKind::logical_or)) {
    case ReduceKind::sum: return {scatter_add(x, indices, updates, dims, options)};
    case ReduceKind::prod: return {scatter_multiply(x, indices, updates, dims, options)};
    case ReduceKind::max: return {scatter_max(x, indices, updates, dims, options)};
    case ReduceKind::min: return {scatter_min(x, indices, updates, dims, options)};
    default: fail(Code::unsupported, "the update is none of replace, add, multiply, maximum, minimum");
  }
}

std::optional<Refusal> refusal_of_scatter(const SourceModule&, const stablehlo::Operation& op) {
  if (op.operands.size() != 3) return Refusal{"a scatter of several arrays", "scatter each by itself"};
  const auto kind = op.regions.empty() ? std::nullopt : reducer_of(op.regions[0]);
  const bool is_known = kind && *kind != ReduceKind::logical_and && *kind != ReduceKind::logical_or;
  if (is_known || (!op.regions.empty() && returns_second(op.regions[0]))) return {};
  return Refusal{"an update that is none of replace, add, multiply, maximum, minimum",
                 "gather, compute, scatter"};
}

using namespace forms;
constexpr OperationRow rows[] = {
    {"stablehlo.dynamic_slice", some, dynamic_slice_read},
    {"stablehlo.dynamic_update_slice", {2}, dynamic_update_slice_read},
    {"stablehlo.gather", two, gather_read},
    {"stablehlo.scatter", {3, -1, 1, all_but_one}, scatter_read, refusal_of_scatter},
};

}  // namespace

OperationRows indexing_rows() { return rows; }

}  // namespace tutti
