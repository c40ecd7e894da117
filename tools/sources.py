# SPDX-License-Identifier: Apache-2.0
"""What the tools know about the repository's sources: which files there are, and what they include."""

import re
from pathlib import Path

# For users: they see everything, and nothing in the library sees them. The version is in no folder: all may see it.
VERSION = "tutti/version.hpp"
OF_MPI = "tutti/mpi/open_mpi.hpp"
UMBRELLAS = ("tutti/tutti.hpp", "tutti/op.hpp", "tutti/kernels.hpp", "tutti/dlpack.hpp")
FOLDERS = ("tutti", "tests", "examples", "bench", "tools", "docs", ".ci")
QUOTED = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def files(root: Path, *suffixes: str) -> list[Path]:
    """All files at the root and in our folders with one of the suffixes, relative to root, sorted."""
    found = [p for p in root.glob("*") if p.name != ".git"]
    for folder in FOLDERS:
        found += (root / folder).rglob("*")
    return sorted(p.relative_to(root) for p in found if p.is_file() and p.suffix in suffixes)


def text_of(root: Path, file: Path) -> str:
    return (root / file).read_text(errors="replace")


def includes(root: Path, file: Path) -> list[tuple[int, str]]:
    """The quoted includes of a file: line and name as written."""
    text = text_of(root, file)
    return [(text.count("\n", 0, m.start(1)) + 1, m.group(1)) for m in QUOTED.finditer(text)]


def closure(root: Path, file: Path) -> list[Path]:
    """The file and all headers of ours that it includes, directly or not, sorted."""
    seen, todo = {file}, [file]
    while todo:
        for _, name in includes(root, todo.pop()):
            header = Path(name)
            if header not in seen and (root / header).is_file():
                seen.add(header)
                todo.append(header)
    return sorted(seen)
