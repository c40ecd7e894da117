# SPDX-License-Identifier: Apache-2.0
"""Reductions, scans, sorting and segments; see jax_functions.py."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P
from jax_functions import spmd


def over_devices(x):
    return lax.psum(jnp.sum(x), "x")


def twice(x):
    return jnp.concatenate([x, x])


@spmd(P("x"), P())
def products(x, w):
    z = x - x[:1]
    one_zero, two_zeros = jnp.prod(z * w + z, 0), jnp.prod(twice(z), 0)
    return over_devices(jnp.sin(jnp.prod(1.5 + x * w, 1)) + jnp.prod(x, keepdims=True)) + over_devices(
        one_zero * w + two_zeros + jnp.prod(x, 0, where=x > 0)
    )


@spmd(P("x"), P())
def running_products(x, w):
    z = x[3:4] - x
    return over_devices(jnp.cumprod(z, 0) * w + lax.cumprod(2 * x * w, 1, reverse=True))


@spmd(P("x"), P())
def running_extremes(x, w):
    ties = twice(x)
    weights = jnp.arange(16.0)[:, None] - 3
    return over_devices(lax.cummax(ties, 0) * weights + lax.cummin(ties, 1, reverse=True) * w)


@spmd(P("x"), P())
def running_logarithms(x, w):
    terms = 3 * x * w
    return over_devices(jnp.sin(lax.cumlogsumexp(terms, 0)) + lax.cumlogsumexp(terms, 1, reverse=True))


@spmd(P("x"), P())
def a_recurrence(x, w):
    def after(first, second):
        return first[0] * second[0], second[0] * first[1] + second[1]

    steps = (x, jnp.sin(x * w))
    forward = lax.associative_scan(after, steps)[1]
    return over_devices(forward * w + lax.associative_scan(after, steps, reverse=True)[1])


@spmd(P("x"), P())
def the_largest_few(x, w):
    values, places = lax.top_k((x * w).T, 3)
    columns = lax.top_k(x, 2)[0]
    return over_devices(jnp.tanh(values) * (1.0 + places)) + over_devices(columns * columns)


@spmd(P("x"), P())
def sorted_by_two_keys(x, w):
    coarse = jnp.round(2 * x)
    _, second, carried = lax.sort((coarse, -x, x * w), dimension=0, num_keys=2)
    weights = jnp.arange(8.0)[:, None]
    order = jnp.lexsort((x, -coarse), axis=0)
    return over_devices(second * carried * weights + jnp.take_along_axis(x, order, axis=0) * weights)


@spmd(P("x"), P())
def spreads(x, w):
    y = x * w
    kept = jnp.var(y, 0, ddof=1, keepdims=True)
    return over_devices(jnp.std(y, 1) * jnp.std(y, ddof=0.5)) + over_devices(y * kept)


@spmd(P("x"), P())
def averages(x, w):
    holes = jnp.where(x > 0.8, jnp.nan, x * w)
    weighed = jnp.average(x * x, 1, weights=2 + w)
    of_each = jnp.average(x, 0, weights=jnp.exp(x), keepdims=True)
    return (
        over_devices(jnp.sin(jnp.nanmean(holes, 0)) * jnp.nansum(holes, 0))
        + over_devices(weighed)
        + over_devices(of_each * w)
    )


@spmd(P("x"), P())
def norms(x, w):
    y = x * w
    norm = jnp.linalg.norm
    columns = norm(y, 1, 0) + norm(x, 3, 0) * norm(y, -jnp.inf, 0)
    rows = norm(y, axis=1) * norm(x, jnp.inf, 1) + norm(x, 0, -1) * norm(x, 2, 1)
    matrices = jnp.stack([x, y * y])
    orders = (1, -1, jnp.inf, -jnp.inf, "fro")
    of_matrices = sum(jnp.linalg.matrix_norm(matrices, ord=ord) for ord in orders)
    return (
        over_devices(columns * w) + over_devices(rows) + over_devices(norm(x, keepdims=True))
        + over_devices(of_matrices)
    )


@spmd(P("x"), P())
def quantiles(x, w):
    q = 0.5 + 0.45 * w
    total = over_devices(jnp.median(x, 1) * jnp.quantile(x, 0.3, 1))
    total += over_devices(jnp.quantile(x * w, q, 0) * jnp.quantile(x, q, keepdims=True)[:, 0])
    for method in ("lower", "higher", "midpoint", "nearest"):
        of_numbers = jnp.quantile(x, 0.35, 0, method=method, keepdims=True)
        total += over_devices(of_numbers * jnp.quantile(x, q, 0, method=method))
    return total


@spmd(P("x"), P())
def extremes_and_counts(x, w):
    count, seen = jnp.count_nonzero(x > 0.2, 0), jnp.any(x > 0.9, 1)
    return (
        over_devices(jnp.max(x * w, 0, keepdims=True) * jnp.min(x, 0) * count)
        + over_devices(jnp.ptp(x, 1) * seen)
        + over_devices(jnp.sum(x * w, 1, where=x > 0) * x.shape[0])
    )


@spmd(P("x"), P())
def unique_elements(x, w):
    both = twice(x)
    values, counts = jnp.unique(both, return_counts=True, size=30)
    filled = jnp.unique(both, size=30, fill_value=0.5)
    weights = jnp.arange(30.0) / 30
    return over_devices(values * counts * weights) + over_devices(filled * weights * jnp.sum(w))


@spmd(P("x"), P())
def places_of_values(x, w):
    ordered = jnp.sort(x.ravel())
    left, right = jnp.searchsorted(ordered, w * x), jnp.searchsorted(ordered, x, side="right")
    return over_devices(left * x * w + right * x)


@spmd(P("x"), P())
def histograms(x, w):
    row = x.ravel()
    bins = jnp.floor(3 * row + 2).astype(jnp.int32)
    counts = jnp.bincount(bins, row, length=4)
    of_range, _ = jnp.histogram(x, 5, range=(-0.7, 0.9), weights=x * w)
    of_all, edges = jnp.histogram(x, 4, density=True)
    return over_devices(counts * counts) + over_devices(of_range * of_range) + over_devices(of_all * edges[1:])


@spmd(P("x"), P())
def segments(x, w):
    both = twice(x)
    of = (jnp.arange(16) * 5 + lax.axis_index("x")) % 8 - 1
    large = jax.ops.segment_max(both * w, of, 5)
    small = jax.ops.segment_min(x, of[:8], 8)
    seen = jnp.where(jnp.abs(large) < 10, large, 0)
    found = jnp.where(jnp.abs(small) < 10, small, 0)
    return over_devices(jnp.sin(jax.ops.segment_sum(both * w, of, 6))) + over_devices(seen * w) + over_devices(
        found * found
    )
