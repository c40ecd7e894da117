# SPDX-License-Identifier: Apache-2.0
"""Self tests of tools/must_not_compile."""

import json
from pathlib import Path

import planted
from planted import expect_caught, expect_clean


def judge(root: Path, name: str, text: str) -> tuple[int, str]:
    planted.write(root, name, text)
    entry = {"directory": str(root), "file": str(root / name), "command": f"g++ -std=c++20 -o a.o -c {root / name}"}
    planted.write(root, "compile_commands.json", json.dumps([entry]))
    return planted.run(planted.ROOT / "tools/must_not_compile", root, root / name)


def catches_a_case_that_compiles(root: Path) -> None:
    expect_caught(judge(root, "a.cpp", "// expect: error\nint a;\n"), "it compiles")


def catches_a_refusal_for_another_reason(root: Path) -> None:
    expect_caught(judge(root, "a.cpp", "// expect: missing rule\nint a = b;\n"), "without saying ['missing rule']")


def catches_a_case_without_expectation(root: Path) -> None:
    expect_caught(judge(root, "a.cpp", "int a = b;\n"), "a case starts with")


def catches_a_control_that_is_refused(root: Path) -> None:
    expect_caught(judge(root, "a.ok.cpp", "int a = b;\n"), "a control must compile")


def accepts_the_expected_refusal(root: Path) -> None:
    expect_clean(judge(root, "a.cpp", "// expect: 'b' was not declared\n// expect: a\\.cpp:3\nint a = b;\n"))


def accepts_a_control_that_compiles(root: Path) -> None:
    expect_clean(judge(root, "a.ok.cpp", "int a;\n"))


if __name__ == "__main__":
    planted.main()
