# SPDX-License-Identifier: Apache-2.0
"""SPMD functions in JAX: the twins, under the same names, of those in the tables of functions.hpp.

Each takes global f64 arrays on the mesh x=4, y=2 and returns a scalar. `@spmd(specs)` is what one device does,
with JAX's type checks on. `@whole` takes the whole arrays: it maps parts over the mesh itself, or says without
a mesh what the devices compute together, where JAX refuses the collective or is wrong about it.

A `@program` is more than that: it takes any arrays and returns a list of arrays.
"""

import functools
import importlib

import jax
import numpy as np
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

SUBJECTS = ("jax_collectives", "jax_local_ops", "jax_control", "jax_transforms", "jax_futures",
            "jax_shardings", "jax_shaping", "jax_einsum", "jax_indexing", "jax_reductions", "jax_linalg",
            "jax_spectral")
EXAMPLES = ("jax_transformer", "jax_heat", "jax_poisson", "jax_gp", "jax_experts", "jax_random", "jax_composed", "numpy_signs")
FUNCTIONS = {}
PROGRAMS = {}
WITHOUT_GRADIENT = set()


@functools.cache
def mesh():
    return Mesh(np.array(jax.devices()[:8]).reshape(4, 2), ("x", "y"))


def whole(function):
    FUNCTIONS[function.__name__] = function
    return function


def spmd(*specs):
    """One spec per argument; the result is a scalar that all devices agree on."""

    def register(body):
        def function(*arguments):
            return jax.shard_map(body, mesh=mesh(), in_specs=specs, out_specs=P(), check_vma=True)(*arguments)

        FUNCTIONS[body.__name__] = function
        return body

    return register


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def without_gradient(body):
    WITHOUT_GRADIENT.add(body.__name__)
    return body


@functools.cache
def names() -> list[str]:
    for subject in SUBJECTS + EXAMPLES:
        importlib.import_module(subject)
    return sorted(FUNCTIONS)


def results(name: str, arguments: list) -> list:
    """The value and the gradients by all arguments, then both for two lanes at once. The first half of the
    arguments is for the former; the second half has the lanes, along the last dim of the first argument and
    dim 0 of the second; they share the rest. Of a program: what it returns."""
    of_functions = names()
    if name in PROGRAMS:
        return PROGRAMS[name](*arguments)
    assert name in of_functions, f"no function {name} is in FUNCTIONS"
    function = FUNCTIONS[name]
    count = len(arguments) // 2
    first, lanes = arguments[:count], arguments[count:]
    dims = ((first[0].ndim, 0) + (None,) * count)[:count]
    of_one = jax.value_and_grad(function, argnums=tuple(range(count)))
    if name in WITHOUT_GRADIENT:
        of_one = lambda *x: (function(*x), ())

    def both(first, lanes):
        return jax.tree.leaves((of_one(*first), jax.vmap(of_one, in_axes=dims)(*lanes)))

    # Code that runs once needs no optimisation: it compiles in two thirds of the time.
    quick = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
    return jax.jit(both, compiler_options=quick)(first, lanes)
