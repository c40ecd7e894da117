// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/folds/reductions.hpp"

#include <cmath>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/functions/folds/folded_dims.hpp"
#include "tutti/ir/index.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/ops/zeros_of.hpp"

namespace tutti {
namespace {

// x with `neutral` where `where` is false.
Array only_where(const Array& x, const Array& where, int neutral) {
  require(where.dtype() == DType::boolean, Code::dtype,
          "where is {}, not bool; compare it: not_equal(where, 0)", where.type());
  require(broadcast_shape(where.shape(), x.shape()) == x.shape(), Code::shape,
          "where is {}, which does not broadcast to {}", where.type(), x.type());
  // Zeros pass for the terms of an unreduced sum.
  return neutral == 0 ? select(where, x, zeros_of(x.type())) : select(where, x, neutral);
}

Array is_nonzero(const Array& x) { return x.dtype() == DType::boolean ? x : not_equal(x, 0); }

using Fold = Array (*)(const Operand&, const WhichDims&);

Array folded_with_options(std::string_view name, Fold fold, int neutral, const Operand& x,
                          const WhichDims& dims, const ReductionOptions& options) {
  return front_end(name, x.where(), [&] {
    const Array given = as_array(x);
    const Dims over = folded_dims(given, dims);
    Array array = options.dtype ? convert(given, *options.dtype) : given;
    if (options.where && array.dtype() == DType::boolean) array = convert(array, DType::i32);
    if (options.where) array = only_where(array, *options.where, neutral);
    return with_kept_dims(fold(array, over), given, over, options.keepdims);
  });
}

Array extreme(std::string_view name, Fold fold, const Operand& x, const WhichDims& dims, bool keepdims) {
  return front_end(name, x.where(), [&] {
    const Array array = as_array(x);
    const Dims over = folded_dims(array, dims);
    for (Dim dim : over)
      require(array.shape()[dim] > 0, Code::shape,
              "dim {} of {} has no elements, so there is no {}; reduce_{} gives the {} value of the dtype",
              dim.index, array.type(), name, name.substr(1), name == "amax" ? "smallest" : "largest");
    return with_kept_dims(fold(array, over), array, over, keepdims);
  });
}

}  // namespace

Array sum(const Operand& x, const WhichDims& dims, const ReductionOptions& options) {
  return folded_with_options("sum", reduce_sum, 0, x, dims, options);
}

Array prod(const Operand& x, const WhichDims& dims, const ReductionOptions& options) {
  return folded_with_options("prod", reduce_prod, 1, x, dims, options);
}

Array amax(const Operand& x, const WhichDims& dims, const ExtremeOptions& options) {
  return extreme("amax", reduce_max, x, dims, options.keepdims);
}

Array amin(const Operand& x, const WhichDims& dims, const ExtremeOptions& options) {
  return extreme("amin", reduce_min, x, dims, options.keepdims);
}

Array ptp(const Operand& x, const WhichDims& dims, const ExtremeOptions& options) {
  return front_end("ptp", x.where(), [&] {
    const Array array = as_array(x), largest = amax(array, dims, options);
    return largest - amin(array, dims, options);
  });
}

Array any(const Operand& x, const WhichDims& dims, const ExtremeOptions& options) {
  return front_end("any", x.where(), [&] {
    const Array array = as_array(x);
    const Dims over = folded_dims(array, dims);
    return with_kept_dims(reduce_max(is_nonzero(array), over), array, over, options.keepdims);
  });
}

Array All::operator()(const Operand& x) const { return (*this)(x, all_dims); }

Array All::operator()(const Operand& x, const WhichDims& dims, const AllOptions& options) const {
  return front_end("all", x.where(), [&] {
    const Array array = as_array(x);
    const Dims over = folded_dims(array, dims);
    return with_kept_dims(reduce_and(is_nonzero(array), over), array, over, options.keepdims);
  });
}

Array count_nonzero(const Operand& x, const WhichDims& dims, const ExtremeOptions& options) {
  return front_end("count_nonzero", x.where(), [&] {
    const Array array = as_array(x);
    const Dims over = folded_dims(array, dims);
    // Over no dims reduce_sum counts, too: in i32.
    return with_kept_dims(reduce_sum(is_nonzero(array), over), array, over, options.keepdims);
  });
}

Array nansum(const Operand& x, const WhichDims& dims, const ExtremeOptions& options) {
  return front_end("nansum", x.where(), [&] {
    const Array array = as_array(x);
    const ReductionOptions kept{.keepdims = options.keepdims};
    if (!is_inexact(array.dtype())) return sum(array, dims, kept);
    return sum(select(is_nan_in(array), 0, array), dims, kept);
  });
}

namespace {

Array sum_of_squares(const Array& x, const Dims& dims) {
  if (!is_complex(x.dtype())) return reduce_sum(x * x, dims);
  const Array of_real = square(real(x));
  return reduce_sum(of_real + square(imag(x)), dims);
}

Array vector_norm(const Array& x, const Dims& dims, double ord) {
  if (ord == 2) return sqrt(sum_of_squares(x, dims));
  if (ord == 0) {
    const Array hits = not_equal(x, 0);
    return reduce_sum(convert(hits, is_complex(x.dtype()) ? part_of(x.dtype()) : x.dtype()), dims);
  }
  const Array sizes = abs(x);
  if (std::isinf(ord)) return ord > 0 ? amax(sizes, dims) : amin(sizes, dims);
  if (ord == 1) return reduce_sum(sizes, dims);
  return pow(reduce_sum(pow(sizes, ord), dims), 1 / ord);
}

// Sums of sizes along one of the two dims, and the extreme of them along the other.
Array matrix_norm_of_sums(const Array& x, const Dims& dims, double ord) {
  const bool is_of_rows = std::isinf(ord);
  require(!std::isnan(ord), Code::number, "ord is NaN; give 1, -1 or an infinity");
  require(is_of_rows || std::abs(ord) == 1, Code::refused_rule,
          "ord = {}; it is 1, -1, infinity or -infinity, or left out for the Frobenius norm. 2 and -2 need "
          "singular values, which come later",
          ord);
  require(x.shape()[dims[is_of_rows ? 0 : 1]] > 0, Code::shape,
          "{} has no {}, whose sums this norm compares; leave .ord out for the Frobenius norm, which is 0",
          x.type(), is_of_rows ? "rows" : "columns");
  const Array sums = reduce_sum(abs(x), dims[is_of_rows ? 1 : 0].index);
  return ord > 0 ? amax(sums, -1) : amin(sums, -1);
}

// A norm in the dtype of the array given.
Array as_given(const Array& found, const Array& given, const Dims& over, const NormOptions& options) {
  const Array kept = with_kept_dims(found, given, over, options.keepdims);
  return is_half(given.dtype()) ? convert(kept, given.dtype()) : kept;
}

}  // namespace

Array norm(const Operand& x, const WhichDims& dims, const NormOptions& options) {
  return front_end("norm", x.where(), [&] {
    const Array given = as_array(x);
    const Dims over = folded_dims(given, dims);
    const Array array = as_computed(given);
    require(!options.ord || over.size() == 1, Code::refused_rule,
            "ord = {} over {} dims of {}; here an order is that of vectors, so of one dim. Of matrices in "
            "the last two dims: matrix_norm(x, {{.ord = ..}})",
            options.ord.value_or(0), over.size(), given.type());
    require(!options.ord || !std::isnan(*options.ord), Code::number, "ord is NaN; give a number or infinity");
    const Array found = vector_norm(array, over, options.ord.value_or(2));
    return as_given(found, given, over, options);
  });
}

Array matrix_norm(const Operand& x, const NormOptions& options) {
  return front_end("matrix_norm", x.where(), [&] {
    const Array given = as_array(x);
    require(given.rank() >= 2, Code::dim, "{} has {}; a matrix has two. Of a vector: norm(x, 0, ..)",
            given.type(), counted(given.rank(), "dim"));
    const Dims over = folded_dims(given, {-2, -1});
    const Array array = as_computed(given);
    const Array found =
        options.ord ? matrix_norm_of_sums(array, over, *options.ord) : vector_norm(array, over, 2);
    return as_given(found, given, over, options);
  });
}

}  // namespace tutti
