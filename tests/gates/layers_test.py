# SPDX-License-Identifier: Apache-2.0
"""Self tests of tools/check_layers."""

from pathlib import Path

import planted
from planted import expect_caught, expect_clean

LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"


def tree(root: Path, files: dict[str, str]) -> tuple[int, str]:
    """Writes the files, includes given by name, and checks them."""
    for file, text in files.items():
        planted.write(root, file, LICENCE + text)
    return planted.run(planted.ROOT / "tools/check_layers", root)


def catches_an_include_to_the_right(root: Path) -> None:
    files = {"tutti/types/a.hpp": '#include "tutti/ops/b.hpp"\n', "tutti/ops/b.hpp": ""}
    expect_caught(tree(root, files), "tutti/types/a.hpp:2: types/ may not include ops/")


def catches_neighbours_of_one_layer(root: Path) -> None:
    files = {"tutti/plan/a.cpp": '#include "tutti/lower/b.hpp"\n', "tutti/lower/b.hpp": ""}
    expect_caught(tree(root, files), "plan/ may not include lower/")


def catches_stablehlo_that_sees_tensor(root: Path) -> None:
    files = {"tutti/stablehlo/a.hpp": '#  include "tutti/tensor/b.hpp"\n', "tutti/tensor/b.hpp": ""}
    expect_caught(tree(root, files), "stablehlo/ may not include tensor/")


def catches_the_umbrella_inside(root: Path) -> None:
    files = {"tutti/run/a.cpp": '#include "tutti/tutti.hpp"\n', "tutti/tutti.hpp": ""}
    expect_caught(tree(root, files), "tutti/run/a.cpp:2: tutti/tutti.hpp is for users")


def accepts_a_users_project_that_includes_its_own_files(root: Path) -> None:
    expect_clean(tree(root, {"tests/install/own/a.cpp": '#include "b.hpp"\n', "tests/install/own/b.hpp": ""}))


def catches_a_test_that_includes_by_a_path_of_its_own(root: Path) -> None:
    files = {"tests/ops/a.cpp": '#include "b.hpp"\n', "tests/ops/b.hpp": ""}
    expect_caught(tree(root, files), '"b.hpp" is not a file of the repository')


def catches_a_library_that_includes_tests(root: Path) -> None:
    files = {"tutti/run/a.cpp": '#include "tests/support/b.hpp"\n', "tests/support/b.hpp": ""}
    expect_caught(tree(root, files), "outside of it")


def catches_an_include_by_another_path(root: Path) -> None:
    files = {"tutti/ops/a.cpp": '#include "b.hpp"\n', "tutti/ops/b.hpp": ""}
    expect_caught(tree(root, files), '"b.hpp" is not a file of the repository')


def catches_headers_in_a_circle(root: Path) -> None:
    files = {"tutti/ops/a.hpp": '#include "tutti/ops/b.hpp"\n', "tutti/ops/b.hpp": '#include "tutti/ops/a.hpp"\n'}
    expect_caught(tree(root, files), "circle: tutti/ops/a.hpp -> tutti/ops/b.hpp -> tutti/ops/a.hpp")


def catches_two_types_of_one_name(root: Path) -> None:
    files = {"tutti/ops/a.hpp": "namespace tutti {\nstruct Side {\n};\n}  // namespace tutti\n",
             "tutti/run/b.hpp": "namespace tutti {\nenum class Side : int { left };\n}  // namespace tutti\n"}
    expect_caught(tree(root, files), "tutti/run/b.hpp: tutti::Side is also a type of tutti/ops/a.hpp")


def accepts_types_of_other_namespaces_declarations_and_specialisations(root: Path) -> None:
    files = {"tutti/ops/a.hpp": "namespace tutti {\nstruct Side {};\ntemplate <class T>\nstruct Of {};\n}  // namespace tutti\n",
             "tutti/run/b.hpp": "namespace tutti {\nstruct Side;\ntemplate <>\nstruct Of<int> {};\n}  // namespace tutti\n"
                                "namespace tutti::ops {\nstruct Side {};\n}  // namespace tutti::ops\n"}
    expect_clean(tree(root, files))


def catches_inside_in_headers_for_users(root: Path) -> None:
    files = {"tutti/tutti.hpp": '#include "tutti/ops/a.hpp"\n', "tutti/base/inside.hpp": "",
             "tutti/ops/a.hpp": '#include "tutti/base/inside.hpp"\n'}
    expect_caught(tree(root, files), "tutti/tutti.hpp reaches tutti/base/inside.hpp")


def catches_inside_in_the_header_of_machines_of_several_processes(root: Path) -> None:
    files = {"tutti/mpi/open_mpi.hpp": '#include "tutti/mpi/a.hpp"\n', "tutti/base/inside.hpp": "",
             "tutti/mpi/a.hpp": '#include "tutti/base/inside.hpp"\n'}
    expect_caught(tree(root, files), "tutti/mpi/open_mpi.hpp reaches tutti/base/inside.hpp")


def catches_fmt_in_headers_for_users(root: Path) -> None:
    files = {"tutti/op.hpp": '#include "tutti/ops/a.hpp"\n', "tutti/ops/a.hpp": "#include <fmt/core.h>\n"}
    expect_caught(tree(root, files), "tutti/ops/a.hpp: tutti/op.hpp reaches it")


def catches_a_folder_without_a_place(root: Path) -> None:
    expect_caught(tree(root, {"tutti/utils/a.hpp": ""}), "folder utils has no place")


def catches_an_include_of_a_later_room(root: Path) -> None:
    files = {"tutti/run/graph/a.hpp": '#include "tutti/run/plan/b.hpp"\n', "tutti/run/plan/b.hpp": ""}
    expect_caught(tree(root, files), "tutti/run/graph/ may not include tutti/run/plan/")


def catches_an_include_of_the_floor_by_a_room(root: Path) -> None:
    files = {"tutti/run/watch/a.hpp": '#include "tutti/run/b.hpp"\n', "tutti/run/b.hpp": ""}
    expect_caught(tree(root, files), "tutti/run/watch/ may not include tutti/run/")


def catches_a_room_without_a_place(root: Path) -> None:
    expect_caught(tree(root, {"tutti/run/attic/a.hpp": ""}), "room attic has no place")


def catches_a_crowded_room(root: Path) -> None:
    files = {f"tutti/tensor/loops/simd/a{i}.cpp": "" for i in range(17)}
    expect_caught(tree(root, files), "tutti/tensor/loops/simd: 17 sources")


def catches_a_missing_licence(root: Path) -> None:
    planted.write(root, "tutti/ops/a.hpp", "#pragma once\n")
    expect_caught(tree(root, {}), "tutti/ops/a.hpp:1: the line 'SPDX-License-Identifier")


def catches_a_script_without_licence(root: Path) -> None:
    planted.write(root, "tools/a", "#!/bin/sh\n")
    expect_caught(tree(root, {}), "tools/a:1: the line")


def catches_a_path_of_a_machine(root: Path) -> None:
    home = "/".join(["", "home", "me", "x.npy"])
    expect_caught(tree(root, {"tests/run/a_test.cpp": f'load("{home}");\n'}), "tests/run/a_test.cpp:2: absolute path")


WIDE = "// " + "wide " * 30 + "\n"
RIDDLE = "// What stands here must be read twice.\n"


def catches_a_wide_line(root: Path) -> None:
    expect_caught(tree(root, {"bench/a.cpp": WIDE}), "bench: 1 wide lines where 0 are allowed")


def catches_one_riddle_more_than_the_ceiling(root: Path) -> None:
    planted.write(root, "tools/ceilings.txt", "# comment\ntests/ops 1 0\n")
    expect_clean(tree(root, {"tests/ops/a.cpp": RIDDLE}))
    expect_caught(tree(root, {"tests/ops/b.cpp": RIDDLE}), "tests/ops: 2 riddles where 1 are allowed")


def catches_a_ceiling_that_did_not_fall(root: Path) -> None:
    planted.write(root, "tools/ceilings.txt", "tests/ops 2 1\ntutti/ops 0 1\n")
    expect_caught(tree(root, {"tests/ops/a.cpp": RIDDLE}), "tests/ops: 1 riddles, no longer 2")
    expect_clean(planted.run(planted.ROOT / "tools/check_layers", root, "--lower"))
    expect_caught(tree(root, {"tutti/ops/b.cpp": WIDE}), "tutti/ops: 1 wide lines where 0 are allowed")


def catches_a_riddle_that_lower_would_allow(root: Path) -> None:
    planted.write(root, "tools/ceilings.txt", "tests/ops 1 0\n")
    tree(root, {"tests/ops/a.cpp": RIDDLE + RIDDLE})
    expect_caught(planted.run(planted.ROOT / "tools/check_layers", root, "--lower"), "2 riddles where 1 are allowed")


def accepts_what_is_allowed(root: Path) -> None:
    files = {
        "tutti/types/a.hpp": "#include <vector>\n",
        "tutti/ops/b.hpp": '#include "tutti/types/a.hpp"\n#include "tutti/ops/c.hpp"\n',
        "tutti/ops/b.cpp": '#include "tutti/ops/b.hpp"\n',
        "tutti/ops/c.hpp": "// a/home/x and ../work/y are no machine's paths\n",
        "tutti/ops/c.cpp": '#include "tutti/ops/b.hpp"\n#include "tutti/ops/c.hpp"\n',
        "tutti/run/graph/d.hpp": "",
        "tutti/run/plan/d.cpp": '#include "tutti/run/graph/d.hpp"\n',
        "tutti/run/d.cpp": '#include "tutti/run/graph/d.hpp"\n',
        "tutti/tutti.hpp": '#include "tutti/ops/b.hpp"\n',
        "examples/d.cpp": '#include "tutti/tutti.hpp"\n',
    }
    expect_clean(tree(root, files))


if __name__ == "__main__":
    planted.main()
