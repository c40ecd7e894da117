# SPDX-License-Identifier: Apache-2.0
"""Small SPMD functions in JAX, and their values and gradients: the twins of those in gradients_test.cpp.

Each takes global f64 arrays on the mesh x=4, y=2 and returns a scalar. Inside, `spmd(specs)` is what one device does.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

FUNCTIONS = {}


def spmd(*specs):
    """Registers a body: one spec per argument, the result is a scalar that all devices agree on."""

    def register(body):
        FUNCTIONS[body.__name__] = jax.shard_map(body, mesh=mesh(), in_specs=specs, out_specs=P(), check_vma=True)
        return body

    return register


def whole(function):
    """Registers a function of whole arrays that has shard_maps of its own over `mesh()`."""
    FUNCTIONS[function.__name__] = function
    return function


def mesh():
    return Mesh(np.array(jax.devices()[:8]).reshape(4, 2), ("x", "y"))


def value_and_gradients(name: str, arguments: list) -> list:
    """The value, then the gradient by every argument."""
    function = FUNCTIONS[name]
    value, gradients = jax.jit(jax.value_and_grad(function, argnums=tuple(range(len(arguments)))))(*arguments)
    return [value, *gradients]


@functools.cache
def register_all():
    """The functions are made on first use: they need the devices."""

    @spmd(P(), P("x"))
    def parameter_beside_data(w, x):
        return lax.psum(jnp.sum(jnp.tanh(x @ w)), "x")

    @spmd(P(None, "y"), P("y", None), P("x"))
    def hidden_units_split(w1, w2, x):
        logits = lax.psum(jnp.tanh(x @ w1) @ w2, "y")
        return lax.pmean(jnp.mean(logits * logits), "x")

    @spmd(P("x"), P())
    def gathered_and_weighted(x, w):
        blocks = lax.all_gather(x, "x", axis=1)  # [2, 4, 2]
        scale = (1 + lax.axis_index("x")).astype(x.dtype)
        return lax.psum(jnp.sum(blocks * blocks * w) * scale, "x")

    @spmd(P("x"), P())
    def gathered_in_tiles(x, w):
        whole = lax.all_gather(x, "x", axis=0, tiled=True)  # [8, 2]
        return lax.psum(jnp.sum(jnp.exp(whole * w)) * jnp.sum(x), "x")

    @spmd(P("x"), P())
    def scattered_sum(x, w):
        own = lax.psum_scatter(x @ w, "x", scatter_dimension=1, tiled=True)  # [2, 1]
        return lax.psum(jnp.sum(own * own * own), "x")

    @spmd(P("x"), P("x"))
    def softmax_over_devices(x, v):
        top = lax.pmax(lax.stop_gradient(jnp.max(x)), "x")
        e = jnp.exp(x - top)
        return lax.psum(jnp.sum(e / lax.psum(jnp.sum(e), "x") * v), "x")

    @spmd(P(), P("x"))
    def parameter_used_three_times(w, x):
        return lax.psum(jnp.sum(w * x + w * w * x * x - w / (2 + x * x)), "x")

    @spmd(P(("x", "y")), P())
    def summed_over_both_axes(x, w):
        return jnp.sum(jnp.tanh(lax.psum(x * w, ("x", "y"))))

    @spmd(P(("y", "x")), P())
    def gathered_over_both_axes(x, w):
        whole = lax.all_gather(x, ("y", "x"), axis=0, tiled=True)  # [8, 2]
        return lax.psum(jnp.sum(jnp.tanh(whole) * w) * jnp.sum(x), ("x", "y"))

    @spmd(P(), P("x"))
    def parameter_cast_by_hand(w, x):
        local = lax.pcast(w, "x", to="varying")
        return lax.pmean(jnp.sum(jnp.exp(-x * local)), "x")

    @spmd(P(), P("x"))
    def scan_over_layers(ws, x):
        def layer(x, w):
            return jnp.tanh(x @ lax.pcast(w, "x", to="varying")), jnp.mean(x)

        last, means = lax.scan(layer, x, ws)
        return lax.psum(jnp.sum(last * last) + jnp.sum(means * means), "x")

    @spmd(P(), P("x"))
    def scan_with_a_sum_in_every_trip(w, x):
        def trip(c, x):
            total = lax.psum(jnp.sum(c * x), "x")
            return jnp.tanh(c * w + 0.1 * total), total

        last, totals = lax.scan(trip, w, x, reverse=True)
        return lax.psum(jnp.sum(lax.pcast(last, "x", to="varying")), "x") + lax.psum(
            jnp.sum(lax.pcast(totals * totals, "x", to="varying")), "x"
        ) / 4

    @spmd(P(), P("x"))
    def branch_chosen_by_each_device(w, x):
        w = lax.pcast(w, "x", to="varying")
        return lax.psum(
            lax.cond(jnp.sum(x) > 0, lambda x: jnp.sum(jnp.exp(x * w)), lambda x: jnp.sum(x * x - w), x), "x"
        )

    @spmd(P("x"), P())
    def branch_of_three_in_a_scan(c, ws):
        def trip(c, w):
            index = (jnp.sum(w) * 2).astype(jnp.int32) + 1
            one = lambda x: jnp.tanh(x) * jnp.sum(w)
            two = lambda x: x * x * 0.3
            three = lambda x: jax.nn.sigmoid(x) - lax.psum(jnp.sum(x), "x") * 0.1
            after = lax.switch(index, [one, two, three], c)
            return after, jnp.sum(after)

        last, sums = lax.scan(trip, c, ws)
        return lax.psum(jnp.sum(last) + jnp.sum(sums * sums), "x")

    @spmd(P(), P("x"))
    def loop_with_numbers_for_bounds(w, x):
        def body(i, c):
            return jnp.tanh(c + x * i.astype(x.dtype) * 0.25) * w

        return lax.psum(jnp.sum(lax.fori_loop(1, 4, body, x)), "x")

    @spmd(P("x", "y"), P("y", None))
    def product_contracted_over_devices(a, b):
        return lax.psum(jnp.sum(jnp.tanh(lax.psum(a @ b, "y"))), "x")

    @whole
    def shard_map_in_vmap(x, w):
        scaled = jax.shard_map(
            lambda x, w: x * lax.psum(jnp.sum(x * w), ("x", "y")),
            mesh=mesh(), in_specs=(P(("x", "y")), P(("x", "y"))), out_specs=P(("x", "y")),
        )
        return jnp.sum(jnp.tanh(jax.vmap(scaled, in_axes=(1, None), out_axes=1)(x, w)))

    @whole
    def vmap_in_shard_map(x):
        # JAX 0.10 refuses collectives over the axis of a vmap here: the rows at once.
        def body(rows):
            mean = lax.pmean(jnp.mean(rows, axis=0), "x")
            return lax.psum(jnp.sum(jnp.tanh(rows - mean) * jnp.sum(rows, axis=0)), "x")

        return jax.shard_map(body, mesh=mesh(), in_specs=P("x"), out_specs=P())(x)

    @whole
    def operations_between_shard_maps(x, w):
        halves = jax.shard_map(lambda p: jnp.tanh(p) / 2, mesh=mesh(), in_specs=P("x", "y"), out_specs=P("x", "y"))
        sums = jax.shard_map(lambda p: lax.psum(p, "x"), mesh=mesh(), in_specs=P("x"), out_specs=P())
        y = halves(x)
        return jnp.sum(sums(y @ w + x[:, :3])[1:] * jnp.max(y, axis=1)[:1])
