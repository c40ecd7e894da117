# SPDX-License-Identifier: Apache-2.0
"""The Poisson example in JAX: the same mathematics as examples/poisson_model.hpp, on the whole cube."""

import jax
import jax.numpy as jnp
import numpy as np
from jax_functions import program


def potential(source):
    n = source.shape[0]
    k = np.fft.fftfreq(n, 1 / n).astype(np.float32)
    squares = k[:, None, None] ** 2 + k[:, None] ** 2 + np.arange(n // 2 + 1, dtype=np.float32) ** 2
    factor = np.where(squares == 0, 0, 1 / np.where(squares == 0, 1, squares))
    return jnp.fft.irfftn(jnp.fft.rfftn(source) * factor, source.shape)


@jax.jit
def step(source, velocity, given):
    value, gradient = jax.value_and_grad(lambda s: jnp.sum((potential(s) - given) ** 2) / 2)(source)
    velocity = 0.9 * velocity - gradient
    return value, source + velocity, velocity


@program
def poisson_search(source, given, numbers):
    """The potential, the misfits before each step, and the source after them; `numbers`: steps."""
    first, misfits, velocity = potential(jnp.asarray(source)), [], jnp.zeros_like(source)
    for _ in range(int(numbers[0])):
        value, source, velocity = step(source, velocity, given)
        misfits.append(value)
    return [np.asarray(first), np.stack(misfits), np.asarray(source)]
