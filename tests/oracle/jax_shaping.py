# SPDX-License-Identifier: Apache-2.0
"""Functions that make arrays, and move their elements; see jax_functions.py."""

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax_functions import program, whole


def weighed(terms):
    """The sum over all terms, each of whose elements counts with another weight."""
    total = 0.0
    for term in terms:
        flat = jnp.reshape(term, -1)
        total += jnp.sum(jnp.sin(flat) * jnp.cos(jnp.arange(flat.size, dtype=jnp.float64)))
    return total


@whole
def triangles_and_diagonals(x, w):
    return weighed([
        jnp.tril(x, 1), jnp.triu(x * x, -1), jnp.diag(w, 1), jnp.diag(w, -2), jnp.diag(x, -1),
        jnp.diagonal(x, 2), jnp.trace(x, 1), jnp.eye(3, 4, 1) @ x.T, jnp.tri(2, 3) @ x,
    ])


@whole
def made_between_bounds(x, w):
    vectors = w, x[0, :2]
    return weighed([
        jnp.linspace(w, x, 4, axis=-1), jnp.linspace(x, 1, 3, endpoint=False), jnp.linspace(w, 2, 1),
        jnp.logspace(x, w, 3, axis=1, base=2), jnp.full_like(x, w), *jnp.meshgrid(*vectors),
        *jnp.meshgrid(*vectors, indexing="ij"),
    ])


@whole
def moved_around(x, w):
    return weighed([
        jnp.roll(x, 5), jnp.roll(x, jnp.int32(jnp.floor(9 * w[0, 0])), (0, 2)),
        jnp.roll(x, -1, 2), jnp.roll(x, (1, 2), (0, -1)), jnp.flip(x, (0, 2)),
        jnp.swapaxes(x, 0, -1), jnp.moveaxis(x, (0, 1), (-1, 0)), jnp.squeeze(w), *jnp.broadcast_arrays(x, w),
        jnp.atleast_2d(jnp.sum(w)),
    ])


@whole
def repeated_and_tiled(x, w):
    return weighed([
        jnp.tile(w, (2, 2)), jnp.tile(x, 2), jnp.repeat(x, 2), jnp.repeat(x, 3, 0),
        jnp.repeat(w, jnp.array([2, 0, 1]), total_repeat_length=3),
        jnp.repeat(x, jnp.array([1, 2, 2]), -1, total_repeat_length=5),
    ])


@whole
def cut_and_stacked(x, w):
    pieces = weighed([*jnp.split(x, 2), *jnp.split(x, [1, 2], 1), *jnp.array_split(x, 3)])
    return pieces + weighed([jnp.vstack([x, w]), jnp.hstack([w, jnp.sum(x)]), jnp.hstack([x, x * x])])


MODES = ("constant", "edge", "reflect", "symmetric", "wrap", "linear_ramp", "maximum", "minimum", "mean", "median", "empty")


@whole
def padded_by_modes(x, w):
    return weighed([jnp.pad(x, ((2, 4), (1, 0)), mode) for mode in MODES]
                   + [jnp.pad(w, 3, mode, reflect_type="odd") for mode in ("reflect", "symmetric")]
                   + [jnp.pad(x, 1, mode, stat_length=2) for mode in ("maximum", "mean", "median")]
                   + [jnp.pad(w, 1, "constant", constant_values=0.5),
                      jnp.pad(w, (0, 3), "linear_ramp", end_values=2)])


@whole
def products_by_name(x, w):
    row = jnp.reshape(w, 6)
    dot = jnp.vdot(lax.complex(row, jnp.cos(row)), lax.complex(jnp.sin(row), row))
    return weighed([
        jnp.tensordot(x, w, 1), jnp.tensordot(x, w, ((0, 1), (1, 0))), jnp.tensordot(x, w, 0), jnp.inner(x, w.T),
        jnp.outer(x, w), jnp.vdot(x, w), jnp.kron(x, w), jnp.kron(row, x), jnp.real(dot), jnp.imag(dot),
    ])


def ramps_of_numpy(x, widths, end_value):
    """JAX computes ramps of integers in f32 and rounds down: from 5 to 5 it passes 4."""
    return np.pad(np.asarray(x), widths, "linear_ramp", end_values=end_value)


@program
def shapes_of_integers(x, v):
    """x: i32 [3, 4], v: i32 [5]. All results are i32."""
    i32 = jnp.int32
    widths = ((2, 3), (4, 1))
    return [
        jnp.eye(3, 4, 1, dtype=i32), jnp.tri(3, 4, -1, dtype=i32), jnp.tril(x, -1), jnp.triu(x, 1),
        jnp.diag(v, 2), jnp.diag(x, 1), jnp.diagonal(x, -1), jnp.full_like(x, 7),
        jnp.linspace(-7, 9, 6, dtype=i32), jnp.linspace(v[:4], x, 5, dtype=i32, axis=1),
        jnp.logspace(0, 4, 5, base=2, dtype=i32), jnp.roll(x, -3), jnp.roll(x, (1, 2), (0, 1)),
        jnp.tile(x, (2, 1, 2)), jnp.repeat(v, jnp.array([0, 2, 1, 0, 3]), total_repeat_length=6),
        *jnp.array_split(v, 3), jnp.vstack([x, v[:4]]), jnp.hstack([v, v]),
        *[jnp.pad(x, widths, mode) for mode in MODES],
        *[jnp.pad(x, widths, mode, reflect_type="odd") for mode in ("reflect", "symmetric")],
        *[jnp.pad(x, widths, mode, stat_length=3) for mode in ("maximum", "minimum", "mean", "median")],
        ramps_of_numpy(x, widths, 5), jnp.kron(x, v), jnp.outer(v, x), jnp.inner(x, v[1:]),
        jnp.tensordot(x, x, ((1,), (1,))), jnp.einsum("ij,kj,k->ik", x, x, v[:3]),
    ]
