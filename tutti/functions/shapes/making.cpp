// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/shapes/making.hpp"
#include "tutti/base/inside.hpp"

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/functions/numbers/spaced.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {

Array full_like(const Operand& x, const Operand& value, std::optional<DType> dtype) {
  auto traced = [&] {
    Array like = as_array(x);
    DType own = dtype.value_or(like.dtype());
    if (value.number()) return full(like.shape(), *value.number(), own);
    return broadcast_to(convert(value, own), like.shape());
  };
  if (value.array()) return front_end("full_like", x.where(), traced);
  return front_end_or_host("full_like", x.where(), traced, [&] {
    const Type like = as_array(x).type(x.where());
    return Array(Tensor::full(like.shape(), as_scalar(*value.number(), dtype.value_or(like.dtype()))));
  });
}

Array linspace(const Operand& start, const Operand& stop, std::int64_t n, DType dtype,
               const LinspaceOptions& options) {
  return front_end("linspace", start.where(), [&] {
    Array values = spaced(dtype, start, stop, n, {options.endpoint, options.dim});
    return convert(is_integer(dtype) ? floor(values) : values, dtype);
  });
}

Array logspace(const Operand& start, const Operand& stop, std::int64_t n, DType dtype,
               const LogspaceOptions& options) {
  return front_end("logspace", start.where(), [&] {
    Array exponents = spaced(dtype, start, stop, n, {options.endpoint, options.dim});
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
      require(x.rank() <= 1, Code::shape, "{} has {}; each array is a vector: reshape(x, {{-1}})", x.type(),
              counted(x.rank(), "dim"));
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
