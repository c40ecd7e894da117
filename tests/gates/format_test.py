# SPDX-License-Identifier: Apache-2.0
"""Self tests of tools/check_format."""

import shutil
from pathlib import Path

import planted
from planted import expect_caught, expect_clean


def check(root: Path, text: str) -> tuple[int, str]:
    shutil.copy(planted.ROOT / ".clang-format", root)
    planted.write(root, "tests/ops/a.hpp", text)
    return planted.run(planted.ROOT / "tools/check_format", root)


def catches_a_wrong_indent(root: Path) -> None:
    expect_caught(check(root, "struct A {\n    int a;\n};\n"), "tests/ops/a.hpp:1:11: error")


def catches_a_long_line(root: Path) -> None:
    expect_caught(check(root, "int sum = " + " + ".join(["first"] * 20) + ";\n"), "tests/ops/a.hpp:1:")


def accepts_our_layout(root: Path) -> None:
    expect_clean(check(root, "struct A {\n  int a;\n};\n"))


if __name__ == "__main__":
    planted.main()
