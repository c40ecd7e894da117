# SPDX-License-Identifier: Apache-2.0
"""Self tests of the checks of tools/install_check that need no build."""

import json
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import planted
from planted import expect_caught, expect_clean

sys.dont_write_bytecode = True
loader = SourceFileLoader("install_check", str(planted.ROOT / "tools/install_check"))
tool = module_from_spec(spec_from_loader("install_check", loader))
loader.exec_module(tool)


def outcome(check, *arguments: object) -> tuple[int, str]:
    try:
        check(*arguments)
    except SystemExit as refusal:
        return 1, str(refusal.code)
    return 0, ""


def flags(root: Path, leaked: str) -> tuple[int, str]:
    command = f"ccache g++ -DFMT_SHARED {leaked} -isystem /p/include {tool.WARNINGS} -O3 -std=gnu++20 -o a.o -c a.cpp"
    planted.write(root, "compile_commands.json", json.dumps([{"file": "/u/hello.cpp", "command": command}]))
    return outcome(tool.check_flags, root, Path("/p/include"))


def catches_a_warning_flag_that_the_user_has_as_well(root: Path) -> None:
    expect_caught(flags(root, "-Werror"), "compiled with ['-Werror']")


def catches_a_flag_of_ours(root: Path) -> None:
    expect_caught(flags(root, "-ffp-contract=off"), "compiled with ['-ffp-contract=off']")


def catches_an_include_folder_of_a_private_library(root: Path) -> None:
    expect_caught(flags(root, "-I/p/hwy/include"), "compiled with ['-I/p/hwy/include']")
    expect_caught(flags(root, "-isystem /p/hwy/include"), "compiled with ['/p/hwy/include']")


def accepts_the_flags_of_the_user(root: Path) -> None:
    expect_clean(flags(root, "-I/p/include -pthread"))


def paths(root: Path, line: str) -> tuple[int, str]:
    planted.write(root, "lib/cmake/tutti/tuttiConfig.cmake", line)
    return outcome(tool.check_paths, root, Path("/src/tutti"), Path("/src/tutti/build/x"))


def catches_a_folder_of_the_build_in_a_package_file(root: Path) -> None:
    expect_caught(paths(root, 'set(a "/src/tutti/build/x/libtutti.a")\n'), "Config.cmake names the folder /src/tutti")


def catches_a_copy_without_package_files(root: Path) -> None:
    expect_caught(outcome(tool.check_paths, root), "has no package files")


def accepts_relative_folders_in_package_files(root: Path) -> None:
    expect_clean(paths(root, 'set(a "${CMAKE_CURRENT_LIST_DIR}/../src/tutti-x" /src/tutti-other)\n'))


def headers(root: Path, *more: str) -> tuple[int, str]:
    for file in (*tool.PUBLIC_HEADERS, *more):
        planted.write(root, file, "")
    return outcome(tool.check_headers, root)


def catches_a_public_header_that_is_missing(root: Path) -> None:
    headers(root)
    (root / "tutti/op.hpp").unlink()
    expect_caught(outcome(tool.check_headers, root), "tutti/op.hpp is not installed")


def catches_headers_that_are_too_many(root: Path) -> None:
    expect_clean(headers(root))
    more = [f"tutti/run/{i}.hpp" for i in range(tool.MOST_HEADERS + 1 - len(tool.PUBLIC_HEADERS))]
    expect_clean(headers(root, *more[1:]))
    expect_caught(headers(root, *more), f"{tool.MOST_HEADERS + 1} headers are installed")


def readme(root: Path, old: str, new: str) -> tuple[int, str]:
    text = (planted.ROOT / "README.md").read_text()
    assert old in text
    planted.write(root, "README.md", text.replace(old, new))
    return outcome(tool.check_readme, root / "README.md")


def catches_a_readme_with_another_program(root: Path) -> None:
    expect_caught(readme(root, "2.f, 4.f", "2.f, 3.f"), "another text than tests/install/hello.cpp")


def catches_a_readme_with_another_output(root: Path) -> None:
    expect_caught(readme(root, "[0.222222", "[0.222223"), "another text than tests/install/hello.out")


def catches_a_readme_without_code(root: Path) -> None:
    expect_caught(readme(root, "```", "~~~"), "less than two blocks of code")


def accepts_our_readme(root: Path) -> None:
    expect_clean(readme(root, "# Tutti", "# tutti"))


def laws(root: Path, included: str) -> tuple[int, str]:
    planted.write(root, "include/tutti/ir/op.hpp", "")
    planted.write(root, "lib/cmake/tutti/laws.cmake", "")
    planted.write(root, "lib/cmake/tutti/tests/laws/law.hpp", f'#include "tutti/ir/op.hpp"\n#include "{included}"\n')
    return outcome(tool.check_laws, root)


def accepts_laws_that_include_what_is_installed(root: Path) -> None:
    expect_clean(laws(root, "tests/laws/law.hpp"))


def catches_a_law_that_includes_what_is_not_installed(root: Path) -> None:
    expect_caught(laws(root, "tests/support/oracle.hpp"), "tests/laws/law.hpp includes tests/support/oracle.hpp")


if __name__ == "__main__":
    planted.main()
