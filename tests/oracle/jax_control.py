# SPDX-License-Identifier: Apache-2.0
"""Loops, branches and rules of one's own, with collectives inside; see jax_functions.py."""

import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P
from jax_functions import spmd, without_gradient

RING = [(k, (k + 1) % 4) for k in range(4)]


def varying(x):
    return lax.pcast(x, "x", to="varying")


def over_devices(x):
    return lax.psum(jnp.sum(x), "x")


@spmd(P(), P("x"))
def scan_over_layers(ws, x):
    def layer(x, w):
        return jnp.tanh(x @ varying(w)), jnp.mean(x)

    last, means = lax.scan(layer, x, ws)
    return lax.psum(jnp.sum(last * last) + jnp.sum(means * means), "x")


@spmd(P(), P("x"))
def scan_with_a_sum_in_every_trip(w, x):
    def trip(c, x):
        total = over_devices(c * x)
        return jnp.tanh(c * w + 0.1 * total), total

    last, totals = lax.scan(trip, w, x, reverse=True)
    return over_devices(varying(last)) + over_devices(varying(totals * totals)) / 4


@spmd(P(None, "x"), P())
def scan_in_a_scan(x, w):
    def inner(c, v):
        return jnp.sin(c + v * w[0]), c * v

    def outer(c, row):
        c, products = lax.scan(inner, c, row)
        return c + jnp.sum(products) * 0.1, jnp.sum(c)

    last, sums = lax.scan(outer, varying(w[1]), x)  # rows of 2 numbers
    return over_devices(last * last) + over_devices(sums)


@spmd(P("x"), P())
def scan_around_a_ring(x, w):
    def trip(carry, scale):
        here, total = carry
        total = total + jnp.sum(jnp.exp(x @ here.T) * scale, axis=1)
        return (lax.ppermute(here, "x", RING), total), jnp.mean(here)

    (last, total), means = lax.scan(trip, (x, varying(jnp.zeros(2))), w)
    return over_devices(jnp.log(2 + total * total) + jnp.sum(last[:, 0] * means[:2]))


@spmd(P(None, "x"), P("x"))
def scan_that_gathers_its_layers(ws, x):
    def layer(h, part):
        w = lax.all_gather(part, "x", axis=0, tiled=True)  # [4, 4]
        return jnp.tanh(h @ w), None

    return over_devices(lax.scan(layer, x, ws)[0])


@spmd(P("x"), P())
def scan_of_branches(x, w):
    own = varying(w)

    def trip(c, v):
        c = lax.cond(jnp.sum(c * v) > 0, lambda c: jnp.tanh(c * v), lambda c: jnp.sin(c) - own, c)
        return c, jnp.max(c)

    last, tops = lax.scan(trip, own, x)
    return over_devices(last) + over_devices(tops * tops)


@spmd(P(), P("x"))
def branch_chosen_by_each_device(w, x):
    w = varying(w)
    return lax.psum(
        lax.cond(jnp.sum(x) > 0, lambda x: jnp.sum(jnp.exp(x * w)), lambda x: jnp.sum(x * x - w), x), "x"
    )


@spmd(P("x"), P())
def branches_that_communicate(x, w):
    yes = lambda x: lax.psum(jnp.tanh(x * w), "x")
    no = lambda x: lax.pmean(x * x - w, "x")
    first = lax.cond(over_devices(x) > 0, yes, no, x)
    return jnp.sum(jnp.sin(first) + lax.cond(over_devices(x) > 0, no, yes, x))


@spmd(P("x"), P())
def branch_chosen_by_position(x, w):
    v = varying(w)
    branches = [lambda x: jnp.exp(x * v), lambda x: v - x * x, lambda x: jnp.sin(x) / (2 + v)]
    return over_devices(lax.switch(lax.axis_index("x"), branches, x) * x)


@spmd(P("x"), P())
def branch_of_three_in_a_scan(c, ws):
    def trip(c, w):
        index = (jnp.sum(w) * 2).astype(jnp.int32) + 1
        one = lambda x: jnp.tanh(x) * jnp.sum(w)
        two = lambda x: x * x * 0.3
        three = lambda x: jax.nn.sigmoid(x) - over_devices(x) * 0.1
        after = lax.switch(index, [one, two, three], c)
        return after, jnp.sum(after)

    last, sums = lax.scan(trip, c, ws)
    return lax.psum(jnp.sum(last) + jnp.sum(sums * sums), "x")


@spmd(P("x"), P())
def branch_in_a_branch(x, w):
    v = varying(w)

    def outer(x):
        return lax.cond(jnp.max(x) > 0.5, lambda: x * v, lambda: x - jnp.cos(v))

    return over_devices(lax.cond(x[0, 0] < 0.2, outer, lambda x: jnp.exp(x) * v, x))


@spmd(P(), P("x"))
def loop_with_numbers_for_bounds(w, x):
    def body(i, c):
        return jnp.tanh(c + x * i.astype(x.dtype) * 0.25) * w

    return over_devices(lax.fori_loop(1, 4, body, x))


@spmd(P("x"), P())
@without_gradient
def loop_with_arrays_for_bounds(x, w):
    def body(i, c):
        return jnp.tanh(c + x * i.astype(x.dtype) * 0.25) * w

    return over_devices(lax.fori_loop(lax.axis_index("x"), 1 + 2 * lax.axis_index("x"), body, x))


@spmd(P("x"), P())
@without_gradient
def halved_by_each_device_until_small(x, w):
    def body(c):
        return c[0] * 0.5 + w * 0.01, c[1] + 1

    start = x * w * 3, varying(jnp.int32(0))
    last, trips = lax.while_loop(lambda c: jnp.sum(c[0] * c[0]) > 0.1, body, start)
    return over_devices(last) + lax.psum(trips, "x").astype(x.dtype)


@spmd(P("x"), P())
@without_gradient
def doubled_until_the_sum_is_large(x, w):
    def body(c):
        return c[0] * 1.5 + w * 0.1, c[1] + 1

    last, trips = lax.while_loop(lambda c: over_devices(c[0] * c[0]) < 20, body, (x, 0))
    return over_devices(last) + trips


@spmd(P("x"), P())
def computed_again_for_the_gradient(x, w):
    @jax.checkpoint
    def layer(x, w):
        return jnp.tanh(lax.psum(jnp.sin(x * w), "x") * x)

    return over_devices(layer(layer(x, w), w * w))


@spmd(P(), P("x"))
def products_kept_for_the_gradient(ws, x):
    @functools.partial(jax.checkpoint, policy=jax.checkpoint_policies.dots_saveable)
    def layer(x, w):
        return jnp.tanh(x @ w), None

    return over_devices(lax.scan(layer, x, varying(ws))[0])


@spmd(P("x"), P())
def derivative_of_ones_own(x, w):
    @jax.custom_jvp
    def steps(x):
        return jnp.floor(3 * x)

    @steps.defjvp
    def rule(primals, tangents):
        return steps(*primals), tangents[0] * jnp.cos(primals[0])

    return over_devices(steps(x * w) * x)


def signed():
    """The sum over devices; the gradient of each is multiplied by its sign."""

    @jax.custom_vjp
    def sum_of(x):
        return lax.psum(x, "x")

    sum_of.defvjp(lambda x: (lax.psum(x, "x"), x), lambda x, g: (varying(g) * jnp.sign(x),))
    return sum_of


@spmd(P("x"), P())
def gradient_of_ones_own(x, w):
    return jnp.sum(jnp.tanh(signed()(x * w) * w))


@spmd(P("x"), P())
def gradient_of_ones_own_in_a_scan(x, w):
    def trip(c, v):
        return jnp.sin(c + signed()(x * v)), None

    return over_devices(lax.scan(trip, x, w)[0])
