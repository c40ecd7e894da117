# SPDX-License-Identifier: Apache-2.0
"""What devices do by themselves, between collectives; see jax_functions.py."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P
from jax_functions import spmd


def over_devices(x):
    return lax.psum(jnp.sum(x), "x")


@spmd(P("x"), P())
def functions_of_one_number(x, w):
    y = 2 + x * w  # in [1, 3]
    smooth = jnp.exp(y) / 4 + jnp.log(y) * w + jnp.tanh(y) + jnp.sin(y) * x + jnp.cos(y)
    return over_devices(smooth + jnp.sqrt(y) * w + lax.rsqrt(y) + lax.logistic(x) * w + jnp.abs(x) * jnp.sign(w))


@spmd(P("x"), P())
def complex_between_real(b, a):
    z = lax.complex(a, 0.5 * a * a)
    terms = jnp.exp(z) * lax.complex(b, jnp.tanh(b)) / (z + 3)
    total = lax.psum(jnp.sum(terms, 0), "x")
    real = jnp.real(total * jnp.conj(total)) + jnp.abs(total)
    return jnp.sum(real + jnp.imag(jnp.log(z + 3)) + jnp.real(jnp.tanh(z) * jnp.sqrt(z + 2)))


@spmd(P("x"), P())
def functions_near_zero(x, w):
    y = x * w / 2
    return over_devices(jnp.log1p(y) * x + jnp.expm1(y) * w + lax.erf(y) * x)


@spmd(P("x"), P())
def powers_and_angles(x, w):
    y = 2 + x
    return over_devices(jnp.power(y, w) + jnp.arctan2(x, 2 + w) * w + jnp.fmod(3 * y, 2 + w * 0.25))


@spmd(P("x"), P())
def rounded(x, w):
    return over_devices(x * jnp.floor(4 * w * x) + w * jnp.ceil(3 * x) + x * jnp.round(2.3 * x))


@spmd(P("x"), P())
def bounded(x, w):
    y = jnp.maximum(x, w * 0.5) * jnp.minimum(x * x, 0.7) + jnp.clip(x, -0.4, 0.6) * w
    return over_devices(y * jax.nn.relu(x * w) + jnp.where(x > w, x * w, jnp.exp(x)))


@spmd(P("x"), P())
def counted(x, w):
    positive = jnp.sum((x > 0).astype(x.dtype), axis=0)  # [3]
    hot = jax.nn.one_hot(jnp.argmax(x, axis=1), 3, dtype=x.dtype)  # [2, 3]
    return over_devices(positive * jnp.sin(w) + jnp.sum(hot * x * w, axis=0))


@spmd(P("x"), P())
def sorted_by_value(x, w):
    order = jnp.argsort(-x, axis=0)  # [4, 2]
    return over_devices(jnp.tanh(jnp.sort(x, axis=0)) * w + jnp.take_along_axis(x * x, order, axis=0) * w * w)


@spmd(P("x"), P())
def running_sums(x, w):
    ahead, back = jnp.cumsum(x * w, axis=0), lax.cumsum(x, axis=1, reverse=True)
    return over_devices(jnp.sin(ahead) * back)


@spmd(P("x"), P())
def rows_taken(x, table):
    rows = (jnp.arange(3) * 2 + lax.axis_index("x")) % 4
    return over_devices(jnp.exp(table[rows] * jnp.take(x, jnp.array([1, 0, 1]), axis=1).T))


@spmd(P("x"), P())
def rows_added(x, table):
    rows = (jnp.arange(2) * 3 + lax.axis_index("x")) % 4
    sums = lax.psum(table.at[rows].add(x * x), "x")
    return jnp.sum(jnp.tanh(sums) * table)


@spmd(P("x"), P())
def rows_put(x, table):
    rows = (jnp.arange(2) * 2 + lax.axis_index("x")) % 4
    return over_devices(jnp.sin(table.at[rows].set(x)) * table)


@spmd(P("x"), P())
def a_window_that_moves(x, w):
    start = lax.axis_index("x")
    window = lax.dynamic_slice_in_dim(w, start, 2)  # [2, 3] of [6, 3]
    written = lax.dynamic_update_slice(w, jnp.tanh(x * window), (start + 1, jnp.int32(0)))
    return over_devices(written * written * w)


@spmd(P("x"), P())
def cut_and_joined(x, w):
    padded = lax.pad(x, jnp.float64(0.5), ((1, 2, 1), (0, -1, 0)))  # [2, 3] -> [6, 2]
    joined = jnp.concatenate([padded, w[:, :2] * 2, jnp.flip(padded, (0, 1))], axis=0)  # [16, 2]
    return over_devices(jnp.exp(joined[1:15:3] / 2) * jnp.sum(joined[-1]))


@spmd(P("x"), P())
def turned_and_spread(x, w):
    turned = jnp.transpose(x.reshape(2, 3, 2), (2, 0, 1))  # [2, 2, 3]
    stacked = jnp.stack([turned * w, jnp.broadcast_to(w, (2, 2, 3))], axis=1)  # [2, 2, 2, 3]
    return over_devices(jnp.sin(stacked) * turned[:, None] * stacked[0, 1, 0, 2])


@spmd(P("x"), P())
def largest_and_smallest(x, w):
    return over_devices(jnp.max(x * w, axis=1) * jnp.min(x, axis=1)) + lax.psum(jnp.max(x * x), "x")


@spmd(P("x"), P())
def spread_around_the_mean(x, w):
    normal = (x - jnp.mean(x, axis=1, keepdims=True)) * lax.rsqrt(jnp.var(x, axis=1, keepdims=True) + 0.25)
    return over_devices(jnp.tanh(normal * w) * jnp.var(x))


@spmd(P(None, "x"), P())
def normalised_over_devices(x, w):
    mean = lax.pmean(jnp.mean(x, axis=1), "x")
    away = x - mean[:, None]
    spread = lax.rsqrt(lax.pmean(jnp.mean(away * away, axis=1), "x") + 0.5)
    return over_devices(jnp.tanh(away * spread[:, None] * w))


@spmd(P("x"), P())
def classified(x, w):
    logits = x @ w  # [3, 5]
    labels = (jnp.arange(3) * 2 + lax.axis_index("x")) % 5
    log_probabilities = jax.nn.log_softmax(logits)
    loss = -jnp.mean(jnp.take_along_axis(log_probabilities, labels[:, None], axis=1))
    return lax.pmean(loss + jnp.sum(jax.nn.softmax(logits, axis=0) * logits) * 0.1, "x") + over_devices(
        jax.nn.logsumexp(logits, axis=1)
    )


@spmd(P("x"), P())
def products_in_batches(x, w):
    pairs = jnp.einsum("bik,bkj->bij", x, w)  # [2, 3, 4], [2, 4, 3]
    mixed = jnp.einsum("bik,bjk->ibj", x, x)  # contracted with itself
    return over_devices(jnp.tanh(pairs) * mixed.transpose(1, 0, 2))


@spmd(P("x"), P(), P())
def attention_to_all_rows(x, wk, wv):
    keys = lax.all_gather(x @ wk, "x", axis=0, tiled=True)
    values = lax.all_gather(x @ wv, "x", axis=0, tiled=True)
    weights = jax.nn.softmax(x @ keys.T * 0.5)
    return over_devices(jnp.sin(weights @ values))


@spmd(P("x"), P())
def held_and_stopped(x, w):
    y, v = lax.optimization_barrier((x * w, jnp.sin(w)))
    return over_devices(y * lax.stop_gradient(y * v) + v * x)


# --- The twins of pointwise_functions.cpp

@spmd(P("x"), P())
def angles(x, w):
    y = x * w
    return over_devices(jnp.tan(y) + jnp.arcsin(0.9 * y) * w + jnp.arccos(0.9 * y) * x + jnp.arctan(3 * y))


@spmd(P("x"), P())
def hyperbolic_functions(x, w):
    y = x * w
    return over_devices(jnp.sinh(2 * y) + jnp.cosh(y) * x + jnp.arcsinh(3 * y) * w + jnp.arccosh(2 + y)
                        + jnp.arctanh(0.9 * y) * w)


@spmd(P("x"), P())
def powers_and_roots(x, w):
    y = 2 + x * w
    return over_devices(jnp.exp2(y) * w + jnp.log2(y) * x + jnp.log10(y) + jnp.cbrt(y) * w + jnp.hypot(x, w + 2) * x)


@spmd(P("x"), P())
def error_functions(x, w):
    y = x * w
    return over_devices(lax.erfc(y) * x + lax.erf_inv(0.5 * y) * w)


@spmd(P("x"), P())
def logarithm_of_gamma(x, w):
    return over_devices(lax.lgamma(x * w + 2.5) * w)


@spmd(P("x"), P())
def complex_angles(x, w):
    z = lax.complex(0.5 * x * w, 0.3 * w + 0.2 * x)
    first = jnp.tan(z) * jnp.sinh(z) + jnp.cosh(z)
    second = jnp.arcsinh(z) + jnp.arctanh(z) * jnp.arcsin(z)
    third = jnp.arctan(z) - jnp.arccos(z) * jnp.arccosh(z + 2)
    return over_devices(jnp.abs(first + second) + jnp.real(third))


@spmd(P("x"), P())
def remainders(x, w):
    y = 3 * x
    whole = jnp.floor_divide(y, 0.7) + jnp.floor_divide(y, -0.4) * w
    return over_devices(whole * x + jnp.mod(y, 0.7) * w + jnp.mod(y, -0.4) + jnp.mod(2 + x, 1.5 + w))


@spmd(P("x"), P())
def signs_and_logarithms(x, w):
    return over_devices(jnp.copysign(x * x, w) * x + jnp.logaddexp(x, 3 * w) + jax.scipy.special.xlogy(x + 1.5, w + 1.5)
                        + jnp.deg2rad(100 * x) * w + jnp.rad2deg(0.1 * x * w))


@spmd(P("x"), P())
def not_numbers(x, w):
    odd = jnp.log(jnp.floor(2 * lax.stop_gradient(x)))
    plain = jnp.nan_to_num(odd, nan=0.25, posinf=2, neginf=-3)
    return over_devices(plain * w + jnp.where(jnp.isnan(odd), x, x * w) + jnp.where(jnp.isinf(odd), w, x * x))


@spmd(P("x"), P())
def counted_bits(x, w):
    n = (1000 * lax.stop_gradient(x)).astype(jnp.int32)
    counts = lax.population_count(n).astype(x.dtype) + lax.clz(n.astype(jnp.int64)).astype(x.dtype)
    return over_devices(counts * x * w + jnp.mod(n, 7).astype(x.dtype) * w
                        + jnp.floor_divide(n, -7).astype(x.dtype) * 0.01 * x)


@spmd(P("x"), P())
def smooth_activations(x, w):
    y = 2 * x * w
    return over_devices(jax.nn.gelu(y) + jax.nn.gelu(y, approximate=False) * x + jax.nn.silu(y) * w)


@spmd(P("x"), P())
def soft_activations(x, w):
    y = 2 * x * w
    return over_devices(jax.nn.softplus(y) + jax.nn.log_sigmoid(y) * x)


@spmd(P("x"), P())
def activations_with_kinks(x, w):
    y = 2 * x * w
    return over_devices(jax.nn.elu(y, 0.5) * x + jax.nn.selu(x) * w + jax.nn.leaky_relu(y) + jax.nn.leaky_relu(x, 0.3) * w
                        + jax.nn.hard_tanh(1.5 * y))


@spmd(P("x"), P())
def gated(x, w):
    return over_devices(jax.nn.glu(x) * w + jax.nn.glu(jnp.sin(x), -1))


def rms_norm(x, axis=-1, epsilon=1e-5):
    return x * lax.rsqrt(jnp.mean(x * x, axis, keepdims=True) + epsilon)


@spmd(P("x"), P())
def normal_layers(x, w):
    first = (jax.nn.standardize(x, -1, epsilon=1e-5) * w + 0.5 * w) * x + jax.nn.standardize(x * x, -1, epsilon=0.1)
    return over_devices(first + rms_norm(x) * w * x + rms_norm(jnp.sin(x), (0, 1), 0.25))
