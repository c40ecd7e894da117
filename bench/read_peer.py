# SPDX-License-Identifier: Apache-2.0
"""The other side of bench/programs_read.cpp: jaxlib parses the same texts, XLA compiles them, and JAX runs the programs that
they come from on 8 devices of the CPU. Takes the commands "measure" and "forget" of bench/rows.hpp and answers like them.
With --write FOLDER it writes the texts and arguments of the programs instead.
"""

import os
import sys
import time
from functools import cache
from pathlib import Path

os.environ["PJRT_NPROC"] = "64"  # before jax is imported: with fewer threads than devices it stands still
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
sys.path.insert(0, "tests/oracle")

import jax  # noqa: E402
import jax_programs as programs  # noqa: E402
import numpy as np  # noqa: E402
from oracles import mlir_context  # noqa: E402
from programs_peer import answer  # noqa: E402

STEPS = {"digits_step": programs.digits_step, "unrolled_step": programs.transformer_unrolled,
         "scan_step": programs.transformer_scan}


def write(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for make in STEPS.values():
        function, arguments = make()
        text = jax.jit(function, keep_unused=True).lower(*arguments).as_text()
        (folder / f"{make.__name__}.mlir").write_text(text)
        programs.save(folder / f"{make.__name__}.in.npz", jax.tree.leaves(arguments))


def parse(text: str):
    from jaxlib.mlir import ir

    def call():
        return ir.Module.parse(text, mlir_context())

    call()
    return call, None


def parse_transformer(_):
    function, arguments = programs.transformer_unrolled()
    return parse(jax.jit(function, keep_unused=True).lower(*arguments).as_text())


def parse_constant(size: int):
    """read_constant of programs_read.cpp."""
    digits = np.frombuffer(b"0123456789ABCDEF", np.uint8)[np.arange(2 * size) * 7 % 16].tobytes().decode()
    of_type = f"tensor<{size}xui8>"
    return parse(f"func.func @main() -> {of_type} {{\n  %0 = stablehlo.constant dense<\"0x{digits}\"> : {of_type}\n"
                 f"  return %0 : {of_type}\n}}\n")


@cache
def lowered(name: str):
    function, arguments = STEPS[name]()
    return jax.jit(function, keep_unused=True, donate_argnums=(0, 1)).lower(*arguments), arguments


@cache
def compiled(name: str):
    """The program, and the microseconds that XLA takes to compile it."""
    program, start = lowered(name)[0], time.perf_counter()
    return program.compile(), (time.perf_counter() - start) * 1e6


def step(name: str):
    program, _ = compiled(name)
    params, momentum, *batch = jax.device_put(lowered(name)[1], program.input_shardings[0])
    state = [params, momentum]

    def call():
        value, *state[:] = jax.block_until_ready(program(*state, *batch))
        return value

    return call, np.asarray(call())


def prepared(name: str, size: int):
    if name == "parse_transformer":
        return parse_transformer(size)
    if name == "parse_constant":
        return parse_constant(size)
    return (compiled("unrolled_step")[1], None) if name == "compile" else step(name)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        write(Path(sys.argv[2]))
    else:
        answer(prepared)
