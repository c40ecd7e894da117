# SPDX-License-Identifier: Apache-2.0
"""Every collective, over one and several axes; see jax_functions.py. Devices are numbered 2 x + y."""

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.lax.parallel import all_gather_invariant, pargmax, pargmin
from jax.sharding import PartitionSpec as P
from jax_functions import spmd, whole, without_gradient

X_Y, Y_X = P(("x", "y")), P(("y", "x"))


@spmd(P(), P("x"))
def parameter_beside_data(w, x):
    return lax.psum(jnp.sum(jnp.tanh(x @ w)), "x")


@spmd(P(None, "y"), P("y", None), P("x"))
def hidden_units_split(w1, w2, x):
    logits = lax.psum(jnp.tanh(x @ w1) @ w2, "y")
    return lax.pmean(jnp.mean(logits * logits), "x")


@spmd(P(), P("x"))
def parameter_used_three_times(w, x):
    return lax.psum(jnp.sum(w * x + w * w * x * x - w / (2 + x * x)), "x")


@spmd(X_Y, P())
def summed_over_both_axes(x, w):
    return jnp.sum(jnp.tanh(lax.psum(x * w, ("x", "y"))))


@spmd(P("x", "y"), P("y", None))
def product_contracted_over_devices(a, b):
    return lax.psum(jnp.sum(jnp.tanh(lax.psum(a @ b, "y"))), "x")


@spmd(P(), P("x"))
def parameter_cast_by_hand(w, x):
    local = lax.pcast(w, "x", to="varying")
    return lax.pmean(jnp.sum(jnp.exp(-x * local)), "x")


@spmd(P("x"), P())
def sum_of_equal_values(x, w):
    return lax.psum(jnp.sum(jnp.sin(lax.psum(w, "x") * 0.5)), "y") + lax.psum(jnp.sum(x * w), "x")


@spmd(X_Y, P("y"))
def mean_of_one_axis_then_of_the_other(a, b):
    rows = lax.pmean(jnp.tanh(a * b), "x")
    return lax.pmean(jnp.sum(jnp.exp(rows) * b), "y")


@spmd(Y_X, P())
def mean_of_both_axes(a, w):
    return jnp.sum(jnp.sin(lax.pmean(a * w, ("y", "x"))))


@spmd(P("x"), P("x"))
def softmax_over_devices(x, v):
    top = lax.pmax(lax.stop_gradient(jnp.max(x)), "x")
    e = jnp.exp(x - top)
    return lax.psum(jnp.sum(e / lax.psum(jnp.sum(e), "x") * v), "x")


@whole  # pmax has no derivative
def largest_of_devices(x, w):
    return jnp.sum(jnp.max(x.reshape(4, 2, 3) ** 2, axis=0) * w)


@whole  # pmin has no derivative
def smallest_of_both_axes(x, w):
    return jnp.sum(jnp.exp(jnp.min(x.reshape(8, 1, 3) * w, axis=0)))


@spmd(P("x"), P())
@without_gradient
def place_of_the_largest(x, w):
    place = pargmax(jnp.sum(x * w), "x") * 10 + pargmin(jnp.max(x), "x")
    return place.astype(x.dtype)


@spmd(P("x"), P())
def gathered_and_weighted(x, w):
    blocks = lax.all_gather(x, "x", axis=1)  # [2, 4, 2]
    scale = (1 + lax.axis_index("x")).astype(x.dtype)
    return lax.psum(jnp.sum(blocks * blocks * w) * scale, "x")


@spmd(P("x"), P())
def gathered_in_tiles(x, w):
    whole = lax.all_gather(x, "x", axis=0, tiled=True)  # [8, 2]
    return lax.psum(jnp.sum(jnp.exp(whole * w)) * jnp.sum(x), "x")


@spmd(Y_X, P())
def gathered_over_both_axes(x, w):
    whole = lax.all_gather(x, ("y", "x"), axis=0, tiled=True)  # [8, 2]
    return lax.psum(jnp.sum(jnp.tanh(whole) * w) * jnp.sum(x), ("x", "y"))


@spmd(X_Y, P())
def gathered_against_the_order_of_the_mesh(x, w):
    whole = lax.all_gather(x, ("y", "x"), axis=-1)  # [1, 2, 8]
    return lax.pmean(jnp.sum(jnp.sin(whole * w)) * jnp.sum(x * x), ("x", "y"))


@spmd(P("x", "y"), P())
def gathered_to_equal_values(x, w):
    rows = all_gather_invariant(x, "y", axis=1, tiled=True)  # [2, 4]
    return lax.psum(jnp.sum(jnp.tanh(rows * w)), "x")


@whole  # a reduced value has no rule for vmap
def gathered_to_reduced_values(x, w):
    blocks = x.reshape(4, 2, 2)  # rows of device x: 2 x, 2 x + 1
    return sum(jnp.sum(jnp.tanh(x * (1 + k)) * w * jnp.sum(blocks[k])) for k in range(4))


@spmd(P("x"), P())
def gathered_in_groups(x, w):
    pair = lax.all_gather(x, "x", axis=0, axis_index_groups=[[0, 2], [3, 1]])  # [2, 2, 2]
    return lax.psum(jnp.sum(jnp.exp(pair * w)) * jnp.sum(x), "x")


@spmd(P("x"), P())
def scattered_sum(x, w):
    own = lax.psum_scatter(x @ w, "x", scatter_dimension=1, tiled=True)  # [2, 1]
    return lax.psum(jnp.sum(own * own * own), "x")


@spmd(P("x"), P())
def scattered_sum_of_rows(x, w):
    own = lax.psum_scatter(x * w, "x", scatter_dimension=0)  # [3]
    return lax.psum(jnp.sum(jnp.sin(own) * (2.0 + lax.axis_index("x").astype(x.dtype))), "x")


@spmd(P(None, ("x", "y")), P())
def scattered_over_both_axes(x, w):
    own = lax.psum_scatter(jnp.tanh(x * w), ("y", "x"), scatter_dimension=0, tiled=True)  # [1, 2]
    return lax.psum(jnp.sum(own * own), ("x", "y"))


@spmd(P("x"), P())
def scattered_in_groups(x, w):
    own = lax.psum_scatter(x * w, "x", tiled=True, axis_index_groups=[[1, 0], [2, 3]])  # [1, 3]
    return lax.psum(jnp.sum(jnp.exp(own)), "x")


@spmd(P("x"), P("x"))
def exchanged_in_tiles(x, w):
    swapped = lax.all_to_all(x, "x", 1, 0, tiled=True)  # [2, 4] -> [8, 1]
    return lax.psum(jnp.sum(jnp.tanh(swapped) * w), "x")


@whole  # the transpose of an untiled all_to_all with split != concat has the wrong shape
def exchanged_to_another_dim(x, w):
    blocks = x.reshape(4, 4, 3)  # device, row, column; device d gets row d of all
    return sum(jnp.sum(jnp.sin(blocks[:, d].T * w) * (1 + d)) for d in range(4))


@spmd(X_Y, P())
def exchanged_over_both_axes(x, w):
    swapped = lax.all_to_all(x, ("y", "x"), 1, 1, tiled=True)  # [1, 8]
    return lax.psum(jnp.sum(jnp.tanh(swapped * w) * jnp.sum(x)), ("x", "y"))


@whole  # all_to_all with groups has no rule for vmap
def exchanged_in_groups(x, w):
    blocks = x.reshape(4, 2, 2)  # device, row, column
    total = 0.0
    for group in ((2, 0), (3, 1)):
        for place, device in enumerate(group):
            own = jnp.stack([blocks[peer, place] for peer in group])
            total += jnp.sum(jnp.exp(own * w) * (1 + device))
    return total


@spmd(P("x"), P())
def swapped_with_a_dim(x, w):
    swapped = lax.pswapaxes(x, "x", 0)  # [4, 3]
    return lax.psum(jnp.sum(jnp.sin(swapped * w)) * jnp.sum(x), "x")


@spmd(P("x"), P())
def sent_around_a_ring(x, w):
    before = lax.ppermute(x, "x", [(k, (k + 1) % 4) for k in range(4)])
    after = lax.ppermute(x, "x", [((k + 1) % 4, k) for k in range(4)])
    return lax.psum(jnp.sum(jnp.tanh(before * w - after) * x), "x")


@spmd(P("x"), P())
def sent_to_some(x, w):
    got = lax.ppermute(x * w, "x", [(3, 0), (1, 2), (0, 3)])
    return lax.psum(jnp.sum(jnp.cos(got + x)), "x")


@spmd(X_Y, P())
def sent_along_both_axes(x, w):
    got = lax.ppermute(x * w, ("x", "y"), [(0, 1), (1, 6), (7, 0), (2, 4)])
    return lax.psum(jnp.sum(jnp.exp(got) * x), ("x", "y"))


@spmd(P("x", "y"), P())
def shuffled(x, w):
    return lax.psum(jnp.sum(lax.pshuffle(x, "x", [2, 0, 3, 1]) * lax.pshuffle(x * w, "y", [1, 0])), ("x", "y"))


@spmd(P("x"), P())
def broadcast_from_one(x, w):
    # pbroadcast runs on GPUs only
    got = lax.psum(jnp.where(lax.axis_index("x") == 2, x, 0.0), "x")
    return lax.psum(jnp.sum(jnp.tanh(got * w) * x), "x")


@spmd(X_Y, P())
def broadcast_over_both_axes(x, w):
    got = lax.psum(jnp.where(lax.axis_index(("y", "x")) == 5, x * w, 0.0), ("x", "y"))  # likewise
    return lax.psum(jnp.sum(got * got * x), ("x", "y"))


@spmd(X_Y, P())
def weighted_by_position(x, w):
    joint = lax.axis_index(("y", "x")) * lax.axis_size("x") + 3 * lax.axis_index("x")
    return lax.psum(jnp.sum(jnp.sin(x * w) * joint.astype(x.dtype)), ("x", "y")) / lax.axis_size(("x", "y"))


@whole  # psum takes no groups under check_vma
def summed_in_groups(x, w):
    blocks = x.reshape(4, 2, 3) * w
    even, odd = jnp.tanh(blocks[0] + blocks[2]), jnp.tanh(blocks[3] + blocks[1])
    return jnp.sum((even * even * (blocks[0] + blocks[2])) + (odd * odd * (blocks[3] + blocks[1])))


@whole  # psum takes no groups under check_vma; pmean divides uneven ones by the first's size
def mean_of_uneven_groups(x, w):
    blocks = x.reshape(4, 2, 3)
    three = jnp.exp((blocks[2] + blocks[0] + blocks[1]) / 3 * w)
    return jnp.sum(three * (blocks[2] + blocks[0] + blocks[1])) + jnp.sum(jnp.exp(blocks[3] * w) * blocks[3])


@whole  # pmax has no derivative; with groups it is typed as equal everywhere
def largest_of_groups(x, w):
    blocks = x.reshape(4, 2, 3)
    low, high = jnp.maximum(blocks[0], blocks[1]), jnp.maximum(blocks[2], blocks[3])
    return 2 * jnp.sum(jnp.sin(low * w)) + 2 * jnp.sum(jnp.sin(high * w))


@spmd(P("x"), P())
def sum_taken_at_last(x, w):
    # Ours stays a partial sum until the end; JAX has no rule to vmap that.
    terms = jnp.sum(jnp.exp(x), axis=0)
    return jnp.sum(lax.psum(terms, "x") * w) + jnp.sum(lax.psum(terms * jnp.sin(w), "x"))


@whole  # there is no mask
def kept_on_one_device(x, w):
    blocks = x.reshape(4, 2, 3)
    return jnp.sum(w * jnp.sum(jnp.tanh(blocks), axis=(0, 1))) + jnp.sum(jnp.exp(w) * blocks[1])


@spmd(P("x"), P(None, "x"))
def product_along_a_ring(a, b):
    """a @ b, the blocks of a travelling: [8, 3] by rows, [3, 8] by columns."""
    here, total = lax.axis_index("x"), 0.0
    for step in range(4):
        block = (here - step) % 4
        columns = a @ b * (1 + block).astype(a.dtype)
        total = total + jnp.sum(jnp.tanh(columns))
        a = lax.ppermute(a, "x", [(k, (k + 1) % 4) for k in range(4)])
    return lax.psum(total, "x")
