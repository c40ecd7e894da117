# SPDX-License-Identifier: Apache-2.0
"""Counts, per folder, comments that must be read twice and lines that are too wide.

tools/ceilings.txt holds what each folder had last: the counts may fall, and never rise. `layers` compares them.
`tools/check_layers --lower` writes lower counts there, and never higher ones.
"""

import re
from pathlib import Path

from sources import files, text_of

TOPS = ("tutti", "tests", "examples", "bench")
COLUMNS = 110
DIRECTIVE = "// expect: "  # of tests/must_not_compile: one line each
RIDDLE = re.compile(
    r"//[/ ].*\b(but for|beside|of which|that many|alike)\b|///? (Of|By|What|As many|As long|Whoever) "
)
CEILINGS = Path("tools/ceilings.txt")
KINDS = ("riddles", "wide lines")  # in this order in ceilings.txt, too
HEAD = """\
# The most riddles and wide lines that a folder may have: tools/plain_lines.py says what they are.
# The counts only fall. After you mended some: tools/check_layers --lower
"""


def listing(root: Path) -> list[tuple[Path, int, int, str]]:
    """Every riddle and wide line: file, line, place in KINDS, text."""
    found = []
    for file in files(root, ".hpp", ".cpp"):
        if file.parts[0] not in TOPS:
            continue
        for number, line in enumerate(text_of(root, file).splitlines(), 1):
            is_of_kind = (RIDDLE.search(line), len(line) > COLUMNS and not line.startswith(DIRECTIVE))
            found += [(file, number, kind, line.strip()) for kind in range(len(KINDS)) if is_of_kind[kind]]
    return found


def counts(root: Path) -> dict[str, list[int]]:
    """How many of each kind a folder has, by its first two names; folders without any are left out."""
    found: dict[str, list[int]] = {}
    for file, _, kind, _ in listing(root):
        found.setdefault("/".join(file.parts[:-1][:2]), [0, 0])[kind] += 1
    return found


def ceilings(root: Path) -> dict[str, list[int]]:
    if not (root / CEILINGS).is_file():
        return {}
    rows = (line.split() for line in text_of(root, CEILINGS).splitlines() if line and not line.startswith("#"))
    return {folder: [int(riddles), int(wide)] for folder, riddles, wide in rows}


def check(root: Path) -> list[str]:
    """One line per folder and kind that has more than its ceiling, or fewer: then the ceiling must fall."""
    problems = []
    found, most = counts(root), ceilings(root)
    for folder in sorted(found.keys() | most.keys()):
        for kind, now, ceiling in zip(KINDS, found.get(folder, [0, 0]), most.get(folder, [0, 0])):
            if now > ceiling:
                problems.append(f"{folder}: {now} {kind} where {ceiling} are allowed: tools/check_layers --list shows them")
            elif now < ceiling:
                problems.append(f"{folder}: {now} {kind}, no longer {ceiling}: run tools/check_layers --lower")
    return problems


def lower(root: Path) -> None:
    """Writes the counts of today as ceilings, where they are lower."""
    found = counts(root)
    lines = []
    for folder, most in sorted(ceilings(root).items()):
        riddles, wide = map(min, most, found.get(folder, [0, 0]))
        if riddles or wide:
            lines.append(f"{folder:24} {riddles:4} {wide:4}\n")
    (root / CEILINGS).write_text(HEAD + "".join(lines))
