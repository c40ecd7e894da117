# SPDX-License-Identifier: Apache-2.0
"""Functions of eigenvalues, singular values and orthogonal factors, in which signs and phases cancel; see jax_functions.py."""

import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P
from jax.scipy.linalg import expm
from jax_functions import spmd


def over_devices(x):
    return lax.psum(jnp.sum(x), "x")


def counted(*shape):
    size = 1
    for n in shape:
        size *= n
    return 1.0 + jnp.arange(float(size)).reshape(shape) / 8.0


def tall(x, w):
    return (jnp.sin(counted(8, 3) * 5.0) + 0.1 * x * w) * jnp.array([0.5, 1.5, 3.0])


def complex_tall(x, w):
    return tall(x, w) + 0.5j * jnp.cos(counted(8, 3) * 3.0) * w


def adjoint(x):
    return jnp.conj(jnp.swapaxes(x, -1, -2))


def both_parts(x):
    return x.real * 0.75 + x.imag if jnp.iscomplexobj(x) else x


def of_eigh(x):
    w, v = jnp.linalg.eigh(adjoint(x) @ x / 4)
    middle = v[:, 1:2]
    return over_devices(jnp.sin(w) * counted(3)) + over_devices(both_parts(middle @ adjoint(middle)) * counted(3, 3))


@spmd(P("x"), P())
def eigenvalues_and_projections(x, w):
    return of_eigh(tall(x, w))


@spmd(P("x"), P())
def complex_eigenvalues_and_projections(x, w):
    return of_eigh(complex_tall(x, w))


def of_svd(x, weights):
    u, s, vh = jnp.linalg.svd(x, full_matrices=False)
    pair = u[:, 1:2] @ vh[1:2]
    return (over_devices(jnp.log(s) * counted(3)) + over_devices(both_parts(pair) * weights)
            + over_devices(jnp.linalg.svdvals(x) * 0.25))


@spmd(P("x"), P())
def singular_values_and_pairs(x, w):
    a = tall(x, w)
    return of_svd(a, counted(8, 3)) + of_svd(a.T, counted(3, 8))


@spmd(P("x"), P())
def complex_singular_values_and_pairs(x, w):
    a = complex_tall(x, w)
    return of_svd(a, counted(8, 3)) + of_svd(adjoint(a), counted(3, 8))


def of_qr(x):
    q, r = jnp.linalg.qr(x)
    some = q[:, :2]
    projection = both_parts(some @ adjoint(some))
    return over_devices(projection * counted(*projection.shape)) + over_devices(
        (r * jnp.conj(r)).real * counted(*r.shape) / 16)


@spmd(P("x"), P())
def orthogonal_factors(x, w):
    return of_qr(tall(x, w)) + of_qr(tall(x, w).T) / 8


@spmd(P("x"), P())
def complex_orthogonal_factors(x, w):
    return of_qr(complex_tall(x, w)) + of_qr(adjoint(complex_tall(x, w))) / 8


@spmd(P("x"), P())
def least_squares(x, w):
    a = tall(x, w)
    inverses = both_parts(jnp.linalg.pinv(complex_tall(x, w))) * counted(3, 8)
    solution, residuals, rank, s = jnp.linalg.lstsq(a, jnp.sin(counted(8, 2)) * x[:, :2])
    return (over_devices(inverses) + over_devices(solution * counted(3, 2)) + over_devices(residuals)
            + over_devices(jnp.log(s) * rank) + over_devices(jnp.linalg.pinv(a.T))) / 8


@spmd(P("x"), P())
def functions_of_matrices(x, w):
    a = tall(x, w)
    square, skew = a.T @ a / 12.0, a[:3] - a[:3].T
    turned = both_parts(expm(3.0 * skew + 0.5j * square))
    return (over_devices(expm(square) * 0.1) + over_devices(expm(3.0 * skew) * counted(3, 3)) + over_devices(turned)
            + over_devices(jnp.linalg.matrix_power(square, 3))
            + over_devices(jnp.linalg.matrix_power(square + 2.0 * jnp.eye(3), -2))) / 8
