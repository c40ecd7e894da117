# SPDX-License-Identifier: Apache-2.0
"""Draws of jax.random from a seed, in the order of random_test.cpp."""

import jax
import jax.numpy as jnp
from jax import random
from jax_functions import program

SHAPES = ((), (0, 3), (3, 1, 7), (1000,))
FEW = ((), (0, 3), (700,))  # each is compiled
UNSIGNED = (jnp.uint8, jnp.uint16, jnp.uint32, jnp.uint64)
INTEGERS = (jnp.int8, jnp.int16, jnp.int32, jnp.int64, *UNSIGNED)
FLOATS = (jnp.float16, jnp.bfloat16, jnp.float32, jnp.float64)


@program
def random_keys(seed):
    key = random.PRNGKey(seed)
    return [key, random.split(key, 1), random.split(key, 7), random.fold_in(key, seed), random.fold_in(key, 12345)]


@program
def random_bits(seed):
    key = random.PRNGKey(seed)
    return [random.bits(key, shape, dtype) for shape in SHAPES for dtype in UNSIGNED]


@program
def random_uniform(seed):
    key = random.PRNGKey(seed)
    ranges = ((0, 1), (-2.7, 3.9), (10, 10))
    return [random.uniform(key, shape, dtype, *r) for shape in FEW for dtype in FLOATS for r in ranges]


@program
def random_integers(seed):
    key = random.PRNGKey(seed)
    ranges = ((0, 1), (5, 5), (-3, 100), (0, 256), (-(2**31), 2**31))
    return [random.randint(key, shape, *r, dtype) for shape in FEW for dtype in INTEGERS for r in ranges]


@program
def random_chances(seed):
    key = random.PRNGKey(seed)

    def of_a_number(p, shape):
        with jax.enable_x64(False):
            return random.bernoulli(key, p, shape)

    return [
        draw
        for shape in FEW
        for draw in (
            *(of_a_number(p, shape) for p in (0.0, 0.3, 1.0)),
            *(random.bernoulli(key, dtype(0.6), shape) for dtype in FLOATS),
        )
    ]


@program
def random_choices(seed):
    key = random.PRNGKey(seed)
    x = jnp.arange(60, dtype=jnp.float32).reshape(3, 4, 5)

    def choice(*arguments, **options):
        with jax.enable_x64(False):
            return random.choice(key, *arguments, **options)

    return [
        *(random.permutation(key, n) for n in (0, 1, 2, 37, 3000)),
        *(random.permutation(key, x, axis) for axis in (0, 1, -1)),
        *(choice(41, shape) for shape in SHAPES),
        *(choice(1001, shape, replace=False) for shape in SHAPES),
        choice(x, (2, 3), axis=1),
        choice(x, (4,), replace=False, axis=-1),
    ]


@program
def random_normal(seed):
    key = random.PRNGKey(seed)
    return [random.normal(key, shape, dtype) for shape in FEW for dtype in FLOATS]


@program
def random_many_normal(seed):
    return [random.normal(random.PRNGKey(seed), (1 << 17,), jnp.float32)]


@program
def random_truncated_normal(seed):
    key = random.PRNGKey(seed)
    return [random.truncated_normal(key, -1.5, 0.5, shape, dtype) for shape in FEW for dtype in FLOATS]


@program
def random_exponential(seed):
    key = random.PRNGKey(seed)
    return [random.exponential(key, shape, dtype) for shape in FEW for dtype in FLOATS]


@program
def random_gumbel(seed):
    key = random.PRNGKey(seed)
    return [random.gumbel(key, shape, dtype) for shape in FEW for dtype in FLOATS[1:]]


@program
def random_complex(seed):
    z = random.normal(random.PRNGKey(seed), (100,), jnp.complex128)
    return [z.real, z.imag]


@program
def random_categories(seed):
    key = random.PRNGKey(seed)
    logits = jnp.sin(jnp.arange(60.0)).reshape(3, 4, 5)
    return [
        *(random.categorical(key, logits, axis) for axis in (0, 1, -1)),
        random.categorical(key, logits, 1, shape=(7, 3, 5)),
        jnp.where(random.bernoulli(key, jnp.float32(0.7), (3, 4, 5)), logits / 0.7, 0),
    ]
