# SPDX-License-Identifier: Apache-2.0
"""Self tests of tools/run_tests: it fails as CTest does, and lists skipped cases, of every preset."""

import os
import shutil
from pathlib import Path

import planted
from planted import expect_caught, expect_clean

# A ctest whose tests leave the note of one skipped case.
CTEST = """#!/bin/bash
echo "options $*"
[[ $SKIPPED ]] && echo "a.case: no library" >build/$2/skipped/a.0
exit $STATUS
"""


def tests(root: Path, preset: str, status: int, skipped: str) -> tuple[int, str]:
    planted.write(root, "bin/ctest", CTEST)
    (root / "bin/ctest").chmod(0o755)
    planted.write(root, f"build/{preset}/skipped/old.0", "old.case: of an earlier run\n")
    (root / "tools").mkdir()
    shutil.copy(planted.ROOT / "tools/run_tests", root / "tools")
    return planted.run("env", f"PATH={root}/bin:{os.environ['PATH']}", f"STATUS={status}", f"SKIPPED={skipped}",
                       root / "tools/run_tests", preset, "-L", "a")


def catches_a_test_that_fails_and_lists_skipped_cases(root: Path) -> None:
    for preset in ("release", "asan"):
        result = tests(root / preset, preset, 8, "yes")
        expect_caught(result, f"options --preset {preset} --output-junit tests.xml -L a\n")
        expect_caught(result, "skipped, with the reason:\n  a.case: no library\n")


def accepts_tests_of_which_none_was_skipped(root: Path) -> None:
    result = tests(root, "tsan", 0, "")
    expect_clean(result)
    assert "skipped" not in result[1], result[1]


if __name__ == "__main__":
    planted.main()
