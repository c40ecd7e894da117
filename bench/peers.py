# SPDX-License-Identifier: Apache-2.0
"""Usage: bench/peers.py DEVICES

The training step of the digits example in JAX, on that many virtual devices of this machine (8: data=4 x model=2).
Prints "digits_step_us MEDIAN" and "digits_compile_ms TIME"; the twin of bench/digits.cpp.
"""

import os
import statistics
import sys
import time

devices = int(sys.argv[1])
os.environ["PJRT_NPROC"] = "64"  # before jax is imported: with fewer threads than devices it stands still
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={devices}"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402
from jax.sharding import Mesh, NamedSharding  # noqa: E402
from jax.sharding import PartitionSpec as P  # noqa: E402

shape = (4, 2) if devices == 8 else (devices, 1)
mesh = Mesh(np.array(jax.devices()).reshape(shape), ("data", "model"))
by_model = {"w1": P(None, "model"), "b1": P("model"), "w2": P("model", None), "b2": P()}


def loss(params, images, labels):
    hidden = jax.nn.relu(images @ params["w1"] + params["b1"])
    logits = lax.psum(hidden @ params["w2"], "model") + params["b2"]
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
    return lax.pmean(-jnp.mean(chosen), "data")


def step(params, momentum, images, labels):
    value, gradient = jax.value_and_grad(loss)(params, images, labels)
    velocity = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, gradient)
    return value, jax.tree.map(lambda p, v: p - 0.1 * v, params, velocity), velocity


train = jax.jit(
    jax.shard_map(
        step, mesh=mesh, in_specs=(by_model, by_model, P("data"), P("data")), out_specs=(P(), by_model, by_model)
    )
)


def placed(tree, specs):
    return jax.tree.map(lambda a, s: jax.device_put(a, NamedSharding(mesh, s)), tree, specs)


random = np.random.default_rng(1)
sizes = {"w1": (64, 128), "b1": (128,), "w2": (128, 10), "b2": (10,)}
params = placed({k: random.uniform(-0.3, 0.3, s).astype(np.float32) for k, s in sizes.items()}, by_model)
momentum = params
images = placed(random.uniform(-1, 1, (256, 64)).astype(np.float32), P("data"))
labels = placed(np.arange(256, dtype=np.int32) % 10, P("data"))

start = time.perf_counter()
train.lower(params, momentum, images, labels).compile()
print("digits_compile_ms", f"{(time.perf_counter() - start) * 1e3:.1f}")

times = []
for i in range(600):
    start = time.perf_counter()
    value, params, momentum = jax.block_until_ready(train(params, momentum, images, labels))
    if i >= 100:
        times.append(time.perf_counter() - start)
print("digits_step_us", f"{statistics.median(times) * 1e6:.1f}")
