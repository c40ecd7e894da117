# SPDX-License-Identifier: Apache-2.0
"""Which declarations the API reference shows, and in which topic (topics.toml)."""

import tomllib
from fnmatch import fnmatch
from pathlib import Path

from declarations import Declaration, declarations_in
from sources import OF_MPI, UMBRELLAS, closure

HIDDEN = {"internal", "tree", "half", "dlpack", "threefry", "stablehlo", "device_attribute", "driver_result"}  # namespaces
RULES = "tutti::ops::Op::Rules"  # describes the rules for all ops
PLAIN_NAMES = {"operator=", "operator==", "operator<=>", "begin", "end"}  # the same in all classes


def umbrellas(root: Path) -> dict[Path, str]:
    """The header that users include to have the names of another."""
    found: dict[Path, str] = {}
    for file in (*UMBRELLAS, OF_MPI):
        for header in closure(root, Path(file)) if (root / file).is_file() else []:
            found.setdefault(header, file)
    return found


def is_op(one: Declaration) -> bool:
    return one.kind == "class" and {"infer", "examples"} <= {member.name for member in one.members}


def is_shown(one: Declaration) -> bool:
    return not one.refuses and bool(one.space) and not HIDDEN & set(one.space)


def shown_in(root: Path, lent: list[str]) -> list[Declaration]:
    """The declarations of the namespaces for users and authors, in all headers that users reach, in order of path."""
    found = []
    for header in sorted(umbrellas(root)):
        for one in declarations_in(root, header):
            if one.qualified in lent:
                lend(one)
            if is_shown(one):
                found.append(one)
    mark_rules(found)
    return found


def mark_rules(shown: list[Declaration]) -> None:
    """The members of ops that are declared for all ops, in Op::Rules, and their examples."""
    of_ops = (inner for one in shown for inner in one.members if inner.qualified == RULES)
    rules = {"examples", *(member.name for inner in of_ops for member in inner.members)}
    for one in filter(is_op, shown):
        for member in one.members:
            member.is_rule = member.name in rules


def lend(one: Declaration) -> None:
    """Shows a class of ours that users meet, as if it stood in the namespace for users."""
    one.block += ["", "Programs do not name this class: functions take or return it."]
    todo = [one]
    while todo:
        some = todo.pop()
        some.space = tuple(part for part in some.space if part != "internal")
        todo += some.members


def members_of(one: Declaration) -> list[Declaration]:
    """Those that the reference shows."""
    return [m for m in one.members if not m.refuses and not m.is_rule and not m.name.startswith("~") and not (
        m.defaulted and (m.name == one.name or m.name in PLAIN_NAMES))]


def owes_a_block(one: Declaration) -> bool:
    """Functions, classes and enums; not fields, constructors, and what every class has."""
    if one.kind not in ("function", "class", "enum"):
        return False
    return not (one.defaulted or one.name in PLAIN_NAMES or one.name in one.owners)


def without_block(shown: list[Declaration]) -> list[Declaration]:
    found = []
    for one in shown:
        if owes_a_block(one) and not one.shared_block and not one.behind:
            found.append(one)
        found += without_block(members_of(one))
    return found


class Topics:
    def __init__(self, folder: Path):
        table = tomllib.loads((folder / "topics.toml").read_text())
        self.all, self.guides, self.lent = table["topics"], table["guides"], table["lent"]

    def of(self, one: Declaration) -> dict | None:
        return next((topic for topic in self.all if place_in(topic, one) is not None), None)

    def in_order(self, topic: dict, shown: list[Declaration]) -> list[Declaration]:
        """Those of a topic, by the patterns that their headers match."""
        return sorted((one for one in shown if self.of(one) is topic), key=lambda one: place_in(topic, one))


def place_in(topic: dict, one: Declaration) -> int | None:
    """The number of the pattern that the declaration's header matches, if the topic takes it."""
    header = str(one.file.with_suffix("")).removeprefix("tutti/")
    if "::".join(one.space[:2]) != topic["space"] or (topic.get("op") and not is_op(one)):
        return None
    return next((i for i, pattern in enumerate(topic["headers"]) if fnmatch(header, pattern)), None)
