# SPDX-License-Identifier: Apache-2.0
"""Self tests of tools/versions, on a copy of the files that name the version."""

import re
from pathlib import Path

import planted
from planted import expect_caught, expect_clean


def checked(root: Path, file: str, pattern: str, after: str) -> tuple[int, str]:
    """Checks a copy, in which the first match of the pattern in a file is `after`."""
    for name in ("tutti/version.hpp", "CITATION.cff", "CHANGELOG.md", "README.md", "docs/install.md", "tests/install/CMakeLists.txt"):
        planted.write(root, name, (planted.ROOT / name).read_text())
    text, count = re.subn(pattern, after, (root / file).read_text(), count=1, flags=re.MULTILINE)
    assert count == 1, f"{file} has no '{pattern}'"
    (root / file).write_text(text)
    return planted.run(planted.ROOT / "tools/versions", root)


def accepts_the_files_as_they_are(root: Path) -> None:
    expect_clean(checked(root, "README.md", "^", ""))


def catches_a_citation_of_another_version(root: Path) -> None:
    expect_caught(checked(root, "CITATION.cff", "^version: .*", "version: 9.8.7"), "CITATION.cff: 9.8.7, where tutti/version.hpp says")


def catches_a_text_that_is_not_the_numbers(root: Path) -> None:
    expect_caught(checked(root, "tutti/version.hpp", r"version_patch = \d+", "version_patch = 77"), "tutti/version.hpp: ")


def catches_a_citation_without_a_version(root: Path) -> None:
    expect_caught(checked(root, "CITATION.cff", "^version: .*", ""), "CITATION.cff: no version")


if __name__ == "__main__":
    planted.main()
