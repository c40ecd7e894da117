# SPDX-License-Identifier: Apache-2.0
"""Derivatives, lanes and maps inside of functions, of which the test takes gradients and lanes again; see
jax_functions.py. A collective over an axis of vmap crashes inside a shard_map: what it computes stands for it."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.ad_checkpoint import checkpoint_name
from jax._src.lax.parallel import all_gather_invariant
from jax.sharding import PartitionSpec as P
from jax_functions import mesh, spmd, whole, without_gradient


def varying(x):
    return lax.pcast(x, "x", to="varying")


def over_devices(x):
    return lax.psum(jnp.sum(x), "x")


def mapped(body, specs, out):
    return jax.shard_map(body, mesh=mesh(), in_specs=specs, out_specs=out)


@spmd(P("x"), P())
def gradient_by_ones_own_parameter(x, w):
    own = jax.grad(lambda w: jnp.sum(jnp.tanh(x * w)))(varying(w))
    return over_devices(own * own * x)


@spmd(P("x"), P())
def gradient_by_the_common_parameter(x, w):
    common = jax.grad(lambda w: over_devices(jnp.tanh(x * w)))(w)
    return jnp.sum(common * common * w) * 0.1


@spmd(P("x"), P())
def step_of_training(x, w):
    loss = lambda w: lax.pmean(jnp.mean(jnp.tanh(x @ w) ** 2), "x")
    value, slope = jax.value_and_grad(loss)(w)
    return loss(w - 0.5 * slope) + 0.1 * value


@spmd(P("x"), P(), P())
def hessian_times_a_vector(x, w, v):
    loss = lambda w: over_devices(jnp.exp(lax.psum(x, "x") * w * 0.2) * x)
    return jnp.sum(jax.jvp(jax.grad(loss), (w,), (v,))[1] * w)


@spmd(P("x"), P())
def third_derivative(x, w):
    f = lambda w: over_devices(jnp.sin(x * w))
    return jax.grad(jax.grad(f))(w[0]) * jax.grad(f)(w[1])


@spmd(P("x"), P("x"))
def tangents_through_collectives(x, t):
    def f(x):
        return lax.all_gather(lax.ppermute(x * x, "x", [(0, 1), (1, 2), (2, 3)]), "x", axis=0, tiled=True)

    value, moved = jax.jvp(f, (x,), (t,))
    return over_devices(jnp.tanh(value) * moved * jnp.sum(x))


@spmd(P("x"), P())
def cotangents_of_a_matrix(x, w):
    def f(x, w):
        return lax.psum_scatter(x @ w, "x", scatter_dimension=1, tiled=True)  # [2, 1]

    value, pull = jax.vjp(f, x, varying(w))
    by_x, by_w = pull(jnp.cos(value))
    return over_devices(by_x * x) + over_devices(by_w * by_w)


@spmd(P("x"), P())
def gradient_through_the_largest(x, w):
    top = lambda w: jnp.sum(jnp.max(x * w, axis=0) * w)
    return over_devices(jnp.sin(jax.grad(top)(varying(w))) * x)


def four_of_three(w, x):
    return lax.psum(jnp.sum(jnp.tanh(x * w) * x, axis=0), "x")


@spmd(P("x"), P())
def jacobian_columns(x, w):
    found = jax.jacfwd(lambda w: four_of_three(w, x))(w)
    return jnp.sum(found * found * w)


@spmd(P("x"), P())
def jacobian_rows(x, w):
    return jnp.sum(jnp.tanh(jax.jacrev(lambda w: four_of_three(w, x))(w)) * w)


@spmd(P("x"), P(), P())
def jacobian_of_trees(x, w, v):
    f = lambda p: (over_devices(x * p[0]) * p[1], jnp.sin(p[0]) * jnp.sum(p[1]))
    (a, _), (_, b) = jax.jacfwd(f)((w, v))
    (_, c), (d, _) = jax.jacrev(f)((w, v))
    return jnp.sum(a * a) + jnp.sum(c) + jnp.sum(jnp.tanh(b)) + jnp.sum(d * w)


@spmd(P("x"), P())
def jacobian_by_two_arguments(x, w):
    f = lambda w, x, v: jnp.tanh(lax.psum(x, "x") * w) * v
    by_v, by_w = jax.jacrev(f, argnums=(2, 0))(w, x, w)
    return jnp.sum(by_v * w) + jnp.sum(by_w * by_w)


@spmd(P("x"), P())
def hessian_of_a_loss(x, w):
    found = jax.hessian(lambda w: over_devices(jnp.exp(x * w * 0.5) * x))(w)
    return jnp.sum(found * w[None]) * 0.1


@spmd(P("x"), P(), P())
def hessian_of_a_tree(x, w, v):
    loss = lambda p: over_devices(jnp.tanh(x * p[0]) * jnp.sum(p[1] * p[1]))
    (a, b), (c, d) = jax.hessian(loss)((w, v))
    return jnp.sum(a) * 0.1 + jnp.sum(jnp.sin(b)) + jnp.sum(c) * 0.1 + jnp.sum(d) * 0.1


@spmd(P("x"), P(), P())
def hessian_vector_products(x, w, v):
    loss = lambda w: over_devices(jnp.exp(x * w * 0.5) * x)
    product = jax.jvp(jax.grad(loss), (w,), (v,))[1]
    return jnp.sum(product * product) * 0.1


@spmd(P("x"), P(), P())
def linear_part_called_twice(x, w, v):
    value, moved = jax.linearize(lambda w: four_of_three(w, x) * w, w)
    return jnp.sum(value * moved(moved(v))) + jnp.sum(jax.vmap(moved)(v[None] * v))


@spmd(P("x"), P())
def auxiliary_results_of_vjp(x, w):
    value, pull, aux = jax.vjp(lambda w: (four_of_three(w, x), jnp.tanh(w) * w), w, has_aux=True)
    return jnp.sum(pull(value)[0] * aux)


@spmd(P("x"), P(), P())
def gradient_by_two_arguments(x, w, v):
    by_w, by_v = jax.grad(lambda w, x, v: over_devices(jnp.tanh(x * w) * v), argnums=(0, 2))(w, x, v)
    return jnp.sum(by_w * by_v)


@spmd(P("x"), P())
def rule_beside_an_integer(x, w):
    @jax.custom_jvp
    def power(x, n):
        return x * n.astype(x.dtype) * x

    @power.defjvp
    def rule(at, moved):
        return power(*at), 3.0 * at[0] * at[1].astype(at[0].dtype) * moved[0]

    n = jnp.int32(2)
    return jnp.sum(jax.jacfwd(lambda w: power(w, n))(w)) + over_devices(power(x, n))


@spmd(P("x"), P())
def backward_beside_an_integer(x, w):
    @jax.custom_vjp
    def scaled(n, x):
        return jnp.sin(x) * n.astype(x.dtype)

    def forward(n, x):
        return scaled(n, x), (n, x)

    def backward(kept, ct):
        return None, ct * jnp.tanh(kept[1]) * kept[0].astype(ct.dtype)

    scaled.defvjp(forward, backward)
    return over_devices(scaled(jnp.int32(3), x * w))


@spmd(P("x"), P())
def kept_by_name(x, w):
    def layers(x, w):
        hidden = checkpoint_name(jnp.tanh(x * w), "hidden")
        return jnp.sin(checkpoint_name(hidden * x, "product") * w)

    policy = jax.checkpoint_policies.save_only_these_names("hidden")
    return over_devices(jax.checkpoint(layers, policy=policy)(x, w))


@spmd(P("x"), P())
def columns_in_lanes(x, w):
    def column(c):
        everything = lax.all_gather(c, "x", tiled=True)  # [8]
        return lax.psum_scatter(jnp.sin(everything * w), "x", tiled=True)  # [2]

    lanes = jax.vmap(column, in_axes=1, out_axes=1)(x)
    return over_devices(lanes * x)


@spmd(P("x"), P(), P())
def lanes_along_other_dims(x, w, v):
    f = lambda r, c, v: lax.psum(jnp.outer(r * c, v), "x")
    lanes = jax.vmap(f, in_axes=(0, 1, None), out_axes=2)(x, w, v)  # [3, 2, 4]
    return jnp.sum(jnp.tanh(lanes) * w[:, None, :])


@spmd(P("x"), P())
def gradients_of_examples(x, w):
    loss = lambda w, r: jnp.sum(jnp.tanh(r * w) ** 2)
    each = jax.vmap(jax.grad(loss), in_axes=(None, 0))(varying(w), x)  # [4, 3]
    return over_devices(each / (1 + jnp.sqrt(0.1 + jnp.sum(each * each, axis=1, keepdims=True))))


@spmd(P("x"), P())
def gradient_of_lanes(x, w):
    loss = lambda w: over_devices(jax.vmap(lambda r: jnp.exp(r * w) * lax.pmean(r, "x"))(x))
    return jnp.sum(jax.grad(loss)(w) * w)


@spmd(P("x"), P())
def branches_in_lanes(x, w):
    v = varying(w)
    yes, no = lambda r: jnp.tanh(r * v), lambda r: r * r - v
    return over_devices(jax.vmap(lambda r: lax.cond(r[0] > 0, yes, no, r))(x) * x)


@spmd(P("x"), P())
def loops_in_lanes(x, w):
    def lane(r):
        return lax.scan(lambda c, v: (jnp.sin(c * v + lax.psum(r, "x") * 0.1), jnp.sum(c)), r, w)

    last, sums = jax.vmap(lane)(x)
    return over_devices(last) + over_devices(sums * sums)


@spmd(P("x"), P())
def sum_over_lanes(x, w):
    return over_devices((x - jnp.mean(x, axis=0)) ** 2 * jnp.sum(x * w, axis=0))


@spmd(P("x"), P())
def sum_over_lanes_and_devices(x, w):
    total = lax.psum(jnp.sum(jnp.tanh(x * w), axis=0), "x")
    return over_devices(x * total)


@spmd(P("x"), P())
def gathered_over_lanes_and_devices(x, w):
    everything = lax.all_gather(x, "x", axis=1).reshape(8, 3)  # lane by lane
    return over_devices(jnp.sum(jnp.sin(everything * w[:, None])) * x)


@spmd(P("x"), P())
def exchanged_between_lanes(x, w):
    swapped = jnp.swapaxes(x.reshape(2, 2, 3), 0, 1)  # lane, row -> row, lane
    return over_devices(jnp.exp(swapped * w) * x.reshape(2, 2, 3))


@spmd(P("x"), P())
def sent_between_lanes(x, w):
    before = jnp.roll(x, 1, axis=0)
    lanes = jnp.arange(4).astype(x.dtype)[:, None]
    some = jnp.zeros_like(x).at[0].set(x[3]).at[2].set(x[1])
    return over_devices(jnp.tanh(before * w) * lanes * x + some * x * x)


@spmd(P("x"), P())
def scattered_over_lanes(x, w):
    own = jnp.sum(x.reshape(2, 2, 3), axis=0)  # lane l keeps row l of the sum
    return over_devices(own * own * own * w)


@spmd(P("x"), P())
def scattered_over_lanes_and_devices(x, w):
    rows = lax.psum_scatter(jnp.sum(x * w, axis=0), "x", tiled=True)  # [2]: row 2 x + lane
    return over_devices(jnp.sin(rows) * (1.0 + jnp.arange(2)))


@spmd(P("x"), P())
def largest_of_lanes(x, w):
    return over_devices(jnp.max(x, axis=0) * w) + jnp.sum(jnp.sin(lax.psum(jnp.min(x, axis=0), "x")))


@spmd(P("x"), P())
def lanes_in_lanes(x, w):
    cube = x.reshape(2, 2, 3)  # lanes of a, of b
    row, column = jnp.sum(cube * w, axis=1, keepdims=True), jnp.mean(cube, axis=0, keepdims=True)
    return over_devices(jnp.tanh(row) * column * cube)


@whole
def a_map_after_another(x, w):
    rows = mapped(lambda x, w: lax.psum(x @ w, "y"), (P("x", "y"), P("y")), P("x"))(x, w)  # [8, 3]
    middle = jnp.tanh(rows[::-1]) * rows
    again = mapped(lambda r: all_gather_invariant(r, "x", axis=1, tiled=True) ** 2, (P(None, ("x", "y")),), P(None, "y"))
    return jnp.sum(again(jnp.pad(middle, ((0, 0), (0, 5)))) * jnp.arange(8.0))


@whole  # the derivative of a shard_map in a shard_map does not lower
def a_map_in_a_map(x, w):
    blocks = (x * 0.5).reshape(4, 2, 2, 2)  # x, row, y, column
    part = jnp.sum(jnp.tanh(blocks) * w.reshape(2, 2), axis=2) + jnp.sum(blocks, axis=(0, 2))
    return jnp.sum(jnp.mean(part * part, axis=0))


@whole
def lanes_of_a_map(x, w):
    def body(r, w):
        return all_gather_invariant(r, "x", tiled=True) * w + lax.psum(r, ("x", "y")).sum()

    lanes = jax.vmap(mapped(body, (P(("x", "y")), P()), P("y")), in_axes=(1, None), out_axes=1)(x, w)  # [8, 3]
    return jnp.sum(jnp.sin(lanes) * lanes)


@whole
def a_map_in_a_scan(x, w):
    body = mapped(lambda w, x: lax.psum(jnp.sum(jnp.tanh(x @ w)), "x"), (P(), P("x")), P())

    def trip(w, rows):
        value, slope = jax.value_and_grad(body)(w, rows)
        return w - 0.25 * slope, value

    w, values = lax.scan(trip, w, x)
    return jnp.sum(w * w) + jnp.sum(values)


@whole
def values_from_outside_of_a_map(x, w):
    outside = jnp.sin(w)
    body = mapped(lambda x: lax.psum(jnp.sum(x * outside), "x") * outside, (P("x"),), P())
    return jnp.sum(body(x) * w)


@whole  # unreduced specs need axes of another kind in JAX
def terms_between_maps(x, w):
    terms = jnp.exp(x.reshape(4, 2, 3)).sum(axis=(0, 1))
    return jnp.sum(jnp.sin(terms * 0.1 + w) * w)


@whole
@without_gradient
def jacobians(x, w):
    f = mapped(lambda x, w: jnp.tanh(lax.psum(x * w, "x")), (P("x"), P()), P())
    forward, backward = jax.jacfwd(f, argnums=1)(x, w), jax.jacrev(f)(x, w)
    return jnp.sum(forward) + jnp.sum(jnp.sin(backward))
