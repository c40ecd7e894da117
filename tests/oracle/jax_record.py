# SPDX-License-Identifier: Apache-2.0
"""Record SPMD programs: the StableHLO text that JAX prints and the numbers that JAX computes. Needs only jax.

A script declares programs with `program(...)` and ends with `main()`; it is run as `SCRIPT OUT_DIR [NAME...]`.
For every program it writes NAME.mlir, for those of form `lower` also NAME.located.mlir (with locations),
NAME.export.mlir (as jax.export writes it) and NAME.generic.mlir (in MLIR's generic form), NAME.in.K.npy, NAME.out.K.npy (global arrays) and one line in index.json with
mesh {axis: size}; type, shape and spec of each input and output (spec: axis names per dim, major first; null for
`whole` programs); check_vma; form (how the text was made; `cuda` is text only, XLA on CPU cannot run it);
exact (every intermediate value is representable, so that any order of summation gives these very bits).
The .npy files hold bf16 and f8 as raw bits (uint16, uint8) and i4 as int8, because .npy has no such types.
"""
import os
os.environ.setdefault('PJRT_NPROC', '64')    # threads for XLA: with fewer than 2 per device its collectives can deadlock
os.environ['XLA_FLAGS'] = os.environ.get('XLA_FLAGS', '') + ' --xla_force_host_platform_device_count=8' + \
    ' --xla_allow_excess_precision=false'    # round to bf16 and f16 where the text says so

import dataclasses, faulthandler, json, pathlib, re, sys, zlib
from typing import Any, Callable
import jax, jax.numpy as jnp, numpy as np
from jax import export
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

TYPES = {'i1': np.bool_, 'i4': jnp.int4, 'i8': np.int8, 'i16': np.int16, 'i32': np.int32, 'i64': np.int64,
         'ui8': np.uint8, 'ui32': np.uint32, 'ui64': np.uint64, 'f8E4M3FN': jnp.float8_e4m3fn, 'bf16': jnp.bfloat16,
         'f16': np.float16, 'f32': np.float32, 'f64': np.float64, 'complex<f32>': np.complex64}
NAMES = {np.dtype(t): n for n, t in TYPES.items()}
STORED = {'i4': np.int8, 'f8E4M3FN': np.uint8, 'bf16': np.uint16}
XY = {'x': 4, 'y': 2}      # the usual mesh


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    ins: str                    # 'f32[8,4] x,y+z; i32[8]<16 x': type, global shape, upper bound of indices, spec
    outs: str                   # one spec per output: 'x,_; _'
    body: Callable              # what one device does
    mesh: Any = dataclasses.field(default_factory=lambda: XY)
    whole: bool = False         # the body takes global arrays and calls shard_map itself
    form: str = 'lower'         # lower | debug (with locations) | export | gspmd (as before Shardy) | cuda
    placed: bool = True         # arguments arrive sharded, and the text says so
    exact: bool = True
    check_vma: bool = True
    manual: frozenset = frozenset()    # axes that the body sees; empty: all
    explicit: bool = False      # mesh axes of type Explicit
    donate: bool = False
    x64: bool = False


PROGRAMS = []


def program(name, ins, outs, body, **options):
    PROGRAMS.append(Program(name, ins, outs, body, **options))


def spec(text):
    dims = [tuple(d.split('+')) if d not in ('', '_') else None for d in text.strip().split(',')]
    return P(*(d[0] if d and len(d) == 1 else d for d in dims)) if text.strip() else P()


def specs(text):
    found = tuple(map(spec, text.split(';')))
    return found if len(found) > 1 else found[0]


def inputs(text):
    for item in filter(None, text.split(';')):
        name, shape, bound, dims = re.fullmatch(r'\s*([\w<>]+)\[([\d,]*)\](?:<(\d+))? ?(.*)', item).groups()
        yield name, tuple(map(int, filter(None, shape.split(',')))), bound and int(bound), spec(dims)


def values(seed, name, shape, bound):
    """Floats are multiples of 1/8 in [-2, 2), so that their sums and products are exact."""
    rng = np.random.default_rng(zlib.crc32(seed.encode()))
    dtype = np.dtype(TYPES[name])
    eighths = lambda: rng.integers(-16, 16, shape) / 8
    if bound or name == 'i1': return rng.integers(0, bound or 2, shape).astype(dtype)
    if dtype.kind == 'c': return (eighths() + 1j * eighths()).astype(dtype)
    if name[0] == 'i': return rng.integers(-8, 8, shape).astype(dtype)
    return rng.integers(0, 100, shape).astype(dtype) if name[0] == 'u' else eighths().astype(dtype)


def make_mesh(sizes, explicit=False):
    kind = AxisType.Explicit if explicit else AxisType.Auto
    return jax.make_mesh(tuple(sizes.values()), tuple(sizes), axis_types=(kind,) * len(sizes))


def smap(body, ins, outs, mesh=XY, **options):
    """shard_map for `whole` programs."""
    return jax.shard_map(body, mesh=make_mesh(mesh), in_specs=tuple(map(spec, ins.split(';'))), out_specs=specs(outs),
                         **options)


def jitted(p, mesh):
    f = p.body if p.whole else jax.shard_map(
        p.body, mesh=mesh, in_specs=tuple(s for *_, s in inputs(p.ins)), out_specs=specs(p.outs),
        check_vma=p.check_vma, axis_names=p.manual)
    def named(*args): return f(*args)
    named.__name__ = p.name
    return jax.jit(named, donate_argnums=(0,) if p.donate else (), keep_unused=True)    # main takes every input


def lower(form, f, args):
    if form == 'export': return export.export(f)(*args).mlir_module()
    if form == 'cuda': return f.trace(*args).lower(lowering_platforms=('cuda',)).as_text()
    if form == 'generic':
        return f.lower(*args).compiler_ir().operation.get_asm(print_generic_op_form=True)
    return f.lower(*args).as_text(debug_info=form in ('debug', 'located'))


def other_forms(p):
    return ('located', 'export', 'generic') if p.form == 'lower' else ()


def save(path, array):
    stored = STORED.get(NAMES[array.dtype], array.dtype)
    np.save(path, array.astype(stored) if array.dtype == jnp.int4 else array.view(stored))


def describe(array, s):
    dims = s if s is None else tuple(s) + (None,) * (array.ndim - len(s))
    axes = dims if dims is None else [[d] if isinstance(d, str) else list(d or ()) for d in dims]
    return {'type': NAMES[array.dtype], 'shape': list(array.shape), 'spec': axes}


def write(p, folder):
    """Lower, run and save one program; returns its line of the index."""
    faulthandler.dump_traceback_later(120, exit=True)     # a hung collective never returns
    jax.config.update('jax_hlo_source_file_canonicalization_regex', '.*/')    # no paths in locations
    jax.config.update('jax_use_shardy_partitioner', p.form != 'gspmd')
    with jax.enable_x64(p.x64):
        mesh, ins = make_mesh(p.mesh, p.explicit), list(inputs(p.ins))
        arrays = [values(f'{p.name}/{k}', *i[:3]) for k, i in enumerate(ins)]
        put = lambda: [jax.device_put(a, NamedSharding(mesh, i[3])) if p.placed else a for a, i in zip(arrays, ins)]
        f = jitted(p, mesh)
        texts = {'': lower(p.form, f, put())}
        for form in other_forms(p): texts['.' + form] = lower(form, f, put())
        results = [] if p.form == 'cuda' else jax.block_until_ready(f(*put()))
    results = [np.asarray(r) for r in (results if isinstance(results, (tuple, list)) else [results])]
    placements = [None] * len(results) if p.whole else map(spec, p.outs.split(';'))
    for form, text in texts.items(): (folder / f'{p.name}{form}.mlir').write_text(text)
    for kind, group in (('in', arrays), ('out', results)):
        for k, a in enumerate(group): save(folder / f'{p.name}.{kind}.{k}.npy', a)
    faulthandler.cancel_dump_traceback_later()
    return {'name': p.name, 'mesh': p.mesh, 'in': [describe(a, i[3]) for a, i in zip(arrays, ins)],
            'out': [describe(a, s) for a, s in zip(results, placements)],
            'check_vma': p.check_vma, 'form': p.form, 'forms': list(texts), 'exact': p.exact}


def main():
    if len(sys.argv) < 2: sys.exit(f'usage: {sys.argv[0]} OUT_DIR [NAME...]')
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    index = []
    for p in PROGRAMS:
        if sys.argv[2:] and p.name not in sys.argv[2:]: continue
        print(p.name, file=sys.stderr, flush=True)
        index.append(write(p, folder))
    (folder / 'index.json').write_text('[\n' + ',\n'.join(map(json.dumps, index)) + '\n]\n')
