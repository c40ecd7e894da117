# SPDX-License-Identifier: Apache-2.0
"""The twin of bench/programs_xla.cpp in JAX, on 8 devices of the CPU: the training steps of the digits and of the
transformer example. Parameters and batch lie on the devices, parameters and momentum are donated, a step ends when all its
results are there. Takes the commands "measure" and "forget" of bench/rows.hpp and answers like them.
"""

import os
import sys

os.environ["PJRT_NPROC"] = "64"  # before jax is imported: with fewer threads than devices it stands still
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
sys.path.insert(0, "tests/oracle")

import jax  # noqa: E402
import jax_transformer as transformer  # noqa: E402
import numpy as np  # noqa: E402
from digits_peer import BY_MODEL, SHAPES, step  # noqa: E402
from jax.sharding import PartitionSpec as P  # noqa: E402
from jax_transformer import Layer, Norm, Params, mesh_of, placed  # noqa: E402
from programs_peer import answer, values  # noqa: E402

mesh = mesh_of(4, 2)


def calls_of(train, params, momentum, batch):
    """One step after the other, and the loss of the first."""
    compiled = train.lower(params, momentum, *batch).compile()
    state = [params, momentum]

    def call():
        value, *state[:] = jax.block_until_ready(compiled(*state, *batch))
        return value

    return call, np.asarray(call())


def digits_step():
    specs = {"in_specs": (BY_MODEL, BY_MODEL, P("data"), P("data")), "out_specs": (P(), BY_MODEL, BY_MODEL)}
    train = jax.jit(jax.shard_map(step, mesh=mesh, **specs), donate_argnums=(0, 1))
    params = {name: np.float32(0.3) * values(shape) for name, shape in SHAPES.items()}
    momentum = {name: np.zeros(shape, np.float32) for name, shape in SHAPES.items()}
    batch = placed(mesh, [values((256, 64)), np.arange(256, dtype=np.int32) % 10], [P("data"), P("data")])
    return calls_of(train, placed(mesh, params, BY_MODEL), placed(mesh, momentum, BY_MODEL), batch)


def transformer_step():
    random = np.random.default_rng(1)
    width, hidden, context, vocabulary, layers, batch_size = 64, 256, 32, 96, 12, 32

    def matrix(rows, columns):
        return (random.uniform(-1, 1, (rows, columns)) / rows**0.5).astype(np.float32)

    def norm():
        return Norm(np.ones(width, np.float32), np.zeros(width, np.float32))

    def layer():
        square = (matrix(width, width) for _ in range(4))
        return Layer(norm(), *square, norm(), matrix(width, hidden), matrix(hidden, width))

    params = Params(
        matrix(vocabulary, width),
        matrix(context, width),
        tuple(layer() for _ in range(layers)),
        norm(),
        matrix(width, vocabulary),
    )
    specs = transformer.specs_of(params)
    train = jax.jit(transformer.sharded_step(mesh, params), donate_argnums=(0, 1))
    momentum = placed(mesh, jax.tree.map(np.zeros_like, params), specs)
    tokens = np.arange(batch_size * context, dtype=np.int32).reshape(batch_size, context)
    batch = placed(mesh, [tokens * 7 % vocabulary, (tokens + 1) * 7 % vocabulary], [P("data"), P("data")])
    call, _ = calls_of(train, placed(mesh, params, specs), momentum, batch)
    return call, None


ROWS = {"digits_step": digits_step, "transformer_step": transformer_step}

if __name__ == "__main__":
    answer(lambda name, _: ROWS[name]())
