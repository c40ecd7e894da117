# SPDX-License-Identifier: Apache-2.0
"""Usage: bench/transformer_peer.py DEVICES

The training step of the transformer example in JAX (tests/oracle/jax_transformer.py), on that many virtual devices of
this machine (8: data=4 x model=2), with the layers unrolled and in a scan. Prints "transformer_step_ms MEDIAN",
"transformer_compile_ms TIME" (trace, lower and compile), and the same for "transformer_scan"; the twin of
bench/transformer.cpp.
"""

import os
import statistics
import sys
import time

devices = int(sys.argv[1])
os.environ["PJRT_NPROC"] = "64"  # before jax is imported: with fewer threads than devices it stands still
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={devices}"
sys.path.insert(0, "tests/oracle")

import jax  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import PartitionSpec as P  # noqa: E402
from jax_transformer import Layer, Norm, Params, mesh_of, placed, sharded_step, specs_of, stacked  # noqa: E402

WIDTH, HIDDEN, CONTEXT, VOCABULARY, LAYERS, BATCH = 64, 256, 32, 96, 12, 32
mesh = mesh_of(4, 2) if devices == 8 else mesh_of(devices, 1)
random = np.random.default_rng(1)


def matrix(rows, columns):
    return (random.uniform(-1, 1, (rows, columns)) / rows**0.5).astype(np.float32)


def norm():
    return Norm(np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32))


def layer():
    return Layer(
        norm(), *(matrix(WIDTH, WIDTH) for _ in range(4)), norm(), matrix(WIDTH, HIDDEN), matrix(HIDDEN, WIDTH)
    )


def measure(name, params):
    specs = specs_of(params)
    params = placed(mesh, params, specs)
    momentum = placed(mesh, jax.tree.map(np.zeros_like, params), specs)
    tokens = np.arange(BATCH * CONTEXT, dtype=np.int32).reshape(BATCH, CONTEXT) * 7 % VOCABULARY
    tokens = placed(mesh, tokens, P("data"))
    start = time.perf_counter()
    train = sharded_step(mesh, params).lower(params, momentum, tokens, tokens).compile()
    print(name + "_compile_ms", f"{(time.perf_counter() - start) * 1e3:.1f}")
    times = []
    for _ in range(30):
        start = time.perf_counter()
        value, params, momentum = jax.block_until_ready(train(params, momentum, tokens, tokens))
        times.append(time.perf_counter() - start)
    print(name + "_step_ms", f"{statistics.median(times[5:]) * 1e3:.2f}")


layers = tuple(layer() for _ in range(LAYERS))
params = Params(matrix(VOCABULARY, WIDTH), matrix(CONTEXT, WIDTH), layers, norm(), matrix(WIDTH, VOCABULARY))
measure("transformer", params)
measure("transformer_scan", stacked(params))
