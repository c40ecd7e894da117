// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/made_of_ops.hpp"

#include "tutti/base/never_destroyed.hpp"
#include "tutti/functions/folds/quantiles.hpp"
#include "tutti/functions/folds/reductions.hpp"
#include "tutti/functions/folds/scans.hpp"
#include "tutti/functions/folds/segments.hpp"
#include "tutti/functions/folds/sorting.hpp"
#include "tutti/functions/folds/statistics.hpp"
#include "tutti/functions/nn/activations.hpp"
#include "tutti/functions/nn/nn.hpp"
#include "tutti/functions/nn/normalization.hpp"
#include "tutti/functions/numbers/elementary.hpp"
#include "tutti/functions/products/einsum.hpp"
#include "tutti/functions/products/products.hpp"
#include "tutti/functions/random/random.hpp"
#include "tutti/functions/random/random_distributions.hpp"
#include "tutti/functions/shapes/diagonals.hpp"
#include "tutti/functions/shapes/making.hpp"
#include "tutti/functions/shapes/padding.hpp"
#include "tutti/functions/shapes/pieces.hpp"
#include "tutti/functions/shapes/shaping.hpp"
#include "tutti/ir/index.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/compare.hpp"

namespace tutti {

const std::vector<FunctionRow>& functions_made_of_ops() {
  static const Type four(DType::f32, {4}), three(DType::f32, {3}), scalar(DType::f32, {}),
      thin(DType::f32, {1, 4}), matrix(DType::f32, {4, 3}), other(DType::f32, {3, 2}),
      square(DType::f32, {3, 3}), indices(DType::i32, {4}), number(DType::i32, {}), key_type(DType::u32, {2});
  // clang-format off
  static const NeverDestroyed<std::vector<FunctionRow>> rows({
      {"all", "numpy.all", "all(x > 0, 0)", {matrix}, [](const Arrays& a) { return Arrays{all(a[0] > 0, 0)}; }},
      {"amax", "numpy.amax", "amax(x, 0)", {matrix}, [](const Arrays& a) { return Arrays{amax(a[0], 0)}; }},
      {"amin", "numpy.amin", "amin(x, 0)", {matrix}, [](const Arrays& a) { return Arrays{amin(a[0], 0)}; }},
      {"any", "numpy.any", "any(x > 0, 0)", {matrix}, [](const Arrays& a) { return Arrays{any(a[0] > 0, 0)}; }},
      {"array_split", "numpy.array_split", "array_split(x, 3)", {four}, [](const Arrays& a) { return array_split(a[0], 3); }},
      {"associative_scan", "jax.lax.associative_scan", "associative_scan([](Array a, Array b) { return a * b; }, x)", {four}, [](const Arrays& a) { return Arrays{associative_scan([](Array b, Array c) { return b * c; }, a[0])}; }},
      {"atleast_1d", "numpy.atleast_1d", "atleast_1d(x)", {scalar}, [](const Arrays& a) { return Arrays{atleast_1d(a[0])}; }},
      {"atleast_2d", "numpy.atleast_2d", "atleast_2d(x)", {four}, [](const Arrays& a) { return Arrays{atleast_2d(a[0])}; }},
      {"average", "numpy.average", "average(x)", {four}, [](const Arrays& a) { return Arrays{average(a[0])}; }},
      {"bernoulli", "jax.random.bernoulli", "bernoulli(key, 0.5, {4})", {key_type}, [](const Arrays& a) { return Arrays{bernoulli(Key{a[0]}, 0.5, {4})}; }},
      {"bincount", "jax.numpy.bincount", "bincount(x, 4)", {indices}, [](const Arrays& a) { return Arrays{bincount(a[0], 4)}; }},
      {"bits", "jax.random.bits", "bits(key, {4}, DType::u32)", {key_type}, [](const Arrays& a) { return Arrays{bits(Key{a[0]}, {4}, DType::u32)}; }},
      {"broadcast_arrays", "numpy.broadcast_arrays", "broadcast_arrays({x, y})", {three, matrix}, [](const Arrays& a) { return broadcast_arrays({a[0], a[1]}); }},
      {"categorical", "jax.random.categorical", "categorical(key, x)", {key_type, four}, [](const Arrays& a) { return Arrays{categorical(Key{a[0]}, a[1])}; }},
      {"choice", "jax.random.choice", "choice(key, 10, {4})", {key_type}, [](const Arrays& a) { return Arrays{choice(Key{a[0]}, 10, {4})}; }},
      {"copysign", "numpy.copysign", "copysign(x, y)", {four, four}, [](const Arrays& a) { return Arrays{copysign(a[0], a[1])}; }},
      {"count_nonzero", "numpy.count_nonzero", "count_nonzero(x)", {matrix}, [](const Arrays& a) { return Arrays{count_nonzero(a[0])}; }},
      {"cross_entropy", "optax.softmax_cross_entropy_with_integer_labels", "cross_entropy(x, y)", {matrix, indices}, [](const Arrays& a) { return Arrays{cross_entropy(a[0], a[1])}; }},
      {"deg2rad", "numpy.deg2rad", "deg2rad(x)", {four}, [](const Arrays& a) { return Arrays{deg2rad(a[0])}; }},
      {"diag", "numpy.diag", "diag(x)", {four}, [](const Arrays& a) { return Arrays{diag(a[0])}; }},
      {"diagonal", "numpy.diagonal", "diagonal(x)", {square}, [](const Arrays& a) { return Arrays{diagonal(a[0])}; }},
      {"dropout", "flax.linen.Dropout", "dropout(key, x, 0.1)", {key_type, four}, [](const Arrays& a) { return Arrays{dropout(Key{a[0]}, a[1], 0.1)}; }},
      {"einsum", "numpy.einsum", "einsum(\"ij,jk->ik\", x, y)", {matrix, other}, [](const Arrays& a) { return Arrays{einsum("ij,jk->ik", a[0], a[1])}; }},
      {"elu", "jax.nn.elu", "elu(x)", {four}, [](const Arrays& a) { return Arrays{elu(a[0])}; }},
      {"exponential", "jax.random.exponential", "exponential(key, {4}, DType::f32)", {key_type}, [](const Arrays& a) { return Arrays{exponential(Key{a[0]}, {4}, DType::f32)}; }},
      {"eye", "numpy.eye", "eye(3, DType::f32)", {}, [](const Arrays&) { return Arrays{eye(3, DType::f32)}; }},
      {"flip", "numpy.flip", "flip(x)", {four}, [](const Arrays& a) { return Arrays{flip(a[0])}; }},
      {"floor_divide", "numpy.floor_divide", "floor_divide(x, y)", {four, four}, [](const Arrays& a) { return Arrays{floor_divide(a[0], a[1])}; }},
      {"fold_in", "jax.random.fold_in", "fold_in(key, 1)", {key_type}, [](const Arrays& a) { return Arrays{fold_in(Key{a[0]}, 1).data}; }},
      {"full_like", "numpy.full_like", "full_like(x, 2)", {four}, [](const Arrays& a) { return Arrays{full_like(a[0], 2)}; }},
      {"gelu", "jax.nn.gelu", "gelu(x)", {four}, [](const Arrays& a) { return Arrays{gelu(a[0])}; }},
      {"glu", "jax.nn.glu", "glu(x)", {four}, [](const Arrays& a) { return Arrays{glu(a[0])}; }},
      {"gumbel", "jax.random.gumbel", "gumbel(key, {4}, DType::f32)", {key_type}, [](const Arrays& a) { return Arrays{gumbel(Key{a[0]}, {4}, DType::f32)}; }},
      {"hard_tanh", "jax.nn.hard_tanh", "hard_tanh(x)", {four}, [](const Arrays& a) { return Arrays{hard_tanh(a[0])}; }},
      {"histogram", "numpy.histogram", "histogram(x, 4)", {four}, [](const Arrays& a) { const Histogram made = histogram(a[0], 4); return Arrays{made.counts, made.edges}; }},
      {"hstack", "numpy.hstack", "hstack({x, y})", {four, three}, [](const Arrays& a) { return Arrays{hstack({a[0], a[1]})}; }},
      {"hypot", "numpy.hypot", "hypot(x, y)", {four, four}, [](const Arrays& a) { return Arrays{hypot(a[0], a[1])}; }},
      {"inner", "numpy.inner", "inner(x, y)", {four, four}, [](const Arrays& a) { return Arrays{inner(a[0], a[1])}; }},
      {"isinf", "numpy.isinf", "isinf(x)", {four}, [](const Arrays& a) { return Arrays{isinf(a[0])}; }},
      {"isnan", "numpy.isnan", "isnan(x)", {four}, [](const Arrays& a) { return Arrays{isnan(a[0])}; }},
      {"key", "jax.random.key", "key(x)", {number}, [](const Arrays& a) { return Arrays{key(a[0]).data}; }},
      {"kron", "numpy.kron", "kron(x, y)", {four, four}, [](const Arrays& a) { return Arrays{kron(a[0], a[1])}; }},
      {"layer_norm", "flax.linen.LayerNorm", "layer_norm(x)", {matrix}, [](const Arrays& a) { return Arrays{layer_norm(a[0])}; }},
      {"leaky_relu", "jax.nn.leaky_relu", "leaky_relu(x)", {four}, [](const Arrays& a) { return Arrays{leaky_relu(a[0])}; }},
      {"lexsort", "numpy.lexsort", "lexsort({x, y})", {four, four}, [](const Arrays& a) { return Arrays{lexsort({a[0], a[1]})}; }},
      {"linspace", "numpy.linspace", "linspace(0, 1, 5, DType::f32)", {}, [](const Arrays&) { return Arrays{linspace(0, 1, 5, DType::f32)}; }},
      {"log_sigmoid", "jax.nn.log_sigmoid", "log_sigmoid(x)", {four}, [](const Arrays& a) { return Arrays{log_sigmoid(a[0])}; }},
      {"log_softmax", "jax.nn.log_softmax", "log_softmax(x)", {four}, [](const Arrays& a) { return Arrays{log_softmax(a[0])}; }},
      {"logaddexp", "numpy.logaddexp", "logaddexp(x, y)", {four, four}, [](const Arrays& a) { return Arrays{logaddexp(a[0], a[1])}; }},
      {"logcumsumexp", "jax.numpy.cumulative_logsumexp", "logcumsumexp(x)", {four}, [](const Arrays& a) { return Arrays{logcumsumexp(a[0])}; }},
      {"logspace", "numpy.logspace", "logspace(0, 2, 3, DType::f32)", {}, [](const Arrays&) { return Arrays{logspace(0, 2, 3, DType::f32)}; }},
      {"logsumexp", "jax.nn.logsumexp", "logsumexp(x)", {four}, [](const Arrays& a) { return Arrays{logsumexp(a[0])}; }},
      {"matrix_norm", "numpy.linalg.matrix_norm", "matrix_norm(x, {.ord = 1})", {matrix}, [](const Arrays& a) { return Arrays{matrix_norm(a[0], {.ord = 1})}; }},
      {"mean", "numpy.mean", "mean(x, 0)", {matrix}, [](const Arrays& a) { return Arrays{mean(a[0], 0)}; }},
      {"median", "numpy.median", "median(x)", {four}, [](const Arrays& a) { return Arrays{median(a[0])}; }},
      {"meshgrid", "numpy.meshgrid", "meshgrid({x, y})", {four, three}, [](const Arrays& a) { return meshgrid({a[0], a[1]}); }},
      {"mod", "numpy.mod", "mod(x, y)", {four, four}, [](const Arrays& a) { return Arrays{mod(a[0], a[1])}; }},
      {"moveaxis", "numpy.moveaxis", "moveaxis(x, 0, -1)", {matrix}, [](const Arrays& a) { return Arrays{moveaxis(a[0], 0, -1)}; }},
      {"nan_to_num", "numpy.nan_to_num", "nan_to_num(x)", {four}, [](const Arrays& a) { return Arrays{nan_to_num(a[0])}; }},
      {"nanmean", "numpy.nanmean", "nanmean(x)", {four}, [](const Arrays& a) { return Arrays{nanmean(a[0])}; }},
      {"nansum", "numpy.nansum", "nansum(x)", {four}, [](const Arrays& a) { return Arrays{nansum(a[0])}; }},
      {"norm", "numpy.linalg.norm", "norm(x, 0, {.ord = 1})", {four}, [](const Arrays& a) { return Arrays{norm(a[0], 0, {.ord = 1})}; }},
      {"normal", "jax.random.normal", "normal(key, {4}, DType::f32)", {key_type}, [](const Arrays& a) { return Arrays{normal(Key{a[0]}, {4}, DType::f32)}; }},
      {"one_hot", "jax.nn.one_hot", "one_hot(x, 3)", {indices}, [](const Arrays& a) { return Arrays{one_hot(a[0], 3)}; }},
      {"outer", "numpy.outer", "outer(x, y)", {four, four}, [](const Arrays& a) { return Arrays{outer(a[0], a[1])}; }},
      {"permutation", "jax.random.permutation", "permutation(key, 4)", {key_type}, [](const Arrays& a) { return Arrays{permutation(Key{a[0]}, 4)}; }},
      {"prod", "numpy.prod", "prod(x, 0)", {matrix}, [](const Arrays& a) { return Arrays{prod(a[0], 0)}; }},
      {"ptp", "numpy.ptp", "ptp(x, 0)", {matrix}, [](const Arrays& a) { return Arrays{ptp(a[0], 0)}; }},
      {"quantile", "numpy.quantile", "quantile(x, 0.25)", {four}, [](const Arrays& a) { return Arrays{quantile(a[0], 0.25)}; }},
      {"rad2deg", "numpy.rad2deg", "rad2deg(x)", {four}, [](const Arrays& a) { return Arrays{rad2deg(a[0])}; }},
      {"randint", "jax.random.randint", "randint(key, {4}, 0, 10, DType::i32)", {key_type}, [](const Arrays& a) { return Arrays{randint(Key{a[0]}, {4}, 0, 10, DType::i32)}; }},
      {"relu", "jax.nn.relu", "relu(x)", {four}, [](const Arrays& a) { return Arrays{relu(a[0])}; }},
      {"repeat", "numpy.repeat", "repeat(x, 2)", {four}, [](const Arrays& a) { return Arrays{repeat(a[0], 2)}; }},
      {"rms_norm", "flax.linen.RMSNorm", "rms_norm(x)", {matrix}, [](const Arrays& a) { return Arrays{rms_norm(a[0])}; }},
      {"roll", "numpy.roll", "roll(x, 1)", {four}, [](const Arrays& a) { return Arrays{roll(a[0], 1)}; }},
      {"searchsorted", "numpy.searchsorted", "searchsorted(x, y)", {four, four}, [](const Arrays& a) { return Arrays{searchsorted(a[0], a[1])}; }},
      {"segment_max", "jax.ops.segment_max", "segment_max(x, y, 2)", {four, indices}, [](const Arrays& a) { return Arrays{segment_max(a[0], a[1], 2)}; }},
      {"segment_min", "jax.ops.segment_min", "segment_min(x, y, 2)", {four, indices}, [](const Arrays& a) { return Arrays{segment_min(a[0], a[1], 2)}; }},
      {"segment_sum", "jax.ops.segment_sum", "segment_sum(x, y, 2)", {four, indices}, [](const Arrays& a) { return Arrays{segment_sum(a[0], a[1], 2)}; }},
      {"selu", "jax.nn.selu", "selu(x)", {four}, [](const Arrays& a) { return Arrays{selu(a[0])}; }},
      {"silu", "jax.nn.silu", "silu(x)", {four}, [](const Arrays& a) { return Arrays{silu(a[0])}; }},
      {"softmax", "jax.nn.softmax", "softmax(x)", {four}, [](const Arrays& a) { return Arrays{softmax(a[0])}; }},
      {"softplus", "jax.nn.softplus", "softplus(x)", {four}, [](const Arrays& a) { return Arrays{softplus(a[0])}; }},
      {"split", "numpy.split", "split(x, 2)", {four}, [](const Arrays& a) { return split(a[0], 2); }},
      {"squeeze", "numpy.squeeze", "squeeze(x)", {thin}, [](const Arrays& a) { return Arrays{squeeze(a[0])}; }},
      {"standardize", "jax.nn.standardize", "standardize(x)", {matrix}, [](const Arrays& a) { return Arrays{standardize(a[0])}; }},
      {"stddev", "numpy.std", "stddev(x)", {four}, [](const Arrays& a) { return Arrays{stddev(a[0])}; }},
      {"sum", "numpy.sum", "sum(x, 0, {.keepdims = true})", {matrix}, [](const Arrays& a) { return Arrays{sum(a[0], 0, {.keepdims = true})}; }},
      {"swapaxes", "numpy.swapaxes", "swapaxes(x, 0, 1)", {matrix}, [](const Arrays& a) { return Arrays{swapaxes(a[0], 0, 1)}; }},
      {"tensordot", "numpy.tensordot", "tensordot(x, y, 1)", {matrix, other}, [](const Arrays& a) { return Arrays{tensordot(a[0], a[1], 1)}; }},
      {"tile", "numpy.tile", "tile(x, 2)", {four}, [](const Arrays& a) { return Arrays{tile(a[0], 2)}; }},
      {"trace", "numpy.trace", "trace(x)", {square}, [](const Arrays& a) { return Arrays{trace(a[0])}; }},
      {"tri", "numpy.tri", "tri(3, DType::f32)", {}, [](const Arrays&) { return Arrays{tri(3, DType::f32)}; }},
      {"tril", "numpy.tril", "tril(x)", {square}, [](const Arrays& a) { return Arrays{tril(a[0])}; }},
      {"triu", "numpy.triu", "triu(x)", {square}, [](const Arrays& a) { return Arrays{triu(a[0])}; }},
      {"truncated_normal", "jax.random.truncated_normal", "truncated_normal(key, -1.0F, 1.0F, {4}, DType::f32)", {key_type}, [](const Arrays& a) { return Arrays{truncated_normal(Key{a[0]}, -1.0F, 1.0F, {4}, DType::f32)}; }},
      {"uniform", "jax.random.uniform", "uniform(key, {4}, DType::f32)", {key_type}, [](const Arrays& a) { return Arrays{uniform(Key{a[0]}, {4}, DType::f32)}; }},
      {"unique", "jax.numpy.unique", "unique(x, 3)", {four}, [](const Arrays& a) { return Arrays{unique(a[0], 3)}; }},
      {"unique_counts", "jax.numpy.unique_counts", "unique_counts(x, 3)", {four}, [](const Arrays& a) { const UniqueCounts made = unique_counts(a[0], 3); return Arrays{made.values, made.counts}; }},
      {"variance", "numpy.var", "variance(x, 0, {.ddof = 1})", {four}, [](const Arrays& a) { return Arrays{variance(a[0], 0, {.ddof = 1})}; }},
      {"vdot", "numpy.vdot", "vdot(x, y)", {four, four}, [](const Arrays& a) { return Arrays{vdot(a[0], a[1])}; }},
      {"vstack", "numpy.vstack", "vstack({x, y})", {four, four}, [](const Arrays& a) { return Arrays{vstack({a[0], a[1]})}; }},
      {"xlogy", "jax.scipy.special.xlogy", "xlogy(x, y)", {four, four}, [](const Arrays& a) { return Arrays{xlogy(a[0], a[1])}; }},
  });
  // clang-format on
  return *rows;
}

}  // namespace tutti
