# SPDX-License-Identifier: Apache-2.0
"""The experts example in JAX, the twin of examples/experts_model.hpp. XLA's CPU has no ragged_all_to_all: here all rows
go everywhere by all_gather, and each device takes those that are sent to it."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P
from jax_functions import program
from jax_transformer import placed

AXIS = "expert"


class Mlp(NamedTuple):
    up: Any
    down: Any


class Around(NamedTuple):
    characters: Any
    joined: Any
    scores: Any


class Dense(NamedTuple):
    around: Around
    layer: Mlp


class Experts(NamedTuple):
    around: Around
    router: Any
    layer: Mlp


class Both(NamedTuple):
    dense: Dense
    experts: Experts


def through(layer, x):
    return jax.nn.relu(x @ layer.up) @ layer.down


def standardized(x):
    away = x - jnp.mean(x, axis=-1, keepdims=True)
    return away * lax.rsqrt(jnp.mean(away * away, axis=-1, keepdims=True) + 1e-5)


def exchanged(rows, sizes, room):
    table = lax.all_gather(sizes, AXIS)  # by sender, then receiver
    here = lax.axis_index(AXIS)
    arriving = table[:, here]
    ends = jnp.cumsum(arriving)
    row = jnp.arange(room)
    sender = jnp.clip(jnp.searchsorted(ends, row, side="right"), 0, len(ends) - 1)
    cut = (jnp.cumsum(table, axis=1) - table)[sender, here]  # where the sender's slice begins
    place = jnp.clip(cut + row - (ends - arriving)[sender], 0, len(rows) - 1)
    return jnp.where((row < ends[-1])[:, None], lax.all_gather(rows, AXIS)[sender, place], 0.0)


def through_experts(network, x):
    tokens, experts = len(x), lax.axis_size(AXIS)
    probability = jax.nn.softmax(x @ network.router)
    chosen = jnp.argmax(probability, axis=1)
    order = jnp.argsort(chosen)
    sizes = jnp.sum(jax.nn.one_hot(chosen, experts, dtype=jnp.int32), axis=0)
    arrived = exchanged(x[order], sizes, experts * tokens)
    answered = through(jax.tree.map(lambda w: w[0], network.layer), arrived)
    back = exchanged(answered, lax.all_to_all(sizes, AXIS, 0, 0, tiled=True), tokens)
    counts = lax.psum(sizes, AXIS)
    balance = jnp.sum(counts * lax.pmean(jnp.mean(probability, axis=0), AXIS)) / tokens
    best = lax.top_k(lax.stop_gradient(probability), 2)[0]
    margin = lax.pmin(jnp.min(best[:, 0] - best[:, 1]), AXIS)
    return jnp.max(probability, axis=1)[:, None] * back[jnp.argsort(order)], counts, balance, margin


def before_layer(around, seen):
    return standardized(around.characters[seen].reshape(len(seen), -1) @ around.joined)


def loss_after(around, x, following):
    scores = jax.nn.log_softmax(standardized(x) @ around.scores)
    return lax.pmean(-jnp.mean(jnp.take_along_axis(scores, following[:, None], axis=1)), AXIS)


def step(both, momentum, seen, following):
    def goal(both):
        dense, experts = both
        x, y = before_layer(dense.around, seen), before_layer(experts.around, seen)
        routed, counts, balance, margin = through_experts(experts, y)
        of_dense = loss_after(dense.around, x + through(dense.layer, x), following)
        of_experts = loss_after(experts.around, y + routed, following)
        return of_dense + of_experts + 0.1 * balance, (of_dense, of_experts, balance, counts, margin)

    (_, found), gradient = jax.value_and_grad(goal, has_aux=True)(both)
    velocity = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, gradient)
    return found, jax.tree.map(lambda p, v: p - 0.1 * v, both, velocity), velocity


def specs_of_both():
    around = Around(P(), P(), P())
    return Both(Dense(around, Mlp(P(), P())), Experts(around, P(), Mlp(P(AXIS), P(AXIS))))


@program
def experts_losses(*arrays):
    """Of one step per batch: losses of both, balance, counts, and the least distance of a chosen probability from the
    next one; the arguments are the parameters in the order of their fields, then the batches, stacked."""
    *leaves, seen, following = arrays
    specs = specs_of_both()
    both = jax.tree.unflatten(jax.tree.structure(specs, is_leaf=lambda x: isinstance(x, P)), leaves)
    mesh, of_batch = Mesh(np.array(jax.devices()[:8]), (AXIS,)), P(AXIS)
    train = jax.jit(
        jax.shard_map(
            step,
            mesh=mesh,
            in_specs=(specs, specs, of_batch, of_batch),
            out_specs=((P(), P(), P(), P(), P()), specs, specs),
        )
    )
    momentum, found = placed(mesh, jax.tree.map(np.zeros_like, both), specs), []
    both = placed(mesh, both, specs)
    for batch in zip(seen, following, strict=True):
        of_step, both, momentum = train(both, momentum, *batch)
        found.append([np.asarray(part) for part in of_step])
    return [np.stack(parts) for parts in zip(*found, strict=True)]
