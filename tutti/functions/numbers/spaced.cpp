// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/numbers/spaced.hpp"
#include "tutti/base/inside.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/concatenate.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/reshape.hpp"

namespace tutti {
namespace {

DType computed_in(DType dtype) { return is_complex(dtype) ? DType::complex128 : DType::f64; }

Array bound(const Operand& x, DType dtype) {
  if (!x.number()) return convert(x, computed_in(dtype));
  if (is_inexact(dtype)) as_scalar(*x.number(), dtype);  // refuses what dtype cannot hold
  return constant(as_scalar(*x.number(), computed_in(dtype)));
}

// Both ends are of one shape and have size 1 along `dim`.
Array between(const Array& first, const Array& last, std::int64_t n, Dim dim, const Spacing& spacing) {
  const std::int64_t parts = spacing.endpoint ? n - 1 : n;
  const Shape along =
      Shape(std::vector<std::int64_t>(static_cast<std::size_t>(first.rank()), 1)).with(dim, parts);
  const Array step = (last - first) / static_cast<double>(parts);
  const Array numbers = convert(iota(along, DType::f64, dim.index), first.dtype());
  const Array values = first + numbers * step;
  return spacing.endpoint ? concatenate({values, last}, dim.index) : values;
}

}  // namespace

Array spaced(DType dtype, const Operand& start, const Operand& stop, std::int64_t n, const Spacing& spacing) {
  Array first = bound(start, dtype), last = bound(stop, dtype);
  const Shape shape = broadcast_shape(first.shape(), last.shape());
  first = broadcast_to(first, shape);
  last = broadcast_to(last, shape);
  require(n >= 0, Code::shape, "{} values; a size is at least 0", n);
  const Dim dim = as_dim(spacing.dim, first.type().with(dtype).inserted(Dim{0}, n));
  if (n == 0) return zeros(shape.inserted(dim, 0), first.dtype());
  first = expand_dims(first, dim.index);
  return n < 2 ? first : between(first, expand_dims(last, dim.index), n, dim, spacing);
}

}  // namespace tutti
