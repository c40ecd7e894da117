# SPDX-License-Identifier: Apache-2.0
"""The heat example in JAX, the twin of examples/heat_model.hpp."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P
from jax_functions import program
from jax_transformer import placed

SPREAD = 0.2


def from_neighbour(edge, axis, shift):
    n = lax.axis_size(axis)
    return lax.ppermute(edge, axis, [(i, i + shift) for i in range(n) if 0 <= i + shift < n])


def neighbours(field, axis, dim):
    size = field.shape[dim]
    before = from_neighbour(lax.slice_in_dim(field, size - 1, size, axis=dim), axis, +1)
    after = from_neighbour(lax.slice_in_dim(field, 0, 1, axis=dim), axis, -1)
    both = lax.concatenate([before, field, after], dim)
    return lax.slice_in_dim(both, 0, size, axis=dim) + lax.slice_in_dim(both, 2, size + 2, axis=dim)


def after(time_steps, initial):
    def trip(field, _):
        return field + SPREAD * (neighbours(field, "y", 0) + neighbours(field, "x", 1) - 4 * field), None

    return lax.scan(trip, initial, None, length=time_steps)[0]


def step(time_steps, field, velocity, final_field):
    def misfit(initial):
        return lax.psum(jnp.sum((after(time_steps, initial) - final_field) ** 2), ("y", "x")) / 2

    value, gradient = jax.value_and_grad(misfit)(field)
    velocity = 0.9 * velocity - gradient
    return value, field + velocity, velocity


@program
def heat_descent(field, final_field, numbers):
    """Misfits before each step, and the field after them; `numbers`: time steps, steps."""
    time_steps, steps = (int(n) for n in numbers)
    mesh = Mesh(np.array(jax.devices()[:8]).reshape(4, 2), ("y", "x"))
    tiles = P("y", "x")
    one_step = jax.jit(
        jax.shard_map(
            functools.partial(step, time_steps),
            mesh=mesh,
            in_specs=(tiles, tiles, tiles),
            out_specs=(P(), tiles, tiles),
        )
    )
    field, velocity, final_field = placed(mesh, [field, np.zeros_like(field), final_field], [tiles] * 3)
    misfits = []
    for _ in range(steps):
        value, field, velocity = one_step(field, velocity, final_field)
        misfits.append(np.asarray(value))
    return [np.stack(misfits), np.asarray(field)]
