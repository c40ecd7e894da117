# SPDX-License-Identifier: Apache-2.0
"""Asks StableHLO's reference interpreter, for tests/support/oracle.cpp; lines as of oracles.py, with "inputs".

A text is one of `lower_per_device`: what stands in its manual computation is what every device runs. The
process needs the library of tests/oracle/many_cpus preloaded. An op that the interpreter of jaxlib 0.10.2 does
not have ends it with SIGABRT; what it is known to compute wrongly is not run: {"failure": "known defect: .."}.
"""

import functools
import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # NumPy believes in the 64 CPUs too

from oracles import errors, mlir_context, read, serve, written

ELEMENTS = {"bool": "i1"}  # other dtypes have the same name


@functools.cache
def context():
    from jaxlib.mlir.dialects import stablehlo

    stablehlo.register_interpreter_dialect(mlir_context())
    stablehlo.register_stablehlo_passes()
    return mlir_context()


def walk(operation):
    """The operation and all inside of it."""
    yield operation
    for region in operation.regions:
        for block in region:
            for inner in block:
                yield from walk(inner.operation)


def device_function(module):
    """What every device runs, moved from the manual computation of @main into a function; the types of its
    results; which arguments of @main it takes."""
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import func

    main = next(op for op in module.body if op.operation.name == "func.func")
    manual = next(op.operation for op in main.body.blocks[0] if op.operation.name == "sdy.manual_computation")
    taken = [ir.BlockArgument(operand).arg_number for operand in manual.operands]
    body = manual.regions[0].blocks[0]
    results = [result.type for result in manual.results]
    end = body.operations[len(body.operations) - 1].operation
    with ir.Location.unknown(context()):
        with ir.InsertionPoint(end):
            func.ReturnOp(list(end.operands))
        end.erase()
        with ir.InsertionPoint(module.body):
            types = [argument.type for argument in body.arguments], results
            device = func.FuncOp("device", types, visibility="private")
    body.append_to(device.operation.regions[0])
    return device, results, taken


def copy_scattered(module) -> None:
    """scatter overwrites its operand: it gets a copy."""
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    for op in [op for op in walk(module.operation) if op.name == "stablehlo.scatter"]:
        with ir.InsertionPoint(op), ir.Location.unknown(context()):
            op.operands[0] = stablehlo.reshape(op.operands[0].type, op.operands[0])


def known_defect(module) -> str | None:
    channels = [str(op.attributes["channel_handle"]) for op in walk(module.operation) if communicates(op)]
    shared = {channel for channel in channels if channels.count(channel) > 1}
    if shared:
        return f"of two collectives with {shared.pop()} one may get what a peer sent in the other"
    loops = [op for op in walk(module.operation) if op.name == "stablehlo.while"]
    if any(communicates(op) for loop in loops for op in walk(loop)):
        return "a collective in a loop may get what a peer sent in an earlier trip"
    if any(sends_to_itself(op) for op in walk(module.operation)):
        return "a device that sends to itself waits for ever"
    if any(contracts_nothing(op) for op in walk(module.operation)):
        return "a product over an empty dim ends the process"
    return None


def communicates(operation) -> bool:
    return "channel_handle" in operation.attributes


def sends_to_itself(operation) -> bool:
    import numpy as np

    if operation.name != "stablehlo.collective_permute":
        return False
    pairs = np.array(operation.attributes["source_target_pairs"])
    return bool(np.any(pairs[:, 0] == pairs[:, 1])) if pairs.size else False


def contracts_nothing(operation) -> bool:
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    if operation.name != "stablehlo.dot_general":
        return False
    dims = stablehlo.DotDimensionNumbers(operation.attributes["dot_dimension_numbers"])
    shape = ir.RankedTensorType(operation.operands[0].type).shape
    return any(shape[dim] == 0 for dim in dims.lhs_contracting_dimensions)


def dense(tensor: dict):
    from jaxlib.mlir import ir

    element = ELEMENTS.get(tensor["dtype"], tensor["dtype"])
    shape = "".join(f"{size}x" for size in tensor["shape"])
    array = read(tensor)
    text = str(array.tolist()).lower() if element == "i1" else f'"0x{tensor["data"]}"'
    return ir.Attribute.parse(f"dense<{text if array.size else ''}> : tensor<{shape}{element}>", context())


def run(module, devices: int, inputs: list[list[dict]]) -> list[list[dict]]:
    import numpy as np
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    device, types, taken = device_function(module)
    given = [dense(inputs[k][d]) for d in range(devices) for k in taken]
    names = [f"%a{i}" for i in range(len(given))]
    parameters = ", ".join(f"{name}: {value.type}" for name, value in zip(names, given, strict=True))
    results = ", ".join(str(type_) for type_ in types * devices)
    count = devices * len(types)
    everywhere = ", ".join(["@device"] * devices)
    grid = f"""{device}
      func.func @main({parameters}) -> ({results}) {{
        %r:{count} = "interpreter.run_parallel"({", ".join(names)}) {{programs = [[{everywhere}]]}}
          : ({", ".join(str(value.type) for value in given)}) -> ({results})
        return {", ".join(f"%r#{i}" for i in range(count))} : {results}
      }}"""
    with context():
        values = stablehlo.eval_module(ir.Module.parse(grid), given)
    out = [np.array(value) for value in values]
    return [[written(out[d * len(types) + k]) for d in range(devices)] for k in range(len(types))]


def answer(question: dict) -> dict:
    from jaxlib.mlir import ir
    from jaxlib.mlir.passmanager import PassManager

    found = errors(question["text"])
    if found:
        return {"errors": found}
    module = ir.Module.parse(question["text"], context())
    defect = known_defect(module)
    if defect:
        return {"errors": [], "failure": f"known defect: {defect}"}
    with context():
        PassManager.parse("builtin.module(func.func(chlo-legalize-to-stablehlo))").run(module.operation)
    copy_scattered(module)
    try:
        return {"errors": [], "results": run(module, question["devices"], question["inputs"])}
    except ValueError as error:  # its reason is on stderr
        return {"errors": [], "failure": str(error)}


if __name__ == "__main__":
    serve(answer)
