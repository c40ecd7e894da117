// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/shapes/making.hpp"

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/concatenate.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {
namespace {

DType computed_in(DType dtype) {
  if (is_half(dtype)) return DType::f32;
  if (is_inexact(dtype)) return dtype;
  return bytes_per_element(dtype) == 8 ? DType::f64 : DType::f32;
}

Array bound(const Operand& x, DType dtype) {
  return x.number() ? constant(as_scalar(*x.number(), dtype)) : convert(x, dtype);
}

// Both bounds are of dtype `dtype` and of one shape.
Array spaced(const Array& start, const Array& stop, std::int64_t n, const LinspaceOptions& options) {
  require(n >= 0, Code::shape, "{} values; a size is at least 0", n);
  Type result = start.type().inserted(Dim{0}, n);
  Dim dim = as_dim(options.dim, result);
  if (n == 0) return zeros(start.shape().inserted(dim, 0), start.dtype());
  Array first = expand_dims(start, dim.index);
  if (n < 2) return first;
  Array last = expand_dims(stop, dim.index);
  std::int64_t parts = options.endpoint ? n - 1 : n;
  Shape along = Shape(std::vector<std::int64_t>(static_cast<std::size_t>(result.rank()), 1)).with(dim, parts);
  DType real = is_complex(start.dtype()) ? part_of(start.dtype()) : start.dtype();
  Array share = convert(iota(real, along, dim.index) / static_cast<double>(parts), start.dtype());
  Array rest = 1.0 - share;
  Array of_first = first * rest, of_last = last * share, values = of_first + of_last;
  return options.endpoint ? concatenate({values, last}, dim.index) : values;
}

Array spaced_in(DType dtype, const Operand& start, const Operand& stop, std::int64_t n,
                const LinspaceOptions& options) {
  Array first = bound(start, dtype), last = bound(stop, dtype);
  Shape shape = broadcast_shape(first.shape(), last.shape());
  first = broadcast_to(first, shape);
  return spaced(first, broadcast_to(last, shape), n, options);
}

}  // namespace

Array full_like(const Operand& x, const Operand& value, std::optional<DType> dtype) {
  return front_end("full_like", x.where(), [&] {
    Array like = as_array(x);
    DType own = dtype.value_or(like.dtype());
    if (value.number()) return full(like.shape(), *value.number(), own);
    return broadcast_to(convert(value, own), like.shape());
  });
}

Array linspace(const Operand& start, const Operand& stop, std::int64_t n, DType dtype,
               const LinspaceOptions& options) {
  return front_end("linspace", start.where(), [&] {
    Array values = spaced_in(computed_in(dtype), start, stop, n, options);
    return convert(is_integer(dtype) ? floor(values) : values, dtype);
  });
}

Array logspace(const Operand& start, const Operand& stop, std::int64_t n, DType dtype,
               const LogspaceOptions& options) {
  return front_end("logspace", start.where(), [&] {
    Array exponents = spaced_in(computed_in(dtype), start, stop, n, {options.endpoint, options.dim});
    return convert(pow(options.base, exponents), dtype);
  });
}

Arrays meshgrid(const Arrays& vectors, const MeshgridOptions& options, Where where) {
  return front_end("meshgrid", where, [&] {
    auto rank = static_cast<int>(vectors.size());
    auto dim_of = [&](int i) {
      bool is_turned = options.indexing == Indexing::xy && rank > 1 && i < 2;
      return is_turned ? 1 - i : i;
    };
    Shape grid(std::vector<std::int64_t>(vectors.size(), 1));
    for (int i = 0; i < rank; ++i) {
      const Array& x = vectors[static_cast<std::size_t>(i)];
      require(x.rank() <= 1, Code::shape, "{} has {}; each array is a vector: reshape(x, {{-1}})",
              to_string(x.type()), counted(x.rank(), "dim"));
      grid = grid.with(Dim{dim_of(i)}, x.type().elements());
    }
    Arrays result;
    for (int i = 0; i < rank; ++i) {
      Array x = reshape(vectors[static_cast<std::size_t>(i)], {-1});
      Shape alone = Shape(std::vector<std::int64_t>(vectors.size(), 1)).with(Dim{dim_of(i)}, x.dim(0));
      const Shape& to = options.sparse ? alone : grid;
      result.push_back(to == x.shape() ? x : broadcast_in_dim(x, to, {dim_of(i)}));
    }
    return result;
  });
}

}  // namespace tutti
