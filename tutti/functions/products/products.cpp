// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/products/products.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/reshape.hpp"

namespace tutti {
namespace {

std::pair<Array, Array> arrays_of(const Operand& a, const Operand& b) {
  Array x = as_array(a, {b}), y = as_array(b, {a});
  require_same_dtype(x.type(), y.type());
  return {x, y};
}

// Every element of x times every element of y: the dims of x, then those of y.
Array all_products(const Array& x, const Array& y) {
  std::vector<std::int64_t> sizes(x.shape().begin(), x.shape().end());
  sizes.insert(sizes.end(), y.shape().begin(), y.shape().end());
  Shape shape(std::move(sizes));
  Array rows = insert_dims(x, shifted(dims_of(y.rank()), x.rank()), shape);
  Array columns = insert_dims(y, dims_of(x.rank()), shape);
  return rows * columns;
}

Array contracted(const Array& x, const Array& y, const Dims& of_x, const Dims& of_y) {
  if (of_x.empty() && of_y.empty()) return all_products(x, y);
  return apply_one(DotGeneral{{}, {}, of_x, of_y}, {x, y});
}

}  // namespace

Array tensordot(const Operand& a, const Operand& b, int count) {
  return front_end("tensordot", a.where(), [&] {
    auto [x, y] = arrays_of(a, b);
    int most = std::min(x.rank(), y.rank());
    require(count >= 0 && count <= most, Code::dim, "{} of {} and {} to sum over; they have 0 to {} together",
            counted(count, "dim"), x.type(), y.type(), most);
    return contracted(x, y, shifted(dims_of(count), x.rank() - count), dims_of(count));
  });
}

Array tensordot(const Operand& a, const Operand& b, const TensordotDims& dims) {
  return front_end("tensordot", a.where(), [&] {
    auto [x, y] = arrays_of(a, b);
    return contracted(x, y, as_dims(dims.lhs, x.type()), as_dims(dims.rhs, y.type()));
  });
}

Array inner(const Operand& a, const Operand& b) {
  return front_end("inner", a.where(), [&] {
    auto [x, y] = arrays_of(a, b);
    if (x.rank() == 0 || y.rank() == 0) return x * y;
    return contracted(x, y, {Dim{x.rank() - 1}}, {Dim{y.rank() - 1}});
  });
}

Array outer(const Operand& a, const Operand& b) {
  return front_end("outer", a.where(), [&] {
    auto [x, y] = arrays_of(a, b);
    x = reshape(x, {-1});
    return all_products(x, reshape(y, {-1}));
  });
}

Array vdot(const Operand& a, const Operand& b) {
  return front_end("vdot", a.where(), [&] {
    auto [x, y] = arrays_of(a, b);
    require(x.type().elements() == y.type().elements(), Code::shape,
            "{} has {}, {} has {}; both must be as many", x.type(), counted(x.type().elements(), "element"),
            y.type(), y.type().elements());
    x = reshape(x, {-1});
    if (is_complex(x.dtype())) x = conj(x);
    return contracted(x, reshape(y, {-1}), {Dim{0}}, {Dim{0}});
  });
}

// [m, n] and [p, q] -> [m, p, n, q] -> [m p, n q].
Array kron(const Operand& a, const Operand& b) {
  return front_end("kron", a.where(), [&] {
    auto [x, y] = arrays_of(a, b);
    int rank = std::max(x.rank(), y.rank());
    Dims of_x, of_y;
    std::vector<std::int64_t> spread, sizes;
    for (int i = 0; i < rank; ++i) {
      int in_x = i - (rank - x.rank()), in_y = i - (rank - y.rank());
      std::int64_t m = in_x < 0 ? 1 : x.shape()[in_x], n = in_y < 0 ? 1 : y.shape()[in_y];
      if (in_x >= 0) of_x.push_back(Dim{2 * i});
      if (in_y >= 0) of_y.push_back(Dim{2 * i + 1});
      spread.insert(spread.end(), {m, n});
    }
    Array of_blocks = apply_one(BroadcastInDim{Shape(spread), of_x}, {x});
    Array in_blocks = apply_one(BroadcastInDim{Shape(spread), of_y}, {y});
    for (std::size_t i = 0; i < spread.size(); i += 2) sizes.push_back(spread[i] * spread[i + 1]);
    Array products = of_blocks * in_blocks;
    return reshape(products, Shape(sizes));
  });
}

}  // namespace tutti
