# SPDX-License-Identifier: Apache-2.0
"""Self tests of tools/page_program. The programs are scripts: nothing is compiled."""

from pathlib import Path

import planted
from planted import expect_caught, expect_clean

PAGE = """# A page
```cpp
Array twice(Array x) { return 2 * x; }
```
<!-- run show(twice); -->
```text
[2. 4.]
```
A piece with a name, twice.
```cpp wrong.cpp
Array one();

```
<!-- cpp wrong.cpp
Array two();
-->
<!-- run
show(one);
show(two); -->
```text
wrong.cpp:3: no
```
```c
MPI_Barrier(comm);
```
"""
PRINTED = "[2. 4.]\\nwrong.cpp:3: no\\n"
PROGRAM = """// Made from docs/a.md by tools/page_program.
#line 3 "docs/a.md"
Array twice(Array x) { return 2 * x; }
#line 1 "wrong.cpp"
Array one();

#line 3 "wrong.cpp"
Array two();
int main() {
#line 5 "docs/a.md"
show(twice);
#line 17 "docs/a.md"

show(one);
show(two);
}
"""


def checked(root: Path, page: str, printed: str = PRINTED, then: str = "true") -> tuple[int, str]:
    """The page beside a program that prints `printed`."""
    planted.write(root, "docs/a.md", page)
    planted.write(root, "program", f"#!/bin/sh\nprintf '{printed}'\n{then}\n")
    (root / "program").chmod(0o755)
    return planted.run(planted.ROOT / "tools/page_program", "--check", root / "docs/a.md", root / "program")


def written(root: Path, page: str) -> tuple[int, str]:
    planted.write(root, "docs/a.md", page)
    return planted.run(planted.ROOT / "tools/page_program", root / "docs/a.md", root / "a.cpp")


def accepts_a_page_that_shows_what_its_program_prints(root: Path) -> None:
    expect_clean(checked(root, PAGE))


def accepts_pieces_with_and_without_a_name(root: Path) -> None:
    expect_clean(written(root, PAGE))
    found = (root / "a.cpp").read_text()
    assert found == PROGRAM, found


def catches_another_output(root: Path) -> None:
    expect_caught(checked(root, PAGE.replace("[2. 4.]", "[2. 5.]")), "-[2. 5.]\n+[2. 4.]")


def catches_output_that_the_page_lacks(root: Path) -> None:
    expect_caught(checked(root, PAGE, PRINTED + "more\\n"), "+more")


def catches_a_program_that_fails(root: Path) -> None:
    expect_caught(checked(root, PAGE, then="exit 3"), "ends with status 3 and prints\n[2. 4.]")


def catches_a_block_without_an_end(root: Path) -> None:
    expect_caught(written(root, "```cpp\nint x;\n"), "a.md:1: this block has no end; close it with ```")
    expect_caught(written(root, "\n<!-- run f();\n"), "a.md:2: this block has no end; close it with -->")


def catches_a_page_without_a_program(root: Path) -> None:
    expect_caught(written(root, "# A page\n"), "has no block ```cpp")


def shown(root: Path, page: str, *files: tuple[str, str]) -> tuple[int, str]:
    planted.write(root, "docs/a.md", page)
    for name, text in files:
        planted.write(root, f"own/{name}", text)
    return planted.run(planted.ROOT / "tools/page_program", "--shows", root / "docs/a.md", root / "own")


WRONG = ("wrong.cpp", "// SPDX-License-Identifier: Apache-2.0\nArray one();\nArray two();\n")


def accepts_a_page_that_shows_all_files_of_a_folder(root: Path) -> None:
    expect_clean(shown(root, PAGE, WRONG))


def catches_a_page_that_shows_another_text(root: Path) -> None:
    expect_caught(shown(root, PAGE.replace("two()", "three()"), WRONG), "-Array two();\n+Array three();")


def catches_a_file_that_no_page_shows(root: Path) -> None:
    expect_caught(shown(root, PAGE, WRONG, ("more.hpp", "int x;\n")), "more.hpp\n")


def catches_a_page_that_shows_a_file_that_is_not_there(root: Path) -> None:
    expect_caught(shown(root, PAGE + "```cmake C.txt\nproject(x)\n```\n", WRONG), "+project(x)")


if __name__ == "__main__":
    planted.main()
