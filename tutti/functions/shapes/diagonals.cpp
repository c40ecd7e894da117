// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/shapes/diagonals.hpp"

#include <algorithm>
#include <limits>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/pad.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/transpose.hpp"
#include "tutti/ops/zeros_of.hpp"

namespace tutti {
namespace {

struct Numbered {
  Array rows, columns;  // the row plus k, and the column, of every element
};

// Diagonals beyond the corners are the same: they have no elements.
Numbered numbered(std::int64_t m, std::int64_t n, std::int64_t k) {
  k = std::clamp(k, -m, n);
  bool is_far = std::max(m + k, n) > std::numeric_limits<std::int32_t>::max();
  DType dtype = is_far ? DType::i64 : DType::i32;
  Array rows = iota({m, n}, dtype, 0);
  if (k != 0) rows = rows + k;
  return {rows, iota({m, n}, dtype, 1)};
}

// Bool [m, n]: true on and below diagonal k.
Array on_and_below(std::int64_t m, std::int64_t n, std::int64_t k) {
  auto [rows, columns] = numbered(m, n, k);
  return rows >= columns;
}

Shape table(std::int64_t rows, const EyeOptions& options) {
  std::int64_t columns = options.columns.value_or(rows);
  require(rows >= 0 && columns >= 0, Code::shape, "{} x {} elements; a size is at least 0", rows, columns);
  return {rows, columns};
}

Array eye_on_host(const Shape& shape, DType dtype, std::int64_t k) {
  shape.check();
  Tensor table(shape, dtype);
  const std::int64_t first = std::max<std::int64_t>(0, -k), last = std::min(shape[0], shape[1] - k);
  const Tensor one = Tensor::scalar_of(dtype, std::int64_t{1});
  with_element(dtype, [&]<class T>(std::type_identity<T>) {
    T* elements = table.mutable_data<T>();
    for (std::int64_t row = first; row < last; ++row) elements[row * shape[1] + row + k] = one.as<T>()[0];
  });
  return table;
}

void require_matrix(const Type& x) {
  require(x.rank() >= 2, Code::shape,
          "{} has {}; a matrix has 2 at least. A vector becomes one by diag or expand_dims", x,
          counted(x.rank(), "dim"));
}

// [..] -> [.., m, n] -> [.., m * n], whose elements at every (n + 1)-th place are a diagonal.
Array diagonal_of_last(const Array& x, std::int64_t k) {
  std::int64_t m = x.dim(-2), n = x.dim(-1);
  k = std::clamp(k, -m, n);
  std::int64_t length = k >= 0 ? std::min(m, n - k) : std::min(m + k, n);
  std::int64_t start = k >= 0 ? k : -k * n;
  std::vector<std::int64_t> sizes(x.shape().begin(), x.shape().end() - 2);
  sizes.push_back(m * n);
  Array flat = reshape(x, Shape(std::move(sizes)));
  if (length <= 0) return slice_in_dim(flat, 0, 0, 1, -1);
  return slice_in_dim(flat, start, start + (length - 1) * (n + 1) + 1, n + 1, -1);
}

// [n] -> [size, size] row by row: between two elements of the diagonal lie as many zeros as a row has
// elements.
Array matrix_with_diagonal(const Array& x, std::int64_t k) {
  std::int64_t n = x.dim(0), size = n + std::abs(k);
  Type square = x.type().with(Shape{size, size});  // refuses a shape that no array has
  std::int64_t low = k >= 0 ? k : -k * size, spread = n == 0 ? 0 : (n - 1) * (size + 1) + 1;
  Pad pad{{low}, {size * size - low - spread}, {n == 0 ? 0 : size}};
  Array zero = zeros_of(x.type().with(Shape{}));
  return reshape(apply_one(pad, {x, zero}), square.shape());
}

}  // namespace

Array eye(std::int64_t rows, DType dtype, const EyeOptions& options, Where where) {
  auto traced = [&] {
    Shape shape = table(rows, options);
    auto [row, column] = numbered(shape[0], shape[1], options.k);
    return convert(equal(row, column), dtype);
  };
  return front_end_or_host("eye", where, traced,
                           [&] { return eye_on_host(table(rows, options), dtype, options.k); });
}

Array tri(std::int64_t rows, DType dtype, const EyeOptions& options, Where where) {
  return front_end("tri", where, [&] {
    Shape shape = table(rows, options);
    return convert(on_and_below(shape[0], shape[1], options.k), dtype);
  });
}

Array tril(const Operand& x, int k) {
  return front_end("tril", x.where(), [&] {
    Array array = as_array(x);
    require_matrix(array.type());
    Array kept = on_and_below(array.dim(-2), array.dim(-1), k);
    return select(kept, array, zeros_of(array.type()));
  });
}

Array triu(const Operand& x, int k) {
  return front_end("triu", x.where(), [&] {
    Array array = as_array(x);
    require_matrix(array.type());
    Array below = on_and_below(array.dim(-2), array.dim(-1), std::int64_t{k} - 1);
    return select(below, zeros_of(array.type()), array);
  });
}

Array diag(const Operand& x, int k) {
  return front_end("diag", x.where(), [&] {
    Array array = as_array(x);
    require(array.rank() == 1 || array.rank() == 2, Code::shape,
            "{} has {}; diag takes a vector or a matrix. Of more dims: diagonal", array.type(),
            counted(array.rank(), "dim"));
    return array.rank() == 1 ? matrix_with_diagonal(array, k) : diagonal_of_last(array, k);
  });
}

Array diagonal(const Operand& x, const DiagonalOptions& options) {
  return front_end("diagonal", x.where(), [&] {
    Array array = as_array(x);
    require_matrix(array.type());
    Dim rows = as_dim(options.dim1, array.type()), columns = as_dim(options.dim2, array.type());
    require(rows != columns, Code::dim, "dim {} of {} is named twice; rows and columns are two dims",
            rows.index, array.type());
    std::vector<int> order;
    for (Dim dim : other_dims(array.rank(), {rows, columns})) order.push_back(dim.index);
    order.insert(order.end(), {rows.index, columns.index});
    return diagonal_of_last(transpose(array, order), options.k);
  });
}

Array trace(const Operand& x, const DiagonalOptions& options) {
  return front_end("trace", x.where(), [&] { return reduce_sum(diagonal(x, options), -1); });
}

}  // namespace tutti
