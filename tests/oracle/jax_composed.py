# SPDX-License-Identifier: Apache-2.0
"""The functions of JAX that docs/numpy.md composes: the twins, under the same names, of composed_test.cpp."""

from collections import namedtuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax_functions import PROGRAMS


Arguments = namedtuple("Arguments", "x v q i bits big")  # of composed_test.cpp


def z(v):
    return lax.complex(v, v * v - 1)


ROWS = {
    "angle": lambda a: jnp.angle(z(a.v)),
    "append": lambda a: jnp.append(a.q, a.v),
    "choose": lambda a: jnp.choose(a.i, [a.x, 2 * a.x, 3 * a.x]),
    "column_stack": lambda a: jnp.column_stack([a.x, 2 * a.x]),
    "convolve": lambda a: jnp.convolve(a.x, a.v),
    "correlate": lambda a: jnp.correlate(a.x, a.v, mode="full"),
    "cov": lambda a: jnp.cov(a.q),
    "delete": lambda a: jnp.delete(a.x, 2),
    "diff": lambda a: jnp.diff(a.x),
    "dstack": lambda a: jnp.dstack([a.q, 2 * a.q]),
    "ediff1d": lambda a: jnp.ediff1d(a.q),
    "gradient": lambda a: jnp.gradient(a.x)[1:-1],
    "insert": lambda a: jnp.insert(a.x, 2, a.v),
    "packbits": lambda a: jnp.packbits(a.bits.reshape(-1)),
    "resize": lambda a: jnp.resize(a.q, (2, 5)),
    "select_n": lambda a: lax.select_n(a.i, a.x, 2 * a.x, 3 * a.x),
    "trapezoid": lambda a: jnp.trapezoid(a.x, dx=0.5),
    "unpackbits": lambda a: jnp.unpackbits(jnp.packbits(a.bits.reshape(-1))),
    "unravel_index": lambda a: jnp.stack(jnp.unravel_index(a.i, (3, 2))),
    "vander": lambda a: jnp.vander(a.v, 4),
    "vecdot": lambda a: jnp.vecdot(z(a.v), z(a.v)),
    "heaviside": lambda a: jnp.heaviside(a.x, jnp.float32(0.25)),
    "isclose": lambda a: jnp.isclose(a.x, jnp.round(a.x)),
    "modf": lambda a: jnp.stack(jnp.modf(a.x)),
    "poly": lambda a: jnp.poly(a.v),
    "polyadd": lambda a: jnp.polyadd(a.v, a.x),
    "polyder": lambda a: jnp.polyder(a.x),
    "polyint": lambda a: jnp.polyint(a.x),
    "reciprocal": lambda a: jnp.reciprocal(a.v),
    "signbit": lambda a: jnp.signbit(a.x),
    "sinc": lambda a: jnp.sinc(a.x),
    "trunc": lambda a: jnp.trunc(a.x),
    "bartlett": lambda a: jnp.bartlett(7).astype(np.float32),
    "blackman": lambda a: jnp.blackman(7).astype(np.float32),
    "hamming": lambda a: jnp.hamming(7).astype(np.float32),
    "hanning": lambda a: jnp.hanning(7).astype(np.float32),
    "mulhi": lambda a: lax.mulhi(a.big, a.big),
    "celu": lambda a: jax.nn.celu(a.x, 0.5),
    "hard_sigmoid": lambda a: jax.nn.hard_sigmoid(a.x),
    "hard_silu": lambda a: jax.nn.hard_silu(a.x),
    "log1mexp": lambda a: jax.nn.log1mexp(jnp.abs(a.x) + np.float32(0.1)),
    "logmeanexp": lambda a: jax.nn.logmeanexp(a.x),
    "relu6": lambda a: jax.nn.relu6(a.x),
    "soft_sign": lambda a: jax.nn.soft_sign(a.x),
    "sparse_plus": lambda a: jax.nn.sparse_plus(a.x),
    "sparse_sigmoid": lambda a: jax.nn.sparse_sigmoid(a.x),
    "squareplus": lambda a: jax.nn.squareplus(a.x, 4.0),
}


def parts(c):
    return jnp.stack([c.real, c.imag])


box = jnp.sin(jnp.arange(120, dtype=jnp.float32)).reshape(2, 3, 4, 5)
half = lax.complex(box, box * box)
ROWS |= {
    "fft": lambda a: parts(jnp.fft.fft(a.x)),
    "fft_of_fewer": lambda a: parts(jnp.fft.fft(a.x, 4, norm="ortho")),
    "ifft_of_more": lambda a: parts(jnp.fft.ifft(z(a.v), 5, norm="forward")),
    "rfft_of_dim_0": lambda a: parts(jnp.fft.rfft(a.q, axis=0)),
    "irfft": lambda a: jnp.fft.irfft(z(a.v)),
    "irfft_of_5": lambda a: jnp.fft.irfft(z(a.v), 5, norm="ortho"),
    "hfft": lambda a: jnp.fft.hfft(z(a.v), 4),
    "ihfft": lambda a: parts(jnp.fft.ihfft(a.x)),
    "fft2": lambda a: parts(jnp.fft.fft2(box)),
    "rfft2": lambda a: parts(jnp.fft.rfft2(box, (5, 4), (2, 0))),
    "irfft2": lambda a: jnp.fft.irfft2(half),
    "fftn": lambda a: parts(jnp.fft.fftn(box)),
    "ifftn": lambda a: parts(jnp.fft.ifftn(box, axes=(3, 0), norm="ortho")),
    "rfftn": lambda a: parts(jnp.fft.rfftn(box)),
    "irfftn": lambda a: jnp.fft.irfftn(half),
    "irfftn_of_sizes": lambda a: jnp.fft.irfftn(half, (3, 7)),
    "fftshift": lambda a: jnp.fft.fftshift(box, (1, 3)),
    "ifftshift": lambda a: jnp.fft.ifftshift(box),
    "fftfreq_of_5": lambda a: jnp.fft.fftfreq(5, 0.5, dtype=jnp.float32),
    "fftfreq_of_4": lambda a: jnp.fft.fftfreq(4, 0.5, dtype=jnp.float32),
    "rfftfreq": lambda a: jnp.fft.rfftfreq(5, 0.5, dtype=jnp.float32),
    "rfftfreq_of_4": lambda a: jnp.fft.rfftfreq(4, 0.5, dtype=jnp.float32),
}


def program(row):
    return lambda *arguments: [row(Arguments(*map(jnp.asarray, arguments)))]


PROGRAMS.update({f"composed_{name}": program(row) for name, row in ROWS.items()})
