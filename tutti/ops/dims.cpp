// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/dims.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"

namespace tutti {

WhichDims::WhichDims(const Dims& dims) : dims_(std::vector<int>{}) {
  for (Dim dim : dims) dims_->push_back(dim.index);
}

Dims WhichDims::resolve(Type x) const {
  if (!dims_) return dims_of(x.rank());
  Dims dims = as_dims(*dims_, x);
  std::ranges::sort(dims);
  return dims;
}

Dims ops::as_dims(const std::vector<int>& dims, Type x) {
  Dims counted;
  for (int index : dims) counted.push_back(as_dim(index, x));
  return counted;
}

Dims ops::dims_of(int rank) {
  Dims dims;
  for (int i = 0; i < rank; ++i) dims.push_back(Dim{i});
  return dims;
}

Dims ops::other_dims(int rank, const Dims& dims) {
  Dims others;
  for (Dim dim : dims_of(rank))
    if (!contains(dims, dim)) others.push_back(dim);
  return others;
}

Dims ops::shifted(Dims dims, int by) {
  for (Dim& dim : dims) dim.index += by;
  return dims;
}

AlongDim ops::along_dim(const Shape& shape, Dim dim) {
  std::int64_t outer = 1, inner = 1;
  for (int i = 0; i < shape.rank(); ++i)
    if (i != dim.index) (i < dim.index ? outer : inner) *= shape[i];
  return {outer, shape[dim], inner};
}

bool ops::contains(const Dims& dims, Dim dim) { return std::ranges::find(dims, dim) != dims.end(); }

std::vector<std::int64_t> ops::indices(const Dims& dims) {
  std::vector<std::int64_t> indices;
  for (Dim dim : dims) indices.push_back(dim.index);
  return indices;
}

std::string ops::to_string(const Dims& dims) { return bracketed(indices(dims)); }

std::string ops::bracketed(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (std::int64_t number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

void ops::require_in_range(const Dims& dims, Type whose, std::string_view label) {
  for (Dim dim : dims)
    if (dim.index < 0 || dim.index >= whose.rank())
      fail(Code::dim, "dim {} is out of range for {}, which has {}, counted from 0 ({})", dim.index,
           to_string(whose), counted(whose.rank(), "dim"), label);
}

void ops::require_distinct(const Dims& dims, Type whose, std::string_view label) {
  for (auto it = dims.begin(); it != dims.end(); ++it)
    if (std::find(dims.begin(), it, *it) != it)
      fail(Code::dim, "dim {} of {} is named twice; name each dim once ({})", it->index, to_string(whose),
           label);
}

}  // namespace tutti
