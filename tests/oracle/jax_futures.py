# SPDX-License-Identifier: Apache-2.0
"""Collectives in two halves: what JAX 0.10.2 runs of them on CPUs. They have no derivative and no vmap there."""

import jax
import jax.numpy as jnp
from jax._src.lax import parallel
from jax.sharding import PartitionSpec as P
from jax_functions import mesh, program


@program
def collectives_in_halves(x):
    def over_x(body, result):
        # Without jit: 'AbstractFuture' object has no attribute 'mat'.
        return jax.jit(jax.shard_map(body, mesh=mesh(), in_specs=P("x"), out_specs=result))(x)

    def twice(rows):
        return jnp.concatenate([rows, -rows])

    def beside_work(rows):
        total = parallel.psum_start(rows * rows, "x")
        work = jnp.exp(-rows)
        return total.done() * work

    return [
        over_x(lambda rows: parallel.psum_start(rows, "x").done(), P()),
        over_x(beside_work, P("x")),
        over_x(lambda rows: parallel.all_gather_start(rows, "x").done(), P("x")),
        over_x(lambda rows: parallel.all_gather_start(rows, "x", axis=1, tiled=True).done(), P("x")),
        over_x(lambda rows: parallel.psum_scatter_start(twice(rows), "x", tiled=True).done(), P("x")),
        over_x(lambda rows: parallel.all_to_all_start(twice(rows), "x", 0, 0, tiled=True).done(), P("x")),
        over_x(lambda rows: parallel.ppermute_start(rows, "x", [(0, 1), (1, 3)]).done(), P("x")),
    ]
