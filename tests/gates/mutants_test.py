# SPDX-License-Identifier: Apache-2.0
"""Self tests of tools/mutants: a list that is wrong, and defects that are noticed or not, in a small tree whose `cmake`
builds test programs of one line."""

import json
import os
from pathlib import Path

import planted
from planted import expect_caught, expect_clean

SOURCE = "int twice(int x) { return x + x; }\nint half(int x) { return x / 2; }\n"
TESTS = "TEST(twice, adds) {}\nTEST(half, divides) {}\n"
# Its compiler takes SYNTAX for an error. The test program looks for what it tests in the sources.
CMAKE = r"""#!/bin/bash
[[ $1 == --build ]] || exit 0
mkdir -p build && echo "$@" >>build/built
! grep -rq SYNTAX tutti || { echo "a.cpp:1: error"; exit 1; }
mkdir -p build/release/bin
cat >build/release/bin/a_tests <<'PROGRAM'
#!/bin/bash
case $1 in
  *twice.adds) grep -rq 'x + x' tutti ;;
  *half.divides) while grep -rq 'x / 0' tutti; do sleep 1; done ;;
  *) echo "[==========] 0 tests from 0 test suites ran." ;;
esac
PROGRAM
chmod +x build/release/bin/a_tests
"""
ADDS_WRONGLY = {"name": "adds_wrongly", "text": "x + x", "replacement": "x + 1", "tests": ["a: twice.adds"]}


def write(root: Path, *mutants: dict, source: str = SOURCE) -> None:
    planted.write(root, "tutti/a.cpp", source)
    planted.write(root, "tests/a/a_test.cpp", TESTS)
    # JSON's strings and lists are TOML's, too.
    entries = ["[[mutant]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in m.items()) for m in mutants]
    planted.write(root, "tests/mutants/a.toml", "\n".join(entries))


def check(root: Path, *mutants: dict) -> tuple[int, str]:
    write(root, *mutants)
    return planted.run(planted.ROOT / "tools/mutants", "--check", "--root", root)


def plant(root: Path, *mutants: dict, source: str = SOURCE) -> tuple[int, str]:
    write(root, *mutants, source=source)
    planted.write(root, "bin/cmake", CMAKE)
    (root / "bin/cmake").chmod(0o755)
    path = f"PATH={root / 'bin'}:{os.environ['PATH']}"
    return planted.run("env", path, planted.ROOT / "tools/mutants", "--patience", 1, "--root", root)


def catches_a_text_that_is_missing(root: Path) -> None:
    expect_caught(check(root, ADDS_WRONGLY | {"text": "x + y"}), "tests/mutants/a.toml: adds_wrongly: its text is in no .cpp")


def catches_a_text_that_occurs_twice(root: Path) -> None:
    expect_caught(check(root, ADDS_WRONGLY | {"text": "(int x)"}), "its text is in 2 places, tutti/a.cpp, tutti/a.cpp")


def catches_a_text_in_two_files(root: Path) -> None:
    planted.write(root, "tutti/b/b.cpp", "int y = x + x;\n")
    expect_caught(check(root, ADDS_WRONGLY), "its text is in 2 places, tutti/a.cpp, tutti/b/b.cpp")


def catches_a_text_that_an_example_has_too(root: Path) -> None:
    planted.write(root, "examples/support/b.cpp", "int y = x + x;\n")
    expect_caught(check(root, ADDS_WRONGLY), "its text is in 2 places, examples/support/b.cpp, tutti/a.cpp")


def catches_a_replacement_that_changes_nothing(root: Path) -> None:
    expect_caught(check(root, ADDS_WRONGLY | {"replacement": "x + x"}), "its replacement changes nothing")


def catches_a_test_that_is_gone(root: Path) -> None:
    expect_caught(check(root, ADDS_WRONGLY | {"tests": ["a: twice.adds:twice.doubles"]}),
                  "tests/a has no test 'twice.doubles'")


def catches_two_of_one_name(root: Path) -> None:
    expect_caught(check(root, ADDS_WRONGLY, ADDS_WRONGLY), "two mutants have the name adds_wrongly")


def catches_an_entry_without_tests(root: Path) -> None:
    expect_caught(check(root, ADDS_WRONGLY | {"tests": []}), "tests/mutants/a.toml: an entry has")


def accepts_a_list_that_can_be_planted(root: Path) -> None:
    instances = ADDS_WRONGLY | {"name": "of_instances", "tests": ["a: all/twice.adds/0:ha*.divides"]}
    expect_clean(check(root, ADDS_WRONGLY, instances))


def catches_a_defect_that_goes_unnoticed(root: Path) -> None:
    unnoticed = ADDS_WRONGLY | {"name": "unnoticed", "replacement": "x + x + 1"}
    result = plant(root, unnoticed, ADDS_WRONGLY)
    expect_caught(result, "unnoticed: UNNOTICED by a: twice.adds")
    assert "adds_wrongly: noticed" in result[1] and "2 defects, 1 noticed" in result[1], result[1]


def catches_a_defect_that_only_one_of_two_tests_notices(root: Path) -> None:
    both = ADDS_WRONGLY | {"tests": ["a: twice.adds", "a: half.divides"]}
    expect_caught(plant(root, both), "adds_wrongly: UNNOTICED by a: half.divides")


def catches_a_defect_that_does_not_build(root: Path) -> None:
    expect_caught(plant(root, ADDS_WRONGLY | {"replacement": "SYNTAX"}), "wrong in the list: adds_wrongly")


def catches_a_test_that_fails_anyway(root: Path) -> None:
    result = plant(root, ADDS_WRONGLY | {"text": "2 * x"}, source=SOURCE.replace("x + x", "2 * x"))
    expect_caught(result, "a: twice.adds fails without a defect")


def accepts_a_hang_as_noticed(root: Path) -> None:
    hangs = {"name": "hangs", "text": "x / 2", "replacement": "x / 0", "tests": ["a: half.divides"]}
    expect_clean(plant(root, hangs))


def accepts_defects_that_are_all_noticed_and_goes_on_where_it_was(root: Path) -> None:
    expect_clean(plant(root, ADDS_WRONGLY))
    built = (root / "build/mutants/tree/build/built").read_text()
    second = plant(root, ADDS_WRONGLY)
    expect_clean(second)
    assert "adds_wrongly: noticed (known)" in second[1], second[1]
    assert (root / "build/mutants/tree/build/built").read_text() == built, "it was built again"
    assert (root / "build/mutants/tree/tutti/a.cpp").read_text() == SOURCE, "the defect was left in"
    expect_caught(plant(root, ADDS_WRONGLY | {"replacement": "x + x + 1"}), "adds_wrongly: UNNOTICED")


if __name__ == "__main__":
    planted.main()
