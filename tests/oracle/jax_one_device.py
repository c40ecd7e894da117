# SPDX-License-Identifier: Apache-2.0
"""Functions of one device as JAX lowers and exports them, run by the tool, and compared with JAX's numbers.

    python tests/oracle/jax_one_device.py TOOL FOLDER [NAME...]      writes texts and arrays to FOLDER; exit status 1 if one differs
"""

import os
import subprocess
import sys
import warnings
from pathlib import Path

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_allow_excess_precision=false --xla_cpu_max_isa=AVX2"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402

jax.config.update("jax_enable_x64", True)
warnings.filterwarnings("ignore")
random = np.random.default_rng(7)

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def floats(*shape, dtype="float32"):
    return random.normal(size=shape).astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def integers(*shape, dtype="int32"):
    info = np.iinfo(dtype)
    return random.integers(max(info.min, -50), min(info.max, 50), shape).astype(dtype)


def special(dtype):
    values = [0.0, -0.0, 1.5, -2.5, 0.5, np.inf, -np.inf, np.nan, 3.0, -0.25]
    return np.array(values).astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


CASES = {}


def case(name, function, *arguments, exact=True):
    assert name not in CASES, name
    CASES[name] = (function, arguments, exact)


# ---- functions of elements, in every dtype
for t in FLOATS:
    x = special(t)
    case(f"relu_{t}", jax.nn.relu, x)
    case(f"where_{t}", lambda v: jnp.where(v > 0, v, 0), x)
    case(f"sum_{t}", lambda v: v.sum(), integers(3, 4).astype(x.dtype))
    case(f"constants_{t}", lambda v: v * np.array([0.0, -0.0, 1.0, 0.5, -2.0], v.dtype)[:, None], integers(5, 2).astype(x.dtype))
    case(f"sorted_{t}", lambda v: (jnp.sort(v), jnp.argsort(v), lax.top_k(v, 3)), x)
    case(f"searched_{t}", lambda v, w: jnp.searchsorted(jnp.sort(v), w), floats(9, dtype=t), floats(5, dtype=t))
    case(f"rounded_{t}", lambda v: (lax.round(v), jnp.round(v), jnp.floor(v), jnp.ceil(v), jnp.trunc(v), jnp.sign(v)), x)
    case(f"divided_{t}", lambda v, w: (v // w, v % w, jnp.fmod(v, w)), floats(8, dtype=t) * 10, floats(8, dtype=t) + 2)
    case(f"compared_{t}", lambda v, w: (v < w, v == w, jnp.maximum(v, w), jnp.minimum(v, w)), x, x[::-1].copy())
    case(f"to_integers_{t}", lambda v: tuple(v.astype(i) for i in INTEGERS), x[:5])
    case(f"largest_{t}", lambda v: (jnp.argmax(v), jnp.argmin(v), v.max(), v.min()), x)
for t in INTEGERS:
    x, y = integers(9, dtype=t), integers(9, dtype=t)
    y[y == 0] = 3
    case(f"arithmetic_{t}", lambda v, w: (v + w, v - w, v * w, v // w, v % w, lax.div(v, w), lax.rem(v, w)), x, y)
    case(f"bits_{t}", lambda v, w: (v & w, v | w, v ^ w, ~v, lax.population_count(v), lax.clz(v)), x, y)
    case(f"shifts_{t}", lambda v: (v << 3, v >> 2, lax.shift_right_logical(v, jnp.ones_like(v))), x)
    case(f"to_floats_{t}", lambda v: tuple(v.astype(f) for f in FLOATS), x)
    case(f"reduced_{t}", lambda v: (v.sum(), v.prod(), v.max(), v.min(), jnp.argmax(v), jnp.argmin(v)), x)
case("bools", lambda p, q: (p & q, p | q, p ^ q, ~p, p.any(), p.all(), jnp.dot(p, q), jnp.matmul(p[None], q[:, None])),
     floats(6) > 0, floats(6) > 0)
case("smooth", lambda v: (jnp.exp(v), jnp.tanh(v), jnp.log1p(v * v), lax.rsqrt(v * v + 1), jax.nn.sigmoid(v), lax.erf(v), jnp.sin(v)),
     floats(20), exact=False)
case("complex", lambda a, b: (lax.complex(a, b), jnp.abs(lax.complex(a, b)), jnp.conj(lax.complex(a, b)), jnp.real(1j * a), jnp.angle(a + 1j * b)),
     floats(7), floats(7), exact=False)
case("next_integers", lambda v: (jnp.gcd(v, 12), jnp.clip(v, -3, 7), jnp.bitwise_count(v), jnp.sign(v)), integers(9))


def rounded(dtype, integer, formats):
    """By their bits: a NaN keeps them too, except of bf16, which XLA's CPU computes in f32."""
    def function(bits):
        x = lax.bitcast_convert_type(bits, dtype)
        found = [lax.bitcast_convert_type(lax.reduce_precision(x, *each), integer) for each in formats]
        return tuple(jnp.where(jnp.isnan(x), 0, each) if dtype == ml_dtypes.bfloat16 else each for each in found)
    return function


case("rounded_all_f16", rounded("float16", "uint16", ((5, 10), (5, 2), (4, 3), (5, 0), (2, 1), (1, 0), (3, 10), (8, 23))),
     np.arange(1 << 16, dtype=np.uint16))
case("rounded_all_bf16", rounded(ml_dtypes.bfloat16, "uint16", ((8, 7), (8, 3), (5, 2), (4, 7), (8, 0), (1, 1), (11, 9))),
     np.arange(1 << 16, dtype=np.uint16))
case("rounded_f32", rounded("float32", "uint32", ((8, 7), (5, 10), (5, 2), (4, 3), (8, 22), (1, 0), (7, 23), (11, 52))),
     random.integers(0, 1 << 32, 1 << 16, dtype=np.uint32))
case("rounded_f64", rounded("float64", "uint64", ((8, 23), (5, 10), (11, 51), (11, 0), (3, 30), (10, 60))),
     random.integers(0, 1 << 64, 1 << 16, dtype=np.uint64))
case("rounded_tangents", lambda v, t: (jax.jvp(lambda y: lax.reduce_precision(y, 8, 3), (v,), (t,))[1],
                                       jax.vjp(lambda y: lax.reduce_precision(y, 8, 3), v)[1](t)[0]), floats(9), floats(9))
# ---- reductions, windows, orders
case("axes", lambda v: (v.sum(0), v.sum((0, 2)), v.max(1, keepdims=True), v.mean(), v.std(1)), floats(3, 4, 5), exact=False)
case("places", lambda v: (jnp.argmax(v, 1), lax.argmax(v, 0, jnp.int8), lax.argmin(v, 1, jnp.int64)), integers(4, 6).astype("float32"))
case("running", lambda v: (jnp.cumsum(v, 0), jnp.cumprod(v, 1), lax.cummax(v, 1, reverse=True), lax.cummin(v, 0)), integers(4, 5).astype("float64"))
case("running_logsumexp", lambda v: (lax.cumlogsumexp(v, 1), lax.cumlogsumexp(v, 0, reverse=True)), floats(5, 7), exact=False)
case("window_of_one", lambda v: (lax.reduce_window(v, 0.0, lax.add, (1, 1), (1, 1), "VALID"),
                                 lax.reduce_window(v, -np.inf, lax.max, (1, 1), (1, 1), "VALID")), floats(3, 4))
case("inits", lambda v: (lax.reduce(v, np.int64(9223372036854775800), lax.min, (0,)), lax.reduce(v, np.int64(7), lax.add, (0,)),
                         lax.reduce(v, np.int64(-2**63 + 100), lax.max, (0,))), np.array([2**63 - 1, 2**63 - 2], np.int64))
case("two_keys", lambda k, j, v: lax.sort((k, j, v), num_keys=2), integers(20) % 3, floats(20), np.arange(20))
case("four_keys", lambda k: lax.sort((k % 2, k % 3, k % 5, k), num_keys=4), integers(30))
case("lexicographic", lambda k: jnp.lexsort((k, k % 3, k % 2)), integers(25))
case("descending", lambda v: (jnp.sort(v, descending=True), jnp.argsort(v, descending=True)), integers(4, 6))
case("median", lambda v: (jnp.median(v), jnp.percentile(v, 30.0), jnp.unique(jnp.round(v), size=5)), floats(15), exact=False)
case("histogram", lambda v: (jnp.histogram(v, bins=5)[0], jnp.digitize(v, jnp.array([-1.0, 0.0, 1.0])), jnp.interp(v, jnp.arange(5.0), jnp.arange(5.0)**2)),
     floats(30), exact=False)


def window(v, kind, size, stride, padding="VALID", base=None, dilation=None):
    worst = -np.inf if kind is lax.max else np.inf
    if not np.issubdtype(v.dtype, np.inexact) and v.dtype != ml_dtypes.bfloat16:
        worst = (np.iinfo(v.dtype).min if kind is lax.max else np.iinfo(v.dtype).max) if v.dtype != bool else kind is lax.min
    init = np.zeros((), v.dtype) if kind is lax.add else np.array(worst, v.dtype)
    return lax.reduce_window(v, init, kind, size, stride, padding, base, dilation)


def pools(v):
    """Of [n, h, w, c], as flax.linen's max_pool, min_pool and avg_pool."""
    size, stride = (1, 2, 2, 1), (1, 2, 2, 1)
    return tuple(window(v, kind, size, stride, padding) for kind in (lax.max, lax.min, lax.add) for padding in ("VALID", "SAME"))


def weighted(pool):
    """A function of an array and of weights for its pools."""
    return lambda v, w: jnp.sum(pool(v) * w[tuple(slice(0, n) for n in jax.eval_shape(pool, v).shape)])


POOLS = {"max": lambda v: window(v, lax.max, (1, 2, 2, 1), (1, 2, 2, 1)),
         "overlapping": lambda v: window(v, lax.max, (1, 3, 3, 1), (1, 2, 1, 1), "SAME"),
         "min": lambda v: window(v, lax.min, (2, 2, 3, 1), (1, 1, 2, 1), ((1, 0), (0, 1), (2, 2), (0, 0))),
         "spread": lambda v: window(v, lax.max, (1, 2, 2, 1), (1, 1, 1, 1), ((0, 0), (1, 0), (0, 0), (0, 0)), (1, 1, 2, 1)),
         "sum": lambda v: window(v, lax.add, (1, 3, 2, 1), (1, 2, 1, 1), "SAME", (1, 2, 1, 1), (1, 1, 3, 1))}
for t in FLOATS:
    case(f"pools_{t}", pools, integers(2, 5, 6, 9).astype(special(t).dtype))
    case(f"windows_{t}", lambda v: tuple(window(v, kind, (2,), (1,)) for kind in (lax.max, lax.min, lax.add)), special(t)[:8])
for t in INTEGERS:
    case(f"pools_{t}", pools, integers(1, 4, 4, 3, dtype=t))
case("pools_bool", lambda v: (window(v, lax.max, (2, 2), (1, 1)), window(v, lax.min, (2, 1), (1, 2), "SAME")), floats(5, 6) > 0)
case("spread_windows", lambda v: (window(v, lax.add, (2, 3), (1, 2), ((-1, 2), (3, -1)), (2, 1), (1, 2)),
                                  window(v, lax.max, (2, 3), (2, 1), ((0, 0), (-2, 4)), (1, 3), (2, 1)), window(v, lax.add, (9, 1), (1, 1))),
     integers(5, 6).astype("float32"))
case("pooled_with_init", lambda v: (lax.reduce_window(v, np.float32(3), lax.add, (2, 2), (1, 1), "VALID"),
                                    lax.reduce_window(v, np.float32(0), lax.max, (2, 2), (1, 1), "SAME")), integers(4, 4).astype("float32"))
for name, pool in POOLS.items():  # with many ties
    v, w = integers(2, 5, 6, 9).astype("float32") // 20, integers(9, 14, 14, 9).astype("float32")
    case(f"gradient_of_{name}", jax.grad(weighted(pool)), v, w)
    # Forwards XLA takes ties in another order where windows move along dim 0; so there are none.
    apart = random.permutation(v.size).reshape(v.shape).astype("float32") if name == "min" else v
    case(f"tangent_of_{name}", lambda v, t, p=pool: jax.jvp(p, (v,), (t,))[1], apart, integers(2, 5, 6, 9).astype("float32"))
    case(f"lanes_of_{name}", jax.vmap(jax.grad(weighted(pool)), (0, None)), np.stack([v, v[::-1], v * v]), w)
for name in ("max", "overlapping", "min"):
    second = jax.grad(lambda v, w, f=jax.grad(weighted(POOLS[name])): jnp.sum(f(v * v, w) * v))
    case(f"second_of_{name}", second, integers(2, 5, 6, 9).astype("float32") // 20, integers(9, 9, 9, 9).astype("float32"))
# ---- shapes and products
case("moved", lambda v: (v.T, v.reshape(2, -1), jnp.flip(v, 1), jnp.roll(v, 2, 0), jnp.pad(v, ((1, 2), (0, 1))), jnp.tile(v, (2, 1)), v[::-2, 1:]), integers(4, 6))
case("products", lambda a, b: (a @ b, jnp.einsum("ik,kj->ji", a, b), jnp.einsum("bik,bkj->bij", a[None], b[None]), jnp.outer(a[0], b[0])),
     integers(3, 4).astype("float32"), integers(4, 5).astype("float32"))
# ---- convolutions
DIMS = ("NHWC", "HWIO", "NHWC")


def conv(x, k, strides=(1, 1), padding="VALID", **options):
    return lax.conv_general_dilated(x, k, strides, padding, **options)


def gradients(f):
    """Both gradients of a weighted sum of what f gives."""
    weighted = lambda x, k: (f(x, k) * (1 + jnp.arange(f(x, k).size).reshape(f(x, k).shape) % 5)).sum()
    return lambda x, k: jax.grad(weighted, (0, 1))(x, k)


for t in FLOATS + ("int32", "int8", "uint16"):
    x, k = (integers(*shape).astype(floats(1, dtype=t).dtype if t in FLOATS else t) % 5 for shape in ((2, 7, 6, 3), (3, 2, 3, 4)))
    case(f"convolution_{t}", lambda x, k: (conv(x, k, dimension_numbers=DIMS), conv(x, k, (2, 1), "SAME", dimension_numbers=DIMS)), x, k)
    if t in FLOATS:
        case(f"convolution_gradients_{t}", gradients(lambda x, k: conv(x, k, (2, 1), ((1, 2), (0, 1)), dimension_numbers=DIMS)), x, k)
x, k = integers(2, 4, 7, 6).astype("float32") % 5, integers(6, 4, 3, 2).astype("float32") % 5
DILATED = {"padding": ((3, -1), (-1, 4)), "lhs_dilation": (2, 1), "rhs_dilation": (1, 3)}
case("convolution_dilated", lambda x, k: (conv(x, k, (3, 1), **DILATED), *gradients(lambda x, k: conv(x, k, (3, 1), **DILATED))(x, k)), x, k)
case("convolution_grouped", lambda x, k: (conv(x, k, feature_group_count=2), *gradients(lambda x, k: conv(x, k, feature_group_count=2))(x, k)), x, k[:, :2])
case("convolution_by_feature", lambda x, k: (conv(x, k, padding="SAME", feature_group_count=4), *gradients(lambda x, k: conv(x, k, feature_group_count=4))(x, k)),
     x, k[:4, :1])
case("convolution_of_batches", lambda x, k: (conv(x, k, batch_group_count=2), *gradients(lambda x, k: conv(x, k, batch_group_count=2))(x, k)), x, k)
case("convolution_rows", lambda x, k: conv(x, k, (2,), ((1, 1),)), x[0], integers(2, 7, 3).astype("float32"))
case("convolution_boxes", lambda x, k: (conv(x, k, (1, 2, 1), "SAME"), *gradients(lambda x, k: conv(x, k, (1, 1, 1)))(x, k)), x[None], x[None, :, :2, :3, :2])
case("convolution_of_points", lambda x, k: conv(x, k, (), ()), x[0, :, :, 0], k[:, 0, 0, 0][:, None] * np.ones((1, 7), "float32"))
case("convolution_lanes", lambda x, k: (jax.vmap(conv)(x, k), jax.vmap(conv, (0, None))(x, k[0]), jax.vmap(conv, (None, 0))(x[0], k),
                                        jax.vmap(lambda a, b: conv(a, b, feature_group_count=2), (None, 0))(x[0], k[:, :, :2])),
     np.stack([x, x[::-1] + 1]), np.stack([k, k + 1]))
case("convolution_transposed", lambda x, k: (lax.conv_transpose(x, k, (2, 3), "SAME", dimension_numbers=DIMS),
                                             lax.conv_transpose(x, k, (3, 1), "VALID", dimension_numbers=DIMS),
                                             lax.conv_transpose(x, jnp.swapaxes(k, 2, 3), (2, 2), "SAME", transpose_kernel=True, dimension_numbers=DIMS)),
     integers(2, 4, 3, 5).astype("float32"), integers(3, 2, 5, 4).astype("float32"))
case("convolution_complex", lambda x, k: conv(x * (1 + 2j), k * (2 - 1j), padding="SAME"), x, k)
case("convolution_wider", lambda x, k: conv(x, k, preferred_element_type=jnp.int32), integers(1, 2, 5, 5, dtype="int8"), integers(2, 2, 3, 3, dtype="int8"))
case("convolve", lambda a, v: tuple(jnp.convolve(a, v, m) for m in ("full", "same", "valid")), integers(9).astype("float32"), integers(4).astype("float32"))
case("halves", lambda a, b: lax.dot(a, b, preferred_element_type=jnp.float32), integers(3, 4).astype(ml_dtypes.bfloat16), integers(4, 2).astype(ml_dtypes.bfloat16))
case("empty", lambda v: (v.sum(), v.max(initial=-1.0), jnp.concatenate([v, v]), v @ jnp.zeros((0, 3), v.dtype)), np.zeros((2, 0), "float32"))
# ---- indexing
case("gathered", lambda v, i: (v[i], v.at[i].get(mode="fill"), jnp.take(v, i, mode="clip"), v[i, :2], jnp.take_along_axis(v, i[:, None] % 3, 1)),
     integers(6, 3), np.array([0, 5, -1, 2, 9, 3], np.int32))
case("scattered", lambda v, i, u: (v.at[i].set(u), v.at[i].add(u), v.at[i].mul(u), v.at[i].min(u), v.at[i].max(u), v.at[i].set(u, mode="drop")),
     integers(6), np.array([0, 5, 2], np.int32), integers(3))
case("slices", lambda v, i: (lax.dynamic_slice(v, (i, i), (2, 2)), lax.dynamic_update_slice(v, v[:2, :2], (i, i)), lax.dynamic_index_in_dim(v, i)),
     integers(5, 4), np.int32(4))
# ---- control flow
case("counted", lambda v: lax.fori_loop(0, 7, lambda i, c: c * 2 + i, v), integers(3))
case("counted_from_two", lambda v: lax.fori_loop(2, 9, lambda i, c: c + i * i, v), integers(3))
case("counted_to", lambda n, v: lax.fori_loop(0, n, lambda i, c: c + i, v), np.int32(5), integers(3))
case("next_count", lambda v: lax.while_loop(lambda c: c[0] < 4, lambda c: (c[0] + 1, c[1] + (c[0] + 1)), (0, v)), integers(3))
case("dead_test", lambda v: lax.while_loop(lambda c: (c[0] < 5, c[1])[1], lambda c: (c[0] + 1, c[0] < 2, c[2] + 1.0), (0, True, v)), floats(2))
case("scanned", lambda v: lax.scan(lambda c, y: (c + y, c * y), v[0], v), integers(5, 3))
case("scanned_back", lambda v: lax.scan(lambda c, y: (c - y, c), v[0], v, reverse=True), integers(5, 3))
case("scanned_twice", lambda v: lax.scan(lambda c, y: lax.scan(lambda d, z: (d + z, d), c, y), 0, v), integers(4, 3))
case("associative", lambda v: lax.associative_scan(jnp.add, v), integers(9))
case("branches", lambda i, v: (lax.switch(i, [lambda y: y, lambda y: y * 2, lambda y: -y], v), lax.cond(i > 1, lambda y: y + 1, lambda y: y - 1, v)),
     np.int32(-3), integers(4))
case("mapped", lambda v: lax.map(lambda y: jnp.sort(y)[::-1], v), integers(3, 5))
# ---- transforms
case("gradient", jax.grad(lambda v: jnp.sum(jnp.tanh(v) * jax.nn.softmax(v))), floats(6), exact=False)
case("second", jax.hessian(lambda v: jnp.sum(v**3) * v[0]), floats(4), exact=False)
case("rematerialised", jax.grad(jax.checkpoint(lambda v: jnp.sum(jnp.sin(jnp.sin(v))))), floats(6), exact=False)
case("lanes", jax.vmap(lambda a, b: (jnp.dot(a, b), jnp.cumsum(a), a[jnp.argmax(b)])), integers(3, 5), integers(3, 5))
case("attention", lambda q, k, v: jax.nn.dot_product_attention(q, k, v), floats(1, 4, 2, 8), floats(1, 4, 2, 8), floats(1, 4, 2, 8), exact=False)


# ---- linear algebra, by calls of LAPACK
for t in ("float32", "float64", "complex64", "complex128"):
    square = (random.normal(size=(2, 4, 4)) + (1j * random.normal(size=(2, 4, 4)) if "complex" in t else 0)).astype(t)
    spread = (square + 3 * np.eye(4)).astype(t)
    # The second is not positive definite.
    both = np.stack([square[0] @ square[0].conj().T + np.eye(4), -np.eye(4)]).astype(t)
    case(f"cholesky_{t}", lambda v: (jnp.linalg.cholesky(v), jnp.linalg.cholesky(v, upper=True)), both, exact=False)
    case(f"lu_{t}", lambda v: (lax.linalg.lu(v)[0], lax.linalg.lu(v)[1], lax.linalg.lu(v[0, :, :3])[2]), square, exact=False)
    case(f"solved_{t}", lambda v, w: (jnp.linalg.solve(v, w), jnp.linalg.inv(v), jnp.linalg.det(v), jnp.linalg.slogdet(v)[1]), spread, square, exact=False)
    for form in ({"left_side": True, "lower": True}, {"transpose_a": True}, {"transpose_a": True, "conjugate_a": True, "unit_diagonal": True}):
        case(f"triangle_{'_'.join(form)}_{t}", lambda v, w, form=form: lax.linalg.triangular_solve(v, w, **form), spread, square, exact=False)


def draws(key):
    keys = jax.random.split(jax.random.wrap_key_data(key), 7)
    return (jax.random.bits(keys[0], (3, 4)), jax.random.uniform(keys[1], (5,), "float32"), jax.random.randint(keys[2], (6,), -9, 9),
            jax.random.permutation(keys[3], 10), jax.random.bernoulli(keys[4], 0.3, (8,)), jax.random.key_data(jax.random.fold_in(keys[5], 3)),
            jax.random.bits(keys[6], (4,), "uint64"))


case("draws", draws, np.array([3, 5], np.uint32))

# ---- Fourier transforms
case("transforms", lambda v: (jnp.fft.fft(v), jnp.fft.ifft(v, 7, 0), jnp.fft.fftn(v, norm="ortho")), (floats(5, 6) + 1j * floats(5, 6)).astype("complex64"), exact=False)
case("transforms_of_reals", lambda v: (jnp.fft.rfft(v), jnp.fft.rfft2(v), jnp.fft.irfft2(jnp.fft.rfft2(v), (4, 6))), floats(3, 4, 6, dtype="float64"), exact=False)
case("slope_of_transforms", jax.grad(lambda v: jnp.sum(jnp.abs(jnp.fft.rfft(v)) ** 3 + jnp.fft.irfft(v * (1 + 2j), 7)[:, :4] ** 2)), floats(3, 6, dtype="float64"), exact=False)


def stored(array):
    """As .npy holds it: NumPy has no bf16 of its own."""
    array = np.asarray(array)
    return array.view(np.uint16) if array.dtype == ml_dtypes.bfloat16 else array


def differences(tool: str, folder: Path, name: str) -> list[str]:
    function, arguments, exact = CASES[name]
    jitted = jax.jit(function)
    wanted = jax.tree.leaves(jitted(*arguments))
    np.savez(folder / f"{name}.in.npz", **{f"arg{i}": stored(each) for i, each in enumerate(arguments)})
    np.savez(folder / f"{name}.out.npz", **{f"r{i}": stored(each) for i, each in enumerate(wanted)})
    texts = {"lowered": jax.jit(function, keep_unused=True).lower(*arguments).as_text(),
             "exported": jax.export.export(jax.jit(function, keep_unused=True))(*arguments).mlir_module()}
    found = []
    for form, text in texts.items():
        file = folder / f"{name}.{form}.mlir"
        file.write_text(text)
        inputs = [word for i in range(len(arguments)) for word in ("--in", f"{folder}/{name}.in.npz:arg{i}")]
        run = subprocess.run([tool, "run", str(file), *inputs, "--expect", f"{folder}/{name}.out.npz", "--rtol", "0" if exact else "2e-6"],
                             capture_output=True, text=True, timeout=60)
        if run.returncode:
            wrong = [line for line in run.stdout.splitlines() if "equal in all bits" not in line]
            found.append(f"{name}, {form}: {run.returncode} {run.stderr}" + "\n  ".join(wrong))
    return found


def main() -> int:
    tool, folder, names = sys.argv[1], Path(sys.argv[2]), sys.argv[3:] or list(CASES)
    folder.mkdir(parents=True, exist_ok=True)
    wrong = [text for name in names for text in differences(tool, folder, name)]
    print("\n".join([*wrong, f"{len(names)} functions in 2 forms: {len(wrong)} differ"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
