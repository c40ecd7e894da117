# SPDX-License-Identifier: Apache-2.0
"""Self tests of tools/third_party, on a copy of the files that it reads."""

import shutil
from pathlib import Path

import planted
from planted import expect_caught, expect_clean

COPIED = ("CMakeLists.txt", "cmake", "docs/third_party.md", "tools/setup", "tools/arm", "tools/distribution", "tools/triton",
          "tools/soak", "tools/wheel", "tools/requirements.txt", "tools/sources.txt")


def checked(root: Path, file: str, before: str, after: str) -> tuple[int, str]:
    """Checks a copy, in which the first `before` of a file is `after`."""
    for name in COPIED:
        source, target = planted.ROOT / name, root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    for file_of_cmake in (*planted.ROOT.glob("*/CMakeLists.txt"), *planted.ROOT.glob("tests/*/CMakeLists.txt")):
        planted.write(root, str(file_of_cmake.relative_to(planted.ROOT)), file_of_cmake.read_text())
    text = (root / file).read_text()
    assert before in text, f"{file} has no '{before}'"
    (root / file).write_text(text.replace(before, after, 1))
    return planted.run(planted.ROOT / "tools/third_party", root)


def accepts_the_page_as_it_is(root: Path) -> None:
    expect_clean(checked(root, "tools/setup", "", ""))


def catches_a_package_of_the_set_up_without_a_row(root: Path) -> None:
    expect_caught(checked(root, "tools/setup", "valgrind", "valgrind heaptrack"), "heaptrack is used, and has no row")


def catches_a_python_package_without_a_row(root: Path) -> None:
    expect_caught(checked(root, "tools/requirements.txt", "jax==", "flax==1.0 \\\njax=="), "flax is used, and has no row")


def catches_sources_of_another_version(root: Path) -> None:
    expect_caught(checked(root, "tools/sources.txt", "ducc0==0.42.0", "ducc0==0.41.0"),
                  "ducc0 is 0.41.0, and the row of ducc says PyPI 0.42.0")


def catches_an_old_version_of_a_tool_of_the_wheel(root: Path) -> None:
    expect_caught(checked(root, "tools/wheel", "auditwheel==", "auditwheel==9"), "auditwheel is 9")


def catches_a_library_of_cmake_without_a_row(root: Path) -> None:
    expect_caught(checked(root, "CMakeLists.txt", "find_package(CLI11", "find_package(Eigen3)\n  find_package(CLI11"),
                  "Eigen3 is used, and has no row")


def catches_a_row_of_nothing(root: Path) -> None:
    expect_caught(checked(root, "tools/setup", "valgrind", ""), "valgrind has a row, and nothing installs or looks for it")


def catches_an_old_version(root: Path) -> None:
    expect_caught(checked(root, "docs/third_party.md", "PyPI 0.10.2", "PyPI 0.9.0"), "jax is 0.10.2, and the row of JAX says PyPI 0.9.0")


def catches_code_without_a_notice(root: Path) -> None:
    expect_caught(checked(root, "cmake/copyright", "Comment: Asio", "Comment: Boost"), "Asio is compiled into our binaries, and has no notice")


def catches_a_notice_without_a_row(root: Path) -> None:
    expect_caught(checked(root, "cmake/copyright", "Comment: Asio", "Comment: Boost"), "Boost has a notice in cmake/copyright")


def catches_a_row_without_a_licence(root: Path) -> None:
    expect_caught(checked(root, "docs/third_party.md", "| Zlib |", "| |"), "zlib has an empty cell")


if __name__ == "__main__":
    planted.main()
