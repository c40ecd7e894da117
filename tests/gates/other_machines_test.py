# SPDX-License-Identifier: Apache-2.0
"""Self tests of tools/race, tools/soak and tools/skip, with a valgrind and a qemu that only print what tests print."""

import os
from pathlib import Path

import planted
from planted import expect_caught, expect_clean

# Emulates a GoogleTest program with the cases that a filter leaves, or the demo.
EMULATOR = """#!/bin/bash
case "$*" in
  */digits) echo "accuracy 0.97" ;;
  *--gtest_list_tests*) {list} ;;
  *) echo "[==========] {cases} from {cases} test suites ran. (1 ms total)" ;;
esac
"""


def emulated(root: Path, cases: int, tool: str, *arguments: str) -> tuple[int, str]:
    listing = "printf 'suite.\\n" + "  case\\n" * cases + "'" if cases else "true"
    count = f"{cases} test{'' if cases == 1 else 's'}"
    for program in ("valgrind", "qemu-x86_64"):
        text = EMULATOR.replace("{list}", listing).replace("{cases} from", f"{count} from").replace("{cases}", str(cases))
        planted.write(root, program, text)
        (root / program).chmod(0o755)
    return planted.run("env", f"PATH={root}:{os.environ['PATH']}", planted.ROOT / "tools" / tool, *arguments)


def catches_a_race_check_without_cases(root: Path) -> None:
    expect_caught(emulated(root, 0, "race"), "no case to run: valgrind")


def catches_a_soak_without_cases(root: Path) -> None:
    expect_caught(emulated(root, 0, "soak", "nehalem"), "no case to run: qemu-x86_64 -cpu Nehalem")


def accepts_a_race_check_and_names_the_libraries(root: Path) -> None:
    result = emulated(root, 2, "race")
    expect_clean(result)
    installed = [file.parent for file in Path("/usr/lib").glob("*/openblas-serial/libopenblas.so.0")]
    end = "".join(f" and {folder}" for folder in installed) or "; the one without locks was not tried"
    assert f"race: none with the OpenBLAS that programs load{end}" in result[1], result[1]


def accepts_a_soak_with_cases(root: Path) -> None:
    expect_clean(emulated(root, 1, "soak", "haswell"))


def catches_a_missing_library_where_all_are_required(root: Path) -> None:
    expect_caught(planted.run("env", "TUTTI_REQUIRE_ORACLES=1", planted.ROOT / "tools/skip", "libx"), "missing: libx;")


def skips_a_missing_library_elsewhere(root: Path) -> None:
    status, output = planted.run("env", "-u", "TUTTI_REQUIRE_ORACLES", planted.ROOT / "tools/skip", "libx")
    assert (status, output) == (77, "skipped: libx\n"), (status, output)


if __name__ == "__main__":
    planted.main()
