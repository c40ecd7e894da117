# SPDX-License-Identifier: Apache-2.0
"""Asks the StableHLO parser and XLA of the jax wheel about texts, for tests/support/oracle.cpp.

Reads one JSON object a line from stdin and answers with one on stdout:
  {"text": T}                                     -> {"errors": ["line:column message", ..]}
  {"text": T, "devices": N, "inputs": I}          -> the same, and if there are none
                                                     {"results": R} or {"failure": "what XLA says"}
  {"jax": name, "inputs": I}                      -> {"errors": [], "results": R}: the `results` of a function of
                                                     jax_functions.py; one device
  {"twins": [name, ..]}                           -> {"errors": [names of such functions that only one side has]}
  {"reshards": T}                                 -> {"errors": [..]}: for each function of the module T the collectives
                                                     that Shardy makes of its reshard, see collectives_of
  {"same": [T, U]}                                -> {"errors": [what is wrong with one, or how they differ]}: empty if
                                                     MLIR prints both modules alike
I[k][d] is argument k on device d, R[k][d] result k there: {"dtype": "f32", "shape": [2, 3], "data": "hex bytes"}.
The first line that it writes is {"missing": ".."} if the packages are not installed, else {}.
XLA may abort the process or stand still: the other side watches for both.
"""

import functools
import itertools
import json
import os
import re
import sys

# Before jax is imported. Fewer than two threads per device make programs with collectives stand still. Where a processor
# has instructions for f16, XLA joins multiplications and additions of f16: with AVX2 its bits are the same everywhere.
os.environ["PJRT_NPROC"] = "64"
os.environ["XLA_FLAGS"] = ("--xla_force_host_platform_device_count=8 --xla_allow_excess_precision=false "
                           "--xla_cpu_max_isa=AVX2")
os.environ["JAX_PLATFORMS"] = "cpu"

DTYPES = {"bool": "?", "u8": "u1", "i8": "i1", "u16": "<u2", "i16": "<i2", "u32": "<u4", "i32": "<i4", "u64": "<u8",
          "i64": "<i8", "f16": "<f2", "bf16": "<V2", "f32": "<f4", "f64": "<f8", "complex64": "<c8",
          "complex128": "<c16"}


@functools.cache
def mlir_context():
    from jaxlib.mlir import ir
    from jaxlib.mlir._mlir_libs import _jax_mlir_ext
    from jaxlib.mlir.dialects import chlo, sdy, stablehlo

    context, registry = ir.Context(), ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    for dialect in (stablehlo, chlo, sdy):
        dialect.register_dialect(context)
    return context


def differences(texts: list[str]) -> list[str]:
    from jaxlib.mlir import ir

    for text in texts:
        if found := errors(text):
            return found
    first, *others = [str(ir.Module.parse(text, mlir_context())).splitlines() for text in texts]
    for other in others:
        for a, b in itertools.zip_longest(first, other):
            if a != b:
                return [f"{a} differs from {b}"]
    return []


def errors(text: str) -> list[str]:
    from jaxlib.mlir import ir

    def line_and_column(location) -> str:
        found = re.search(r":(\d+:\d+)", str(location))
        return found[1] if found else "?"

    try:
        ir.Module.parse(text, mlir_context()).operation.verify()
        return []
    except ir.MLIRError as error:
        return [f"{line_and_column(e.location)} {e.message}" for e in error.error_diagnostics]


def numpy_dtype(name: str):
    import ml_dtypes
    import numpy as np

    return np.dtype(ml_dtypes.bfloat16 if name == "bf16" else DTYPES[name])


def read(tensor: dict):
    import numpy as np

    return np.frombuffer(bytes.fromhex(tensor["data"]), numpy_dtype(tensor["dtype"])).reshape(tensor["shape"])


def written(array) -> dict:
    import numpy as np

    array = np.asarray(array)
    names = {numpy_dtype(name): name for name in DTYPES}
    return {"dtype": names[array.dtype], "shape": array.shape, "data": array.tobytes().hex()}


def run(text: str, devices: int, inputs: list[list[dict]]) -> list[list[dict]]:
    """Every parameter is "replicated" for XLA, so its buffers may differ from device to device."""
    import jax
    import numpy as np
    from jax._src.lib import xla_client
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    jax.config.update("jax_enable_x64", True)
    places = jax.devices()[:devices]
    options = xla_client.CompileOptions()
    build = options.executable_build_options
    options.num_replicas = build.num_replicas = 1
    options.num_partitions = build.num_partitions = devices
    build.use_spmd_partitioning = build.use_shardy_partitioner = True
    options.device_assignment = xla_client.DeviceAssignment.create(np.arange(devices).reshape(1, devices))
    executable = places[0].client.compile_and_load(text, xla_client.DeviceList(tuple(places)), options)

    anything = NamedSharding(Mesh(np.array(places), ("d",)), PartitionSpec())

    def argument(parts: list[dict]):
        parts = [jax.device_put(read(part), place) for part, place in zip(parts, places, strict=True)]
        return jax.make_array_from_single_device_arrays(parts[0].shape, anything, parts)

    results = executable.execute_sharded([argument(parts) for parts in inputs])
    return [[written(part) for part in parts] for parts in results.disassemble_into_single_device_arrays()]


def run_jax(name: str, inputs: list[list[dict]]) -> list[list[dict]]:
    import jax
    import numpy as np

    jax.config.update("jax_enable_x64", True)
    import jax_functions

    arguments = [read(parts[0]) for parts in inputs]
    return [[written(np.asarray(result))] for result in jax_functions.results(name, arguments)]


def without_twin(names: list[str]) -> list[str]:
    import jax_functions

    return sorted(set(names) ^ set(jax_functions.names()))


@functools.cache
def register_passes() -> None:
    from jaxlib.mlir.dialects import stablehlo

    stablehlo.register_stablehlo_passes()  # Shardy's, too


def collectives_of(text: str) -> list[str]:
    """"all_gather 2 1; all_to_all 1 2": each with the number of parts of each dim after it; "parts" stands before those
    that name a part of an axis. Runs Shardy's own pass."""
    from jaxlib.mlir import ir
    from jaxlib.mlir.passmanager import PassManager

    register_passes()
    module = ir.Module.parse(text, mlir_context())
    with mlir_context():
        PassManager.parse("builtin.module(func.func(sdy-reshard-to-collectives))").run(module.operation)
    sizes = {name: int(size) for name, size in re.findall(r'"(\w+)"=(\d+)', text)}

    def parts(dim: str) -> int:
        found = 1
        for name, part in re.findall(r'"(\w+)"(?::\(\d+\)(\d+))?', dim):
            found *= int(part) if part else sizes[name]
        return found

    def collective(line: str) -> str:
        name = re.search(r"sdy\.(\w+)", line)[1]
        dims = re.findall(r"\{([^}]*)\}", line[line.index("<@") :])
        return " ".join((["parts"] if ":(" in line else []) + [name] + [str(parts(dim)) for dim in dims])

    functions = str(module).split("func.func ")[1:]
    return ["; ".join(collective(line) for line in function.splitlines()[1:] if " = sdy." in line)
            for function in functions]


def answer(question: dict) -> dict:
    if "reshards" in question:
        return {"errors": collectives_of(question["reshards"])}
    if "twins" in question:
        return {"errors": without_twin(question["twins"])}
    if "same" in question:
        return {"errors": differences(question["same"])}
    if "jax" in question:
        try:
            return {"errors": [], "results": run_jax(question["jax"], question["inputs"])}
        except Exception as error:  # whatever JAX raises is an answer
            return {"errors": [], "failure": f"{type(error).__name__}: {error}"}
    text = question["text"]
    found = errors(text)
    if found or "inputs" not in question:
        return {"errors": found}
    try:
        return {"errors": [], "results": run(text, question["devices"], question["inputs"])}
    except Exception as error:  # whatever XLA raises is an answer
        return {"errors": [], "failure": str(error)}


def serve(answer) -> None:
    """Answers every line of stdin."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print must not stand between the answers

    def reply(content: dict) -> None:
        answers.write(json.dumps(content) + "\n")
        answers.flush()

    try:
        mlir_context()
    except ImportError as error:
        return reply({"missing": str(error)})
    reply({})
    for line in sys.stdin:
        reply(answer(json.loads(line)))


if __name__ == "__main__":
    serve(answer)
