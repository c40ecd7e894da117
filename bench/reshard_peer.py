# SPDX-License-Identifier: Apache-2.0
"""The twin of bench/programs_reshard.cpp in JAX, on 8 devices of the CPU: "put_NAME" by jax.device_put, "jit_NAME" by a
jitted function with these shardings. Takes the commands "measure" and "forget" of bench/rows.hpp and answers like them.
"""

import os

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"

import jax  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import NamedSharding, PartitionSpec as P  # noqa: E402
from programs_peer import answer, values  # noqa: E402

EDGE = 4096
SPECS = {"rows_to_columns": (P("x"), P(None, "x")), "axes_swapped": (P("x", "y"), P("y", "x"))}


def prepared(name, size):
    way, _, which = name.partition("_")
    mesh = jax.make_mesh((4, 2), ("x", "y"))
    before, after = (NamedSharding(mesh, spec) for spec in SPECS[which])
    whole = values((size // 4 // EDGE, EDGE))
    x = jax.block_until_ready(jax.device_put(whole, before))
    if way == "put":
        move = lambda: jax.device_put(x, after)  # noqa: E731
    else:
        moved = jax.jit(lambda x: x, in_shardings=before, out_shardings=after)
        move = lambda: moved(x)  # noqa: E731
    assert (np.asarray(move()) == whole).all()
    return lambda: jax.block_until_ready(move()), None


if __name__ == "__main__":
    answer(prepared)
