# SPDX-License-Identifier: Apache-2.0
"""The twin of bench/collectives.cpp in JAX, on up to 8 virtual devices of this machine. Takes the commands "prepare" and
"measure" of that file and answers like it.

Each link needs the one before it, and the compiled program is looked through for as many collectives as there are links:
XLA has not made fewer of them.
"""

import functools
import json
import os
import statistics
import sys
import time

os.environ["PJRT_NPROC"] = "64"  # before jax is imported: with fewer threads than devices it stands still
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402
from jax.sharding import Mesh, NamedSharding  # noqa: E402
from jax.sharding import PartitionSpec as P  # noqa: E402

DTYPES = {"f32": np.float32, "bf16": ml_dtypes.bfloat16}
BLOCK_SECONDS, FEWEST_RUNS = 0.02, 3
CHECKED = 1 << 16  # elements of each device, from the first


def start(device, i):
    """Start of bench/collective_chains.hpp."""
    return (i * 37 + device * 11) % 15 - 7


class Collective:
    """link(x, n) -> the collective's result; next(x, y, n) -> the next link's operand; n devices."""

    takes_blocks = False
    tolerance = 0.0

    def next(self, x, y, n, link):
        return y


class Psum(Collective):
    instruction = "all-reduce("
    period = 25  # links after which the sums of sums are scaled back: 8 ** 25 * 56 is still a float

    def link(self, x, n):
        return lax.psum(x, "i")

    def next(self, x, y, n, link):
        return y * np.asarray(float(n) ** -self.period, y.dtype) if (link + 1) % self.period == 0 else y

    def expected(self, n, size, links, device, i):
        scaled = (links - 1) // self.period * self.period
        return sum(start(d, i) for d in range(n)) * float(n) ** (links - 1 - scaled)


class PsumLink(Collective):
    instruction = "all-reduce("

    def link(self, x, n):
        return x * np.asarray(0.5, x.dtype) + lax.psum(x, "i") * np.asarray(0.5 / n, x.dtype)

    def expected(self, n, size, links, device, i):
        mean = sum(start(d, i) for d in range(n)) / n
        return mean + (start(device, i) - mean) * 0.5**links

    tolerance = 3 * 7.0  # per link and eps


class AllGather(Collective):
    """The next operand is the last block of what is gathered: a copy of an n-th of it."""

    instruction = "all-gather("
    takes_blocks = True

    def link(self, x, n):
        return lax.all_gather(x, "i", tiled=True)

    def next(self, x, y, n, link):
        return y[-x.shape[0] :]

    def expected(self, n, size, links, device, i):
        block = size // n
        return start(i // block if links == 1 else n - 1, i % block)


class PsumScatter(Collective):
    """The next operand is the operand with another first element, written in place."""

    instruction = "reduce-scatter("

    def link(self, x, n):
        return lax.psum_scatter(x, "i", tiled=True)

    def next(self, x, y, n, link):
        return lax.dynamic_update_slice(x, y[:1] * np.asarray(0.5 / n, y.dtype), (0,))

    def expected(self, n, size, links, device, i):
        position = device * (size // n) + i
        total = sum(start(d, position) for d in range(n))
        return np.where(position == 0, np.nan, total) if links > 1 else total  # nan: not said here


class AllToAll(Collective):
    instruction = "all-to-all("

    def link(self, x, n):
        return lax.all_to_all(x, "i", 0, 0, tiled=True)

    def expected(self, n, size, links, device, i):
        block = size // n
        return start(i // block, device * block + i % block) if links % 2 else start(device, i)


class Ppermute(Collective):
    instruction = "collective-permute("

    def link(self, x, n):
        return lax.ppermute(x, "i", [(i, (i + 1) % n) for i in range(n)])

    def expected(self, n, size, links, device, i):
        return start((device - links) % n, i)


COLLECTIVES = {
    "psum": Psum(),
    "psum_link": PsumLink(),
    "all_gather_i": AllGather(),
    "all_gather_v": AllGather(),
    "psum_scatter": PsumScatter(),
    "all_to_all": AllToAll(),
    "ppermute": Ppermute(),
}


@functools.lru_cache(maxsize=1)
def operand(devices, dtype, length):
    mesh = Mesh(np.array(jax.devices()[:devices]), ("i",))
    i = np.arange(length, dtype=np.int32)
    shards = [jax.device_put(start(d, i).astype(DTYPES[dtype]), device) for d, device in enumerate(mesh.devices)]
    return jax.make_array_from_single_device_arrays((devices * length,), NamedSharding(mesh, P("i")), shards)


class Measurement:
    def __init__(self, name, devices, dtype, size, links):
        self.collective, self.devices, self.dtype = COLLECTIVES[name], devices, DTYPES[dtype]
        self.size, self.links = size // np.dtype(self.dtype).itemsize, links
        self.x = operand(devices, dtype, self.size // devices if self.collective.takes_blocks else self.size)
        body = jax.shard_map(
            self.chain, mesh=self.x.sharding.mesh, in_specs=P("i"), out_specs=P("i"), check_vma=False
        )
        self.run = jax.jit(body).lower(self.x).compile()
        found = self.run.as_text().count(" " + self.collective.instruction)
        if found != links:
            raise ValueError(f"{name}: {found} of {links} collectives are left in the compiled program")
        self.check()

    def chain(self, x):
        for link in range(self.links):
            y = self.collective.link(x, self.devices)
            x = self.collective.next(x, y, self.devices, link) if link + 1 < self.links else None
        return y

    def check(self):
        eps = float(ml_dtypes.finfo(self.dtype).eps)
        for device, shard in enumerate(self.run(self.x).addressable_shards):
            found = np.asarray(shard.data)[:CHECKED].astype(np.float64)
            expected = self.collective.expected(self.devices, self.size, self.links, device, np.arange(len(found)))
            wrong = np.abs(found - expected) > self.collective.tolerance * self.links * eps
            if wrong.any():
                i = int(wrong.argmax())
                raise ValueError(f"element {i} of device {device} is {found[i]}, not {expected[i]}")

    def microseconds(self):
        """The median run of a block, without the first."""
        self.run(self.x).block_until_ready()
        runs = []
        while sum(runs) < BLOCK_SECONDS or len(runs) < FEWEST_RUNS:
            begin = time.perf_counter()
            self.run(self.x).block_until_ready()
            runs.append(time.perf_counter() - begin)
        return statistics.median(runs) * 1e6 / self.links


def main():
    measurement = None
    for line in sys.stdin:
        command, *words = line.split()
        answer = {}
        if command == "measure":
            answer = {"us": measurement.microseconds()} if measurement else {"error": "nothing is prepared"}
        else:
            measurement = None
            name, devices, dtype, size, links = words
            if name not in COLLECTIVES:
                answer = {"error": f"XLA on CPUs has no {name}"}
            else:
                try:
                    measurement = Measurement(name, int(devices), dtype, int(size), int(links))
                except ValueError as error:
                    answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


main()
