// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/linalg/lu_lower.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tutti/tensor/tensor.hpp"

namespace tutti::ops {
namespace {

/// The loop. In its body a matrix has lost nothing: step k works on all elements and keeps those that it must
/// not change.
class LuLoop {
 public:
  explicit LuLoop(Emitter& emitter)
      : emit_(emitter),
        a_(emitter.operand_types()[0]),
        rank_(a_.rank()),
        m_(a_.shape()[rank_ - 2]),
        n_(a_.shape()[rank_ - 1]),
        swaps_(emitter.result_types()[1]),
        rows_(emitter.result_types()[2]),
        column_(a_.with(a_.shape().with(Dim{rank_ - 1}, 1))),
        row_(a_.with(a_.shape().with(Dim{rank_ - 2}, 1))) {}

  Lowered run(stablehlo::Value a) const {
    if (a_.elements() == 0) return {a, zeros(swaps_), counted(rows_, rank_ - 2)};
    const Types types{counter, a_, swaps_, rows_};
    const Lowered start{number(0), a, zeros(swaps_), counted(rows_, rank_ - 2)};
    const auto goes_on = [&](const Lowered& v) -> Lowered {
      return {compare("LT", v[0], number(std::min(m_, n_)), counter)};
    };
    const auto iteration = [&](const Lowered& v) { return step(v[0], v[1], v[2], v[3]); };
    Lowered end =
        emit_.emit_with_regions("stablehlo.while", start, types, {{types, goes_on}, {types, iteration}});
    return {end.begin() + 1, end.end()};
  }

 private:
  Lowered step(stablehlo::Value k, stablehlo::Value a, stablehlo::Value swaps, stablehlo::Value rows) const {
    const stablehlo::Value pivot = pivot_in(column_at(a, k), k);  // i32 [..]
    const auto swapped = [&](stablehlo::Value x, Type type, int dim) {
      return with_swapped_rows(x, type, dim, k, pivot);
    };
    const stablehlo::Value next = eliminated(swapped(a, a_, rank_ - 2), k);
    const stablehlo::Value at_k = compare("EQ", counted(swaps_, rank_ - 2), spread(k, swaps_, {}), swaps_);
    const stablehlo::Value pivots =
        emit_.emit("stablehlo.select", {at_k, over(pivot, swaps_, rank_ - 2), swaps}, swaps_);
    return {emit_.emit("stablehlo.add", {k, number(1)}, counter), next, pivots,
            swapped(rows, rows_, rank_ - 2)};
  }

  /// The first row at or below k with the largest size of an element; k if all are NaN.
  stablehlo::Value pivot_in(stablehlo::Value column, stablehlo::Value k) const {
    const Type part = is_complex(a_.dtype()) ? column_.with(part_of(a_.dtype())) : column_;
    const stablehlo::Value size = sizes(column, part);
    const stablehlo::Value row = counted(column_.with(DType::i32), rank_ - 2);
    const Type numbers = column_.with(DType::i32);
    const stablehlo::Value below = compare("GE", row, spread(k, numbers, {}), numbers);
    const stablehlo::Value none = emit_.constant(
        Tensor::full(part.shape(),
                     Tensor::scalar_of(part.dtype(), -std::numeric_limits<double>::infinity())));
    const stablehlo::Value candidates = emit_.emit("stablehlo.select", {below, size, none}, part);
    const Type largest = part.with(before());
    const stablehlo::Value top =
        emit_.emit_with_reducer("stablehlo.reduce", ReduceKind::max, {candidates}, largest, last_two());
    const stablehlo::Value hit = compare_floats("EQ", candidates, over_matrix(top, part), part);
    const stablehlo::Value far =
        emit_.constant(Tensor::full(numbers.shape(), Tensor::scalar_of(DType::i32, m_)));
    const stablehlo::Value places =
        emit_.emit("stablehlo.select", {both(hit, below, numbers), row, far}, numbers);
    const Type found = numbers.with(before());
    const stablehlo::Value first =
        emit_.emit_with_reducer("stablehlo.reduce", ReduceKind::min, {places}, found, last_two());
    const stablehlo::Value last =
        emit_.constant(Tensor::full(found.shape(), Tensor::scalar_of(DType::i32, m_ - 1)));
    const stablehlo::Value is_found = compare("LE", first, last, found);
    return emit_.emit("stablehlo.select", {is_found, first, spread(k, found, {})}, found);
  }

  /// |x|, or |real| + |imag| as LAPACK compares complex numbers.
  stablehlo::Value sizes(stablehlo::Value x, Type part) const {
    if (!is_complex(a_.dtype())) return emit_.emit("stablehlo.abs", {x}, part);
    const stablehlo::Value real = emit_.emit("stablehlo.real", {x}, part),
                           imag = emit_.emit("stablehlo.imag", {x}, part);
    return emit_.emit("stablehlo.add",
                      {emit_.emit("stablehlo.abs", {real}, part), emit_.emit("stablehlo.abs", {imag}, part)},
                      part);
  }

  /// Rows k and `pivot` of x swapped along `dim`; the row of each position is found by a sum with zeros.
  stablehlo::Value with_swapped_rows(stablehlo::Value x, Type type, int dim, stablehlo::Value k,
                                     stablehlo::Value pivot) const {
    const Type numbers = type.with(DType::i32);
    const Type row = type.with(type.shape().with(Dim{dim}, 1));
    const stablehlo::Value counts = counted(numbers, dim);
    const stablehlo::Value at_pivot = compare("EQ", counts, over_matrix(pivot, numbers), numbers);
    const stablehlo::Value at_k = compare("EQ", counts, spread(k, numbers, {}), numbers);
    const stablehlo::Value alone = emit_.emit("stablehlo.select", {at_pivot, x, zeros(type)}, type);
    const Type folded = type.with(type.shape().erased(Dim{dim}));
    const stablehlo::Value of_pivot =
        emit_.emit_with_reducer("stablehlo.reduce", ReduceKind::sum, {alone}, folded,
                                {{"dimensions", stablehlo::integers({dim})}});
    const stablehlo::Value of_k = dynamic_slice(x, row, dim, k);
    std::vector<std::int64_t> others, all;
    for (int d = 0; d < type.rank(); ++d) {
      all.push_back(d);
      if (d != dim) others.push_back(d);
    }
    const stablehlo::Value first =
        emit_.emit("stablehlo.select", {at_pivot, spread(of_k, type, all), x}, type);
    return emit_.emit("stablehlo.select", {at_k, spread(of_pivot, type, others), first}, type);
  }

  /// Column k below the diagonal divided by the element on it, and its product with row k taken away from the
  /// rest. A zero divides nothing.
  stablehlo::Value eliminated(stablehlo::Value a, stablehlo::Value k) const {
    const Type numbers = a_.with(DType::i32), truth = a_.with(DType::boolean);
    const Type corner = row_.with(row_.shape().with(Dim{rank_ - 1}, 1));
    const stablehlo::Value row = dynamic_slice(a, row_, rank_ - 2, k);
    const stablehlo::Value pivot = spread(dynamic_slice(row, corner, rank_ - 1, k), column_, every());
    const stablehlo::Value column = column_at(a, k);
    const stablehlo::Value is_zero = compare_floats("EQ", pivot, zeros(column_), column_);
    const stablehlo::Value divided = emit_.emit("stablehlo.divide", {column, pivot}, column_);
    const stablehlo::Value factor = emit_.emit("stablehlo.select", {is_zero, column, divided}, column_);
    const stablehlo::Value factors = spread(factor, a_, every());
    const stablehlo::Value product =
        emit_.emit("stablehlo.multiply", {factors, spread(row, a_, every())}, a_);
    const stablehlo::Value at = spread(k, numbers, {});
    const stablehlo::Value below = compare("GT", counted(numbers, rank_ - 2), at, numbers);
    const stablehlo::Value right = compare("GT", counted(numbers, rank_ - 1), at, numbers);
    const stablehlo::Value in_column = compare("EQ", counted(numbers, rank_ - 1), at, numbers);
    const stablehlo::Value less = emit_.emit("stablehlo.subtract", {a, product}, a_);
    const stablehlo::Value with_rest =
        emit_.emit("stablehlo.select", {emit_.emit("stablehlo.and", {below, right}, truth), less, a}, a_);
    return emit_.emit("stablehlo.select",
                      {emit_.emit("stablehlo.and", {below, in_column}, truth), factors, with_rest}, a_);
  }

  stablehlo::Value column_at(stablehlo::Value a, stablehlo::Value k) const {
    return dynamic_slice(a, column_, rank_ - 1, k);
  }
  stablehlo::Value dynamic_slice(stablehlo::Value x, Type result, int dim, stablehlo::Value k) const {
    Lowered operands{x};
    for (int d = 0; d < result.rank(); ++d) operands.push_back(d == dim ? k : number(0));
    return emit_.emit("stablehlo.dynamic_slice", operands, result,
                      {{"slice_sizes", stablehlo::integers(result.shape().sizes())}});
  }
  stablehlo::Value spread(stablehlo::Value x, Type to, std::vector<std::int64_t> dims) const {
    return emit_.emit("stablehlo.broadcast_in_dim", {x}, to,
                      {{"broadcast_dimensions", stablehlo::integers(std::move(dims))}});
  }
  /// x: [..], the dims before the matrices, over an array with further dims.
  stablehlo::Value over(stablehlo::Value x, Type to, int dims) const {
    std::vector<std::int64_t> kept;
    for (int d = 0; d < dims; ++d) kept.push_back(d);
    return spread(x, to, kept);
  }
  stablehlo::Value over_matrix(stablehlo::Value x, Type to) const { return over(x, to, rank_ - 2); }
  std::vector<std::int64_t> every() const {
    std::vector<std::int64_t> dims;
    for (int d = 0; d < rank_; ++d) dims.push_back(d);
    return dims;
  }
  Shape before() const {
    std::vector<std::int64_t> sizes(a_.shape().begin(), a_.shape().end() - 2);
    return Shape(std::move(sizes));
  }
  stablehlo::Attributes last_two() const {
    return {{"dimensions", stablehlo::integers({rank_ - 2, rank_ - 1})}};
  }
  stablehlo::Value both(stablehlo::Value x, stablehlo::Value y, Type shape) const {
    return emit_.emit("stablehlo.and", {x, y}, shape.with(DType::boolean));
  }
  stablehlo::Value compare(std::string direction, stablehlo::Value x, stablehlo::Value y, Type shape,
                           const char* order = "SIGNED") const {
    return emit_.emit("stablehlo.compare", {x, y}, shape.with(DType::boolean),
                      {{"comparison_direction",
                        stablehlo::enumeration("comparison_direction", std::move(direction))},
                       {"compare_type", stablehlo::enumeration("comparison_type", order)}});
  }
  stablehlo::Value compare_floats(std::string direction, stablehlo::Value x, stablehlo::Value y,
                                  Type shape) const {
    return compare(std::move(direction), x, y, shape, "FLOAT");
  }
  stablehlo::Value counted(Type type, int dim) const {
    return emit_.emit("stablehlo.iota", {}, type, {{"iota_dimension", stablehlo::integer(dim)}});
  }
  stablehlo::Value zeros(Type type) const { return emit_.constant(Tensor(type.shape(), type.dtype())); }
  stablehlo::Value number(std::int64_t value) const {
    return emit_.constant(Tensor::scalar(static_cast<std::int32_t>(value)));
  }

  static inline const Type counter{DType::i32, {}};
  Emitter& emit_;
  Type a_;
  int rank_;
  std::int64_t m_, n_;
  Type swaps_, rows_, column_, row_;
};

}  // namespace

Lowered lower_lu(Emitter& emitter, stablehlo::Value a) { return LuLoop(emitter).run(a); }

}  // namespace tutti::ops
