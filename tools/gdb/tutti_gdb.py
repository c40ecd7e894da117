# SPDX-License-Identifier: Apache-2.0
"""Pretty printers of gdb for Tutti's values: Tensor, Shape, Type, Axis, Mesh, Sharding and Array.

In gdb, or in ~/.gdbinit:  source /usr/share/tutti/gdb/tutti_gdb.py
They call no function of the program, so they also work on a core file. Memory that holds no value prints as
"<no Tensor: why>"; no printer raises an error.
"""

import struct

import gdb
import gdb.printing

MOST_DIMS = 64  # more, or negative sizes: memory that was never initialised
MOST_NAMES = 4096  # of axes, devices and states
MOST_LETTERS = 4096  # of a name
MOST_ELEMENTS = 100_000  # with `set print elements unlimited`

# By the names of tutti/types/dtype.hpp: the name in programs, bytes, and the format of struct.
DTYPES = {
    "boolean": ("bool", 1, "?"), "u8": ("u8", 1, "B"), "i8": ("i8", 1, "b"), "u16": ("u16", 2, "H"), "i16": ("i16", 2, "h"),
    "u32": ("u32", 4, "I"), "i32": ("i32", 4, "i"), "u64": ("u64", 8, "Q"), "i64": ("i64", 8, "q"), "f16": ("f16", 2, "e"),
    "bf16": ("bf16", 2, None), "f32": ("f32", 4, "f"), "f64": ("f64", 8, "d"), "complex64": ("complex64", 8, "ff"),
    "complex128": ("complex128", 16, "dd"),
}
LETTERS = {"invariant": "I", "varying": "V", "unreduced": "U", "reduced": "R"}


class NoValue(Exception):
    """The memory holds no value of this type."""


# --- Parts of the standard library, without its own printers ---------------------------------------------------------


def items(vector, most):
    """The elements of a std::vector."""
    start, finish = vector["_M_impl"]["_M_start"], vector["_M_impl"]["_M_finish"]
    count = int(finish - start)
    if not 0 <= count <= most or (count and not int(start)):
        raise NoValue(f"a vector of {count} elements")
    return [(start + i).dereference() for i in range(count)]


def text_of_view(view):
    """The text of a std::string_view."""
    length, start = int(view["_M_len"]), view["_M_str"]
    if length > MOST_LETTERS:
        raise NoValue(f"a name of {length} letters")
    return bytes(memory(start, length)).decode("utf-8", "replace")


def memory(address, count):
    return gdb.selected_inferior().read_memory(int(address), count) if count else b""


def enumerator(value):
    """The name of an enumerator, without its enum's."""
    name = str(value).rpartition("::")[2]
    if not name.isidentifier():
        raise NoValue(f"enumerator {name}")
    return name


def alternative(variant):
    """The index of a std::variant's alternative, and its value; None for the index -1."""
    index = int(variant["_M_index"])
    kind = variant.type.strip_typedefs()
    try:
        held = kind.template_argument(index)
    except (RuntimeError, gdb.error):
        raise NoValue(f"alternative {index} of a variant") from None
    return index, variant["_M_u"].address.cast(held.pointer()).dereference()  # all alternatives begin there


# --- Texts, as to_string writes them ---------------------------------------------------------------------------------


def shape_text(shape):
    sizes = sizes_of(shape)
    return "[" + ",".join(map(str, sizes)) + "]"


def sizes_of(shape):
    sizes = [int(size) for size in items(shape["sizes_"], MOST_DIMS)]
    if any(size < 0 for size in sizes):
        raise NoValue(f"sizes {sizes}")
    return sizes


def dtype_of(value):
    name = enumerator(value)
    if name not in DTYPES:
        raise NoValue(f"dtype {name}")
    return DTYPES[name]


def type_text(type_):
    node = type_["node_"].dereference()
    states = [f"{LETTERS[enumerator(pair['second'])]}:{text_of_view(pair['first']['name'])}"
              for pair in items(node["states"]["states_"], MOST_NAMES)]
    text = dtype_of(node["dtype"])[0] + shape_text(node["shape"]) + ("{" + ", ".join(states) + "}" if states else "")
    return f"pending<{text}>" if int(node["in_flight"]["_M_ptr"]) else text


def axis_text(axis):
    return f"{text_of_view(axis['name'])}={int(axis['size'])}"


def mesh_text(mesh):
    interned = mesh["interned_"].dereference()
    axes = ",".join(map(axis_text, items(interned["axes"], MOST_NAMES))) or "no axes"
    devices = [str(int(device)) for device in items(interned["devices"], 1 << 16)]
    return axes + (" on devices " + ",".join(devices) if devices else "")


def sharding_text(sharding):
    def names(axes):
        return [text_of_view(axis["name"]) for axis in items(axes, MOST_NAMES)]

    def split(axes):
        axes = names(axes)
        return f"({', '.join(axes)})" if len(axes) > 1 else "".join(axes) or "none"

    dims = [split(axes) for axes in items(sharding["dims"], MOST_DIMS)]
    while dims and dims[-1] == "none":
        dims.pop()
    text = "P(" + ", ".join(dims) + ")"
    for mark, field in (("U", "unreduced"), ("R", "reduced")):
        if axes := names(sharding[field]):
            text += f"+{mark}({', '.join(axes)})"
    return f"{text} on {mesh_text(sharding['mesh'])}"


def tensor_text(tensor):
    dtype = dtype_of(tensor["dtype_"])
    sizes = sizes_of(tensor["shape_"])
    return f"{dtype[0]}{shape_text(tensor['shape_'])} {elements_text(dtype, sizes, tensor['data_']['_M_ptr'])}"


def array_text(array):
    index, value = alternative(array["is_"])
    if index == 0:
        return "no array"
    if index == 1:
        return f"%{int(value['var'])} of trace {int(value['trace'])}"
    if index == 2:
        return f"{type_text(value)} without a value"
    data = value["_M_ptr"]
    if not int(data):
        raise NoValue("null data")
    return global_array_text(data.dereference())


def global_array_text(array):
    """A finished array: its elements if it is whole on the host, else where it lies."""
    text = type_text(array["type_"])
    sharding, (place, shards) = array["sharding_"]["_M_payload"], alternative(array["shards_"])
    if bool(sharding["_M_engaged"]):
        where = sharding_text(sharding["_M_payload"]["_M_value"])
        return f"{text} {where}" + (", on the devices of a machine" if place else "")
    node = array["type_"]["node_"]
    return f"{text} {elements_text(dtype_of(node['dtype']), sizes_of(node['shape']), shards['base']['_M_ptr'])}"


# --- Elements --------------------------------------------------------------------------------------------------------


def elements_text(dtype, sizes, address):
    """Elements in nested brackets; no more of them than `set print elements` allows."""
    count = 1
    for size in sizes:
        count *= size
    if count == 0:
        return "[]"
    if not int(address):
        raise NoValue("null data")
    shown = min(count, most_elements(), MOST_ELEMENTS)
    _, width, form = dtype
    raw = bytes(memory(address, shown * width))
    elements = [element_text(form, raw[i * width:(i + 1) * width]) for i in range(shown)]
    text = nested(sizes, elements, 0, count)
    return text + (f" ({shown} of {count} elements)" if shown < count else "")


def most_elements():
    """What `print -elements N` or `set print elements N` allows; older gdbs (before 13) tell the latter only."""
    options = gdb.print_options() if hasattr(gdb, "print_options") else {}
    return options.get("max_elements", gdb.parameter("print elements")) or MOST_ELEMENTS


def nested(sizes, elements, begin, count):
    """The `count` elements from `begin` on as an array of these sizes; '..' stands for those that are not shown."""
    if not sizes:
        return elements[begin] if begin < len(elements) else ".."
    rows, each = [], count // sizes[0]
    for i in range(sizes[0]):
        if begin + i * each >= len(elements):
            rows.append("..")
            break
        rows.append(nested(sizes[1:], elements, begin + i * each, each))
    return "[" + " ".join(rows) + "]"


def element_text(form, raw):
    if form is None:  # bf16: the upper half of an f32
        return f"{struct.unpack('<f', bytes(2) + raw)[0]:g}"
    parts = struct.unpack("<" + form, raw)
    if len(parts) == 2:
        return f"{parts[0]:g}{parts[1]:+g}j"
    if form == "?":
        return "true" if parts[0] else "false"
    return f"{parts[0]:g}" if form in "efd" else str(parts[0])


# --- What gdb calls --------------------------------------------------------------------------------------------------

TEXTS = {
    "tutti::Shape": shape_text, "tutti::Axis": axis_text, "tutti::Mesh": mesh_text, "tutti::Sharding": sharding_text,
    "tutti::Tensor": tensor_text, "tutti::ops::Type": type_text, "tutti::Array": array_text,
    "tutti::internal::GlobalArray": global_array_text,
}


def printer_of(name, text):
    class Printer:
        def __init__(self, value):
            self.value = value

        def to_string(self):
            try:
                return text(self.value)
            except Exception as error:  # whatever is wrong with the memory, gdb goes on to the next value
                return f"<no {name.rpartition('::')[2]}: {error}>"

    return Printer


def printers():
    collection = gdb.printing.RegexpCollectionPrettyPrinter("tutti")
    for name, text in TEXTS.items():
        collection.add_printer(name.rpartition("::")[2], f"^{name}$", printer_of(name, text))
    return collection


gdb.printing.register_pretty_printer(gdb.current_objfile(), printers(), replace=True)
