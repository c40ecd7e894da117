# SPDX-License-Identifier: Apache-2.0
"""The gp example in JAX, the twin of examples/gp_model.hpp."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P
from jax_functions import program


def covariance(kernel, a, b):
    height, length, _ = kernel
    return jnp.exp(2 * height - 0.5 * ((a[:, None] - b) * jnp.exp(-length)) ** 2)


def factor_of(kernel, x):
    return jnp.linalg.cholesky(covariance(kernel, x, x) + jnp.exp(2 * kernel[2]) * jnp.eye(len(x)))


def solved(factor, columns):
    return lax.linalg.triangular_solve(factor, columns, left_side=True, lower=True)


def loss(kernel, x, y):
    factor = factor_of(kernel, x)
    of_device = 0.5 * jnp.sum(solved(factor, y[:, None]) ** 2) + jnp.sum(jnp.log(jnp.diagonal(factor)))
    of_device += 0.5 * len(x) * np.log(2 * np.pi)
    return lax.psum(of_device, "data") / (len(x) * lax.axis_size("data"))


def predict(kernel, x, y, at):
    factor = factor_of(kernel, x)
    white, waves = solved(factor, y[:, None]), solved(factor, covariance(kernel, x, at))
    prior, mean = jnp.exp(2 * kernel[0]), jnp.sum(waves * white, 0)
    variance = prior - jnp.sum(waves**2, 0)
    weight = 0.5 * (jnp.log(prior) - jnp.log(variance))
    precision = lax.psum(weight / variance, "data") + (1 - lax.psum(weight, "data")) / prior
    return lax.psum(weight * mean / variance, "data") / precision, 1 / precision


@program
def gp_descent(kernel, x, y, at, steps):
    """Losses before each step, the hyperparameters after them, then mean and variance at some places."""
    mesh = Mesh(np.array(jax.devices()[:8]), ("data",))
    by_device = P("data")
    gradient = jax.jit(jax.shard_map(jax.value_and_grad(loss), mesh=mesh, in_specs=(P(), by_device, by_device), out_specs=P()))
    all_at = jax.jit(jax.shard_map(predict, mesh=mesh, in_specs=(P(), by_device, by_device, P()), out_specs=P()))
    velocity, losses = np.zeros_like(kernel), []
    for _ in range(int(steps)):
        value, slope = gradient(kernel, x, y)
        velocity = 0.9 * velocity - 0.05 * np.asarray(slope)
        kernel = kernel + velocity
        losses.append(np.asarray(value))
    mean, variance = all_at(kernel, x, y, at)
    return [np.stack(losses), kernel, np.asarray(mean), np.asarray(variance)]
