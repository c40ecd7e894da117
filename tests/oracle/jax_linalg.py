# SPDX-License-Identifier: Apache-2.0
"""Linear algebra; see jax_functions.py."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P
from jax_functions import spmd


def over_devices(x):
    return lax.psum(jnp.sum(x), "x")


def dominated(x):
    return 0.5 * x + 2 * jnp.eye(4)


def positive(x):
    return 0.25 * x @ x.T + jnp.eye(4)


@spmd(P("x"), P())
def cholesky_factors(x, b):
    matrix = positive(x)
    l, u = jnp.linalg.cholesky(matrix), jnp.linalg.cholesky(matrix + 0.1 * x, upper=True)
    solved = jax.scipy.linalg.cho_solve((l, True), b) + jax.scipy.linalg.cho_solve((u, False), b)
    stack = jnp.linalg.cholesky(jnp.stack([matrix, 2 * matrix]))
    return over_devices(jnp.sin(l) * x + u * u) + over_devices(solved * b) + over_devices(stack * x)


@spmd(P("x"), P())
def triangles_solved(x, b):
    matrix, solve = dominated(x), lax.linalg.triangular_solve
    b = lax.pcast(b, "x", to="varying")
    left = solve(matrix, b, left_side=True, lower=True)
    other = solve(matrix, b, left_side=True, transpose_a=True, unit_diagonal=True)
    right = solve(matrix, b.T, transpose_a=True)
    stacked = solve(jnp.stack([matrix, 2 * matrix]), jnp.stack([b, b * b]), left_side=True, lower=True)
    return over_devices(left * b + other * other) + over_devices(right) + over_devices(stacked)


@spmd(P("x"), P())
def equations_solved(x, b):
    matrix = dominated(x)
    b = lax.pcast(b, "x", to="varying")
    vector, columns = jnp.linalg.solve(matrix, b[:, 0]), jnp.linalg.solve(matrix, b)
    stacked = jnp.linalg.solve(jnp.stack([matrix, matrix.T]), b)
    by_factors = jax.scipy.linalg.lu_solve(jax.scipy.linalg.lu_factor(matrix), b)
    return (over_devices(vector * vector) + over_devices(columns * b + by_factors)
            + over_devices(jnp.linalg.inv(matrix) * x) + over_devices(stacked))


@spmd(P("x"), P())
def determinants(x, b):
    matrix = dominated(x)
    sign, logabsdet = jnp.linalg.slogdet(jnp.stack([matrix, -matrix]))
    singular = jnp.concatenate([x[:3], x[:3].sum(0, keepdims=True)])
    return (over_devices(jnp.linalg.det(matrix) * b) + over_devices(logabsdet + sign)
            + over_devices(jnp.linalg.det(matrix[:2, :2]))
            + over_devices(0.1 * jnp.linalg.det(singular) + jnp.linalg.det(jnp.stack([matrix, 0.5 * matrix]))))


@spmd(P("x"), P())
def lu_factors(x, b):
    matrix = dominated(x)
    turned = jnp.roll(matrix, 1, 0)
    square, _, places = lax.linalg.lu(turned)
    tall, wide = lax.linalg.lu(turned[:, :3])[0], lax.linalg.lu(matrix[:3])[0]
    return (over_devices(jnp.sin(square) * x) + over_devices(tall * b) + over_devices(wide * wide)
            + over_devices(places * b[:, 0]))
