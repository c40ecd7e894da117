// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/made_of_ops.hpp"

#include "tutti/base/never_destroyed.hpp"
#include "tutti/functions/folds/quantiles.hpp"
#include "tutti/functions/folds/reductions.hpp"
#include "tutti/functions/folds/scans.hpp"
#include "tutti/functions/folds/segments.hpp"
#include "tutti/functions/folds/sorting.hpp"
#include "tutti/functions/folds/statistics.hpp"
#include "tutti/functions/linalg/factors.hpp"
#include "tutti/functions/linalg/least_squares.hpp"
#include "tutti/functions/linalg/matrix_functions.hpp"
#include "tutti/functions/linalg/solving.hpp"
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

namespace {

Arrays arrays_of(const Array& x) { return {x}; }
Arrays arrays_of(Arrays x) { return x; }
Arrays arrays_of(const Key& key) { return {key.data}; }
Arrays arrays_of(const Histogram& histogram) { return {histogram.counts, histogram.edges}; }
Arrays arrays_of(const LstsqResult& found) { return {found.x, found.residuals, found.rank, found.s}; }
Arrays arrays_of(const SlogdetResult& found) { return {found.sign, found.logabsdet}; }
Arrays arrays_of(const UniqueCounts& unique) { return {unique.values, unique.counts}; }

template <class... T>
Types operands(const T&... types) {
  return {types...};
}

/// The row of `call`, which is "name(..)". At most two operands.
FunctionRow row(std::string_view source, std::string_view call, const Types& operands,
                const std::function<Arrays(const Array&, const Array&)>& function) {
  const auto apply = [function](const Arrays& a) {
    return function(a.empty() ? Array() : a[0], a.size() < 2 ? Array() : a[1]);
  };
  return {call.substr(0, call.find('(')), source, call, operands, apply};
}

// The text of a row is the expression that it computes.
#define CALL(source, operands, ...)                                                                          \
  row(source, #__VA_ARGS__, operands, []([[maybe_unused]] const Array& x, [[maybe_unused]] const Array& y) { \
    return arrays_of(__VA_ARGS__);                                                                           \
  })
// The same for a function whose first operand is a key.
#define DRAW(source, operands, ...)                                                             \
  row(source, #__VA_ARGS__, operands, [](const Array& first, [[maybe_unused]] const Array& x) { \
    const Key key{first};                                                                       \
    return arrays_of(__VA_ARGS__);                                                              \
  })

}  // namespace

const std::vector<FunctionRow>& functions_made_of_ops() {
  static const Type four(DType::f32, {4}), three(DType::f32, {3}), scalar(DType::f32, {}),
      thin(DType::f32, {1, 4}), matrix(DType::f32, {4, 3}), other(DType::f32, {3, 2}),
      square(DType::f32, {3, 3}), indices(DType::i32, {4}), number(DType::i32, {}), key_type(DType::u32, {2});
  static const NeverDestroyed<std::vector<FunctionRow>> rows({
      CALL("numpy.all", operands(matrix), all(x > 0, 0)),
      CALL("numpy.amax", operands(matrix), amax(x, 0)),
      CALL("numpy.amin", operands(matrix), amin(x, 0)),
      CALL("numpy.any", operands(matrix), any(x > 0, 0)),
      CALL("numpy.array_split", operands(four), array_split(x, 3)),
      CALL("jax.lax.associative_scan", operands(four),
           associative_scan([](Array a, Array b) { return a * b; }, x)),
      CALL("numpy.atleast_1d", operands(scalar), atleast_1d(x)),
      CALL("numpy.atleast_2d", operands(four), atleast_2d(x)),
      CALL("numpy.average", operands(four), average(x)),
      DRAW("jax.random.bernoulli", operands(key_type), bernoulli(key, 0.5, {4})),
      CALL("jax.numpy.bincount", operands(indices), bincount(x, 4)),
      DRAW("jax.random.bits", operands(key_type), bits(key, {4}, DType::u32)),
      CALL("numpy.broadcast_arrays", operands(three, matrix), broadcast_arrays({x, y})),
      DRAW("jax.random.categorical", operands(key_type, four), categorical(key, x)),
      DRAW("jax.random.choice", operands(key_type), choice(key, 10, {4})),
      CALL("jax.scipy.linalg.cho_solve", operands(square, three), cho_solve(x, y)),
      CALL("numpy.copysign", operands(four, four), copysign(x, y)),
      CALL("numpy.count_nonzero", operands(matrix), count_nonzero(x)),
      CALL("optax.softmax_cross_entropy_with_integer_labels", operands(matrix, indices), cross_entropy(x, y)),
      CALL("numpy.deg2rad", operands(four), deg2rad(x)),
      CALL("numpy.linalg.det", operands(square), det(x)),
      CALL("numpy.diag", operands(four), diag(x)),
      CALL("numpy.diagonal", operands(square), diagonal(x)),
      DRAW("flax.linen.Dropout", operands(key_type, four), dropout(key, x, 0.1)),
      CALL("numpy.einsum", operands(matrix, other), einsum("ij,jk->ik", x, y)),
      CALL("jax.nn.elu", operands(four), elu(x)),
      CALL("jax.scipy.linalg.expm", operands(square), expm(x)),
      DRAW("jax.random.exponential", operands(key_type), exponential(key, {4}, DType::f32)),
      CALL("numpy.eye", operands(), eye(3, DType::f32)),
      CALL("numpy.flip", operands(four), flip(x)),
      CALL("numpy.floor_divide", operands(four, four), floor_divide(x, y)),
      DRAW("jax.random.fold_in", operands(key_type), fold_in(key, 1)),
      CALL("numpy.full_like", operands(four), full_like(x, 2)),
      CALL("jax.nn.gelu", operands(four), gelu(x)),
      CALL("jax.nn.glu", operands(four), glu(x)),
      DRAW("jax.random.gumbel", operands(key_type), gumbel(key, {4}, DType::f32)),
      CALL("jax.nn.hard_tanh", operands(four), hard_tanh(x)),
      CALL("numpy.histogram", operands(four), histogram(x, 4)),
      CALL("numpy.hstack", operands(four, three), hstack({x, y})),
      CALL("numpy.hypot", operands(four, four), hypot(x, y)),
      CALL("numpy.inner", operands(four, four), inner(x, y)),
      CALL("numpy.linalg.inv", operands(square), inv(x)),
      CALL("numpy.isinf", operands(four), isinf(x)),
      CALL("numpy.isnan", operands(four), isnan(x)),
      CALL("jax.random.key", operands(number), key(x)),
      CALL("numpy.kron", operands(four, four), kron(x, y)),
      CALL("flax.linen.LayerNorm", operands(matrix), layer_norm(x)),
      CALL("jax.nn.leaky_relu", operands(four), leaky_relu(x)),
      CALL("numpy.lexsort", operands(four, four), lexsort({x, y})),
      CALL("numpy.linspace", operands(), linspace(0, 1, 5, DType::f32)),
      CALL("jax.nn.log_sigmoid", operands(four), log_sigmoid(x)),
      CALL("jax.nn.log_softmax", operands(four), log_softmax(x)),
      CALL("numpy.logaddexp", operands(four, four), logaddexp(x, y)),
      CALL("jax.numpy.cumulative_logsumexp", operands(four), logcumsumexp(x)),
      CALL("numpy.logspace", operands(), logspace(0, 2, 3, DType::f32)),
      CALL("jax.nn.logsumexp", operands(four), logsumexp(x)),
      CALL("jax.numpy.linalg.lstsq", operands(matrix, four), lstsq(x, y)),
      CALL("jax.scipy.linalg.lu_solve", operands(square, three), lu_solve(lu(x), y)),
      CALL("numpy.linalg.matrix_norm", operands(matrix), matrix_norm(x, {.ord = 1})),
      CALL("numpy.linalg.matrix_power", operands(square), matrix_power(x, 3)),
      CALL("numpy.linalg.matrix_rank", operands(matrix), matrix_rank(x)),
      CALL("numpy.mean", operands(matrix), mean(x, 0)),
      CALL("numpy.median", operands(four), median(x)),
      CALL("numpy.meshgrid", operands(four, three), meshgrid({x, y})),
      CALL("numpy.mod", operands(four, four), mod(x, y)),
      CALL("numpy.moveaxis", operands(matrix), moveaxis(x, 0, -1)),
      CALL("numpy.nan_to_num", operands(four), nan_to_num(x)),
      CALL("numpy.nanmean", operands(four), nanmean(x)),
      CALL("numpy.nansum", operands(four), nansum(x)),
      CALL("numpy.linalg.norm", operands(four), norm(x, 0, {.ord = 1})),
      DRAW("jax.random.normal", operands(key_type), normal(key, {4}, DType::f32)),
      CALL("jax.nn.one_hot", operands(indices), one_hot(x, 3)),
      CALL("numpy.outer", operands(four, four), outer(x, y)),
      DRAW("jax.random.permutation", operands(key_type), permutation(key, 4)),
      CALL("jax.numpy.linalg.pinv", operands(matrix), pinv(x)),
      CALL("numpy.prod", operands(matrix), prod(x, 0)),
      CALL("numpy.ptp", operands(matrix), ptp(x, 0)),
      CALL("numpy.quantile", operands(four), quantile(x, 0.25)),
      CALL("numpy.rad2deg", operands(four), rad2deg(x)),
      DRAW("jax.random.randint", operands(key_type), randint(key, {4}, 0, 10, DType::i32)),
      CALL("jax.nn.relu", operands(four), relu(x)),
      CALL("numpy.repeat", operands(four), repeat(x, 2)),
      CALL("flax.linen.RMSNorm", operands(matrix), rms_norm(x)),
      CALL("numpy.roll", operands(four), roll(x, 1)),
      CALL("numpy.searchsorted", operands(four, four), searchsorted(x, y)),
      CALL("jax.ops.segment_max", operands(four, indices), segment_max(x, y, 2)),
      CALL("jax.ops.segment_min", operands(four, indices), segment_min(x, y, 2)),
      CALL("jax.ops.segment_sum", operands(four, indices), segment_sum(x, y, 2)),
      CALL("jax.nn.selu", operands(four), selu(x)),
      CALL("jax.nn.silu", operands(four), silu(x)),
      CALL("numpy.linalg.slogdet", operands(square), slogdet(x)),
      CALL("jax.nn.softmax", operands(four), softmax(x)),
      CALL("jax.nn.softplus", operands(four), softplus(x)),
      CALL("numpy.linalg.solve", operands(square, three), solve(x, y)),
      CALL("numpy.split", operands(four), split(x, 2)),
      CALL("numpy.squeeze", operands(thin), squeeze(x)),
      CALL("jax.nn.standardize", operands(matrix), standardize(x)),
      CALL("numpy.std", operands(four), stddev(x)),
      CALL("numpy.sum", operands(matrix), sum(x, 0, {.keepdims = true})),
      CALL("numpy.swapaxes", operands(matrix), swapaxes(x, 0, 1)),
      CALL("numpy.tensordot", operands(matrix, other), tensordot(x, y, 1)),
      CALL("numpy.tile", operands(four), tile(x, 2)),
      CALL("numpy.trace", operands(square), trace(x)),
      CALL("numpy.tri", operands(), tri(3, DType::f32)),
      CALL("numpy.tril", operands(square), tril(x)),
      CALL("numpy.triu", operands(square), triu(x)),
      DRAW("jax.random.truncated_normal", operands(key_type),
           truncated_normal(key, -1.0F, 1.0F, {4}, DType::f32)),
      DRAW("jax.random.uniform", operands(key_type), uniform(key, {4}, DType::f32)),
      CALL("jax.numpy.unique", operands(four), unique(x, 3)),
      CALL("jax.numpy.unique_counts", operands(four), unique_counts(x, 3)),
      CALL("numpy.var", operands(four), variance(x, 0, {.ddof = 1})),
      CALL("numpy.vdot", operands(four, four), vdot(x, y)),
      CALL("numpy.vstack", operands(four, four), vstack({x, y})),
      CALL("jax.scipy.special.xlogy", operands(four, four), xlogy(x, y)),
  });
  return *rows;
}

#undef CALL
#undef DRAW

}  // namespace tutti
