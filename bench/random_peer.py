# SPDX-License-Identifier: Apache-2.0
"""The twin of bench/programs_random.cpp in JAX, on one core. Takes the commands of bench/rows.hpp."""

import os

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # before jax starts its threads

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from programs_peer import answer  # noqa: E402


def drawn(draw):
    run, key = jax.jit(draw), jax.random.PRNGKey(42)
    return (lambda: run(key).block_until_ready()), np.asarray(run(key))


ROWS = {
    "random_bits": lambda n: drawn(lambda key: jax.random.bits(key, (n,), jnp.uint32)),
    "random_normal": lambda n: drawn(lambda key: jax.random.normal(key, (n,), jnp.float32)),
}

if __name__ == "__main__":
    answer(lambda name, size: ROWS[name](size))
