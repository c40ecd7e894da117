# SPDX-License-Identifier: Apache-2.0
"""Asks StableHLO's reference interpreter, for tests/support/oracle.cpp; lines as of oracles.py, with "inputs".

A text is one of `lower_per_device`: what stands in its manual computation is what every device runs. The
process needs the library of tests/oracle/many_cpus preloaded. An op that the interpreter of jaxlib 0.10.2 does
not have ends it with SIGABRT; what it is known to compute wrongly is not run: {"failure": "known defect: .."}.
"""

import functools
import os
from itertools import product

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # NumPy believes in the 64 CPUs too

from oracles import errors, mlir_context, numpy_dtype, read, serve, written

ELEMENTS = {"bool": "i1", "u8": "ui8", "u16": "ui16", "u32": "ui32", "u64": "ui64"}  # the others have our names
PARTS = {"complex64": "f32", "complex128": "f64"}  # complex attributes do not cross the border of Python


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
    if any(op.name == "stablehlo.fft" for op in walk(module.operation)):
        return "fft takes complex values for real ones"
    if any(op.name in ("stablehlo.cholesky", "stablehlo.triangular_solve") for op in walk(module.operation)):
        return "factors and triangles end the process"
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

    if operation.name == "stablehlo.convolution":
        numbers = stablehlo.ConvDimensionNumbers(operation.attributes["dimension_numbers"])
        return ir.RankedTensorType(operation.operands[1].type).shape[numbers.kernel_input_feature_dimension] == 0
    if operation.name != "stablehlo.dot_general":
        return False
    dims = stablehlo.DotDimensionNumbers(operation.attributes["dot_dimension_numbers"])
    shape = ir.RankedTensorType(operation.operands[0].type).shape
    return any(shape[dim] == 0 for dim in dims.lhs_contracting_dimensions)


def dense(array, element: str):
    from jaxlib.mlir import ir

    text = str(array.tolist()).lower() if element == "i1" else f'"0x{array.tobytes().hex().upper()}"'
    return ir.Attribute.parse(f"dense<{text if array.size else ''}> : {tensor_type(array.shape, element)}", context())


def tensor_type(shape, element: str) -> str:
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def passed(name: str, tensor: dict):
    """A value as attributes that can be passed, by name, and the lines that make `name` of them."""
    array = read(tensor)
    part = PARTS.get(tensor["dtype"])
    if part is None:
        return {name: dense(array, ELEMENTS.get(tensor["dtype"], tensor["dtype"]))}, ""
    parts = {f"{name}_re": array.real, f"{name}_im": array.imag}
    return (
        {part_name: dense(values, part) for part_name, values in parts.items()},
        f"{name} = stablehlo.complex {', '.join(parts)} : {tensor_type(array.shape, f'complex<{part}>')}\n",
    )


def returned(name: str, result: str, type_):
    """What can be returned of a result, by name and type, the lines that make it, and what gets it back in NumPy."""
    import numpy as np
    from jaxlib.mlir import ir

    shaped = ir.RankedTensorType(type_)
    element = shaped.element_type
    if isinstance(element, ir.ComplexType):
        part = tensor_type(shaped.shape, str(element.element_type))
        lines = f"{name}_re = stablehlo.real {result} : ({type_}) -> {part}\n"
        lines += f"{name}_im = stablehlo.imag {result} : ({type_}) -> {part}\n"
        return {f"{name}_re": part, f"{name}_im": part}, lines, complex_of
    if isinstance(element, ir.BF16Type):
        bits = tensor_type(shaped.shape, "ui16")
        lines = f"{name} = stablehlo.bitcast_convert {result} : ({type_}) -> {bits}\n"
        return {name: bits}, lines, lambda values: values.view(numpy_dtype("bf16"))
    return {result: str(type_)}, "", np.asarray


def complex_of(re, im):
    """Not re + 1j * im, which loses -0 and spreads NaN."""
    import numpy as np

    values = np.empty(re.shape, np.result_type(re, np.complex64))
    values.real, values.imag = re, im
    return values


def run(module, devices: int, inputs: list[list[dict]]) -> list[list[dict]]:
    import numpy as np
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    device, types, taken = device_function(module)
    count = devices * len(types)
    names = [f"%a{i}" for i in range(devices * len(taken))]
    operands = [passed(name, inputs[k][d]) for name, (d, k) in zip(names, product(range(devices), taken), strict=True)]
    given = {name: value for attributes, _ in operands for name, value in attributes.items()}
    results = [returned(f"%b{i}", f"%r#{i}", types[i % len(types)]) for i in range(count)]
    outputs = {name: type_ for values, _, _ in results for name, type_ in values.items()}
    ran = ", ".join(str(type_) for type_ in types * devices)
    everywhere = ", ".join(["@device"] * devices)
    grid = f"""{device}
      func.func @main({", ".join(f"{name}: {value.type}" for name, value in given.items())})
          -> ({", ".join(outputs.values())}) {{
        {"".join(lines for _, lines in operands)}
        %r:{count} = "interpreter.run_parallel"({", ".join(names)}) {{programs = [[{everywhere}]]}}
          : ({", ".join(str(argument.type) for argument in list(device.arguments) * devices)}) -> ({ran})
        {"".join(lines for _, lines, _ in results)}
        return {", ".join(outputs)} : {", ".join(outputs.values())}
      }}"""
    with context():
        values = iter(stablehlo.eval_module(ir.Module.parse(grid), list(given.values())))
    out = [back(*(np.array(next(values)) for _ in parts)) for parts, _, back in results]
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
