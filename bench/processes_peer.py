# SPDX-License-Identifier: Apache-2.0
"""Usage: bench/processes_peer.py PROCESS PROCESSES PORT

One process of a job of JAX, with one CPU device, whose collectives go by gloo: psum, all_gather and the training step of
the digits example, as bench/processes_mpi.cpp measures them. Process 0 prints one JSON object a line: {"name": ..,
"bytes": .., "us": ..}, where us is the median run of the slowest process.
"""

import json
import os
import statistics
import sys
import time

process, processes, port = map(int, sys.argv[1:])
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=1"

import jax  # noqa: E402

jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize(f"127.0.0.1:{port}", processes, process)

import numpy as np  # noqa: E402
from digits_peer import Training  # noqa: E402
from jax import lax  # noqa: E402
from jax.experimental import multihost_utils  # noqa: E402
from jax.sharding import Mesh, NamedSharding  # noqa: E402
from jax.sharding import PartitionSpec as P  # noqa: E402

COLLECTIVES = {
    "psum": (lambda x: lax.psum(x, "i"), P()),
    "all_gather": (lambda x: lax.all_gather(x, "i", tiled=True), P()),
}
ENOUGH_SECONDS = 0.5


def report(name, size, run):
    """Medians of so many runs on all processes: each counts its own, and the slowest counts."""
    run()
    start = time.perf_counter()
    run()
    took = multihost_utils.process_allgather(np.float64(time.perf_counter() - start)).max()
    times = []
    for _ in range(int(min(max(ENOUGH_SECONDS / took, 5), 2000))):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    slowest = multihost_utils.process_allgather(np.float64(statistics.median(times))).max()
    if process == 0:
        print(json.dumps({"name": name, "bytes": size, "us": round(float(slowest) * 1e6, 2)}), flush=True)


mesh = Mesh(np.array(jax.devices()), ("i",))
for name, (body, out) in COLLECTIVES.items():
    for size in (32, 64 << 10, 1 << 20, 64 << 20):
        count = size // 4 // (processes if name == "all_gather" else 1)
        own = (np.arange(count) * 37 + process * 11) % 15 - 7
        x = jax.make_array_from_process_local_data(NamedSharding(mesh, P("i")), own.astype(np.float32))
        call = jax.jit(jax.shard_map(body, mesh=mesh, in_specs=P("i"), out_specs=out, check_vma=False))
        found = np.asarray(call(x).addressable_shards[0].data)
        others = [(np.arange(count) * 37 + other * 11) % 15 - 7 for other in range(processes)]
        expected = sum(others) if name == "psum" else np.concatenate(others)
        if not np.array_equal(found, expected):
            sys.exit(f"{name}: another result")
        report(name, size, lambda call=call, x=x: jax.block_until_ready(call(x)))

report("digits step", 0, Training((processes, 1)).step)
