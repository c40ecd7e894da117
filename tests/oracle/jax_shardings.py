# SPDX-License-Identifier: Apache-2.0
"""Which block of an array each device holds, as JAX has it; see jax_functions.py."""

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from jax_functions import program


@program
def blocks_of_shardings(sizes, shape, splits):
    """splits: [sharding, dim, k], the k-th axis of a dim, or -1. Result: [sharding, device, dim, begin and end]."""
    names = [f"a{i}" for i in range(len(sizes))]
    mesh = Mesh(np.array(jax.devices()[: np.prod(sizes)]).reshape(sizes), names)
    blocks = np.zeros((len(splits), mesh.size, len(shape), 2), np.int64)
    for sharding, dims in enumerate(splits):
        spec = P(*(tuple(names[axis] for axis in dim if axis >= 0) for dim in dims))
        held = NamedSharding(mesh, spec).devices_indices_map(tuple(int(n) for n in shape))
        for device, place in enumerate(mesh.devices.flat):
            for dim, part in enumerate(held[place]):
                blocks[sharding, device, dim] = part.indices(int(shape[dim]))[:2]
    return [blocks]
