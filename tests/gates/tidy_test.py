# SPDX-License-Identifier: Apache-2.0
"""Self tests of tools/tidy: a defect in a source and in a header, and the stamps that skip unchanged sources."""

import json
import os
import shutil
from pathlib import Path

import planted
from planted import expect_caught, expect_clean

DEFECT = "inline int half(int a) { return a / 2 * 2 == a ? a : a; }\n"  # bugprone-branch-clone
SOUND = "inline int half(int a) { return a / 2; }\n"


def tidy(root: Path, header: str) -> tuple[int, str]:
    shutil.copy(planted.ROOT / ".clang-tidy", root)
    planted.write(root, "tutti/base/a.hpp", header)
    planted.write(root, "tutti/base/a.cpp", '#include "tutti/base/a.hpp"\nint twice(int a) { return half(a) * 4; }\n')
    source = root / "tutti/base/a.cpp"
    command = f"g++ -std=c++20 -I{root} -c {source}"
    planted.write(root, "build/x/compile_commands.json",
                  json.dumps([{"directory": str(root), "file": str(source), "command": command}]))
    os.environ["XDG_CACHE_HOME"] = str(root / "cache")
    return planted.run(planted.ROOT / "tools/tidy", root / "build/x", root)


def catches_a_defect_in_a_header(root: Path) -> None:
    expect_caught(tidy(root, DEFECT), "bugprone-")


def catches_a_header_that_changed_after_a_pass(root: Path) -> None:
    expect_clean(tidy(root, SOUND))
    expect_caught(tidy(root, DEFECT), "bugprone-")


def catches_the_same_defect_again(root: Path) -> None:
    expect_caught(tidy(root, DEFECT), "bugprone-")
    expect_caught(tidy(root, DEFECT), "bugprone-")


def skips_what_passed(root: Path) -> None:
    expect_clean(tidy(root, SOUND))
    status, output = tidy(root, SOUND)
    assert status == 0 and "1 sources, 1 unchanged" in output, output


if __name__ == "__main__":
    planted.main()
