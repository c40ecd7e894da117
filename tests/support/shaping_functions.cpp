// SPDX-License-Identifier: Apache-2.0
// The twins of jax_shaping.py.
#include "tests/support/functions.hpp"

namespace tutti {
namespace {

/// The sum over all terms, each of whose elements counts with another weight.
Array weighed(const Arrays& terms) {
  Array sum = zeros({}, DType::f64);
  for (const Array& term : terms) {
    Array flat = reshape(term, {-1});
    Array weights = cos(iota(flat.shape(), DType::f64, 0));
    sum += reduce_sum(sin(flat) * weights);
  }
  return sum;
}

Array triangles_and_diagonals(const Arrays& a) {
  const Array &x = a[0], &w = a[1];
  Arrays terms{tril(x, 1)};
  terms.push_back(triu(x * x, -1));
  terms.push_back(diag(w, 1));
  terms.push_back(diag(w, -2));
  terms.push_back(diag(x, -1));
  terms.push_back(diagonal(x, {.k = 2}));
  terms.push_back(trace(x, {.k = 1}));
  terms.push_back(matmul(eye(3, DType::f64, {.columns = 4, .k = 1}), transpose(x)));
  terms.push_back(matmul(tri(2, DType::f64, {.columns = 3}), x));
  return weighed(terms);
}

Array made_between_bounds(const Arrays& a) {
  const Array &x = a[0], &w = a[1];
  Arrays terms{linspace(w, x, 4, DType::f64, {.dim = -1})};
  terms.push_back(linspace(x, 1, 3, DType::f64, {.endpoint = false}));
  terms.push_back(linspace(w, 2, 1, DType::f64));
  terms.push_back(logspace(x, w, 3, DType::f64, {.dim = 1, .base = 2}));
  terms.push_back(full_like(x, w));
  Array first = index_in_dim(x, 0);
  for (const MeshgridOptions& options : {MeshgridOptions{}, MeshgridOptions{.indexing = Indexing::ij}})
    for (const Array& grid : meshgrid({w, slice_in_dim(first, 0, 2)}, options)) terms.push_back(grid);
  return weighed(terms);
}

Array moved_around(const Arrays& a) {
  const Array &x = a[0], &w = a[1];  // [2, 3, 4], [3, 1]
  Arrays terms{roll(x, 5)};
  Array shift = convert(floor(9 * w[{0, 0}]), DType::i32);
  terms.push_back(roll(x, shift, {0, 2}));
  terms.push_back(roll(x, -1, 2));
  terms.push_back(roll(x, {1, 2}, {0, -1}));
  terms.push_back(flip(x, {0, 2}));
  terms.push_back(swapaxes(x, 0, -1));
  terms.push_back(moveaxis(x, {0, 1}, {-1, 0}));
  terms.push_back(squeeze(w));
  for (const Array& y : broadcast_arrays({x, w})) terms.push_back(y);
  terms.push_back(atleast_2d(reduce_sum(w)));
  return weighed(terms);
}

Array repeated_and_tiled(const Arrays& a) {
  const Array &x = a[0], &w = a[1];  // [2, 3], [3]
  Arrays terms{tile(w, {2, 2})};
  terms.push_back(tile(x, 2));
  terms.push_back(repeat(x, 2));
  terms.push_back(repeat(x, 3, 0));
  terms.push_back(repeat(w, {2, 0, 1}));
  terms.push_back(repeat(x, {1, 2, 2}, -1));
  return weighed(terms);
}

Array cut_and_stacked(const Arrays& a) {
  const Array &x = a[0], &w = a[1];  // [4, 3], [3]
  Arrays terms = split(x, 2);
  for (const Array& piece : split(x, {1, 2}, 1)) terms.push_back(piece);
  for (const Array& piece : array_split(x, 3)) terms.push_back(piece);
  Array sum = weighed(terms);
  sum += weighed({vstack({x, w})});
  sum += weighed({hstack({w, reduce_sum(x)})});
  return sum + weighed({hstack({x, x * x})});
}

Array padded_by_modes(const Arrays& a) {
  const Array &x = a[0], &w = a[1];  // [3, 2], [2]
  Arrays terms;
  for (PadMode mode : {PadMode::constant, PadMode::edge, PadMode::reflect, PadMode::symmetric, PadMode::wrap,
                       PadMode::linear_ramp, PadMode::maximum, PadMode::minimum, PadMode::mean,
                       PadMode::median, PadMode::empty})
    terms.push_back(pad(x, {{2, 4}, {1, 0}}, mode));
  for (PadMode mode : {PadMode::reflect, PadMode::symmetric}) terms.push_back(pad(w, 3, mode, {.odd = true}));
  for (PadMode mode : {PadMode::maximum, PadMode::mean, PadMode::median})
    terms.push_back(pad(x, 1, mode, {.stat_length = 2}));
  terms.push_back(pad(w, 1, PadMode::constant, {.constant_value = 0.5}));
  terms.push_back(pad(w, {{0, 3}}, PadMode::linear_ramp, {.end_value = 2}));
  return weighed(terms);
}

Array products_by_name(const Arrays& a) {
  const Array &x = a[0], &w = a[1];  // [2, 3], [3, 2]
  Arrays terms;
  terms.push_back(tensordot(x, w, 1));
  terms.push_back(tensordot(x, w, {{0, 1}, {1, 0}}));
  terms.push_back(tensordot(x, w, 0));
  terms.push_back(inner(x, transpose(w)));
  terms.push_back(outer(x, w));
  terms.push_back(vdot(x, w));
  terms.push_back(kron(x, w));
  Array row = reshape(w, {6});
  terms.push_back(kron(row, x));
  Array z = complex(row, cos(row)), u = complex(sin(row), row);
  Array dot = vdot(z, u);
  terms.push_back(real(dot));
  terms.push_back(imag(dot));
  return weighed(terms);
}

}  // namespace

std::vector<Function> shaping_functions() {
  return {
      {"triangles_and_diagonals", {}, {{3, 4}, {3}}, triangles_and_diagonals},
      {"made_between_bounds", {}, {{2, 3}, {3}}, made_between_bounds},
      {"moved_around", {}, {{2, 3, 4}, {3, 1}}, moved_around},
      {"repeated_and_tiled", {}, {{2, 3}, {3}}, repeated_and_tiled},
      {"cut_and_stacked", {}, {{4, 3}, {3}}, cut_and_stacked},
      {"padded_by_modes", {}, {{3, 2}, {2}}, padded_by_modes},
      {"products_by_name", {}, {{2, 3}, {3, 2}}, products_by_name},
  };
}

}  // namespace tutti
