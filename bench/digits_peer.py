# SPDX-License-Identifier: Apache-2.0
"""Usage: bench/digits_peer.py DEVICES

The training step of the digits example in JAX, on that many virtual devices of this machine (8: data=4 x model=2).
Prints "digits_step_us MEDIAN" and "digits_compile_ms TIME"; the twin of bench/digits.cpp.
"""

import os
import statistics
import sys
import time

if __name__ == "__main__":
    devices = int(sys.argv[1])
    os.environ["PJRT_NPROC"] = "64"  # before jax is imported: with fewer threads than devices it stands still
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={devices}"

sys.path.insert(0, "tests/oracle")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402
from jax.sharding import Mesh  # noqa: E402
from jax.sharding import PartitionSpec as P  # noqa: E402
from jax_transformer import placed  # noqa: E402

SHAPES = {"w1": (64, 128), "b1": (128,), "w2": (128, 10), "b2": (10,)}
BY_MODEL = {"w1": P(None, "model"), "b1": P("model"), "w2": P("model", None), "b2": P()}


def loss(params, images, labels):
    hidden = jax.nn.relu(images @ params["w1"] + params["b1"])
    logits = lax.psum(hidden @ params["w2"], "model") + params["b2"]
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
    return lax.pmean(-jnp.mean(chosen), "data")


def step(params, momentum, images, labels):
    value, gradient = jax.value_and_grad(loss)(params, images, labels)
    velocity = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, gradient)
    return value, jax.tree.map(lambda p, v: p - 0.1 * v, params, velocity), velocity


class Training:
    """On a mesh of all devices: data x model."""

    def __init__(self, shape):
        mesh = Mesh(np.array(jax.devices()).reshape(shape), ("data", "model"))

        random = np.random.default_rng(1)
        start = {k: random.uniform(-0.3, 0.3, s).astype(np.float32) for k, s in SHAPES.items()}
        self.params = self.momentum = placed(mesh, start, BY_MODEL)
        images = placed(mesh, random.uniform(-1, 1, (256, 64)).astype(np.float32), P("data"))
        labels = placed(mesh, np.arange(256, dtype=np.int32) % 10, P("data"))
        self.batch = images, labels
        self.train = jax.jit(
            jax.shard_map(
                step,
                mesh=mesh,
                in_specs=(BY_MODEL, BY_MODEL, P("data"), P("data")),
                out_specs=(P(), BY_MODEL, BY_MODEL),
            )
        )

    def compile(self):
        self.train.lower(self.params, self.momentum, *self.batch).compile()

    def step(self):
        value, self.params, self.momentum = jax.block_until_ready(
            self.train(self.params, self.momentum, *self.batch)
        )


def main():
    training = Training((4, 2) if devices == 8 else (devices, 1))
    start = time.perf_counter()
    training.compile()
    print("digits_compile_ms", f"{(time.perf_counter() - start) * 1e3:.1f}")
    times = []
    for i in range(600):
        start = time.perf_counter()
        training.step()
        if i >= 100:
            times.append(time.perf_counter() - start)
    print("digits_step_us", f"{statistics.median(times) * 1e6:.1f}")


if __name__ == "__main__":
    main()
