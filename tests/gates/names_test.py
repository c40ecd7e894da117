# SPDX-License-Identifier: Apache-2.0
"""Self tests of tools/public_names."""

from pathlib import Path

import planted
from planted import expect_caught, expect_clean

HEADER = """#include <vector>
namespace tutti {
struct Array {};
struct Operand { Operand(const Array&); Operand(float); };
inline constexpr int less = 1;
Array clamp(const Operand& x, const Operand& low, const Operand& high);
Array whole(const std::vector<Array>& parts, int dim = 0);
%s
}
"""


def checked(root: Path, more: str = "", listed: str = "clamp\nless\n", *options: str) -> tuple[int, str]:
    planted.write(root, "names.hpp", HEADER % more)
    planted.write(root, "names.txt", listed)
    return planted.run(planted.ROOT / "tools/public_names", *options, root / "names.hpp")


def accepts_names_that_stand_in_the_list(root: Path) -> None:
    expect_clean(checked(root))


def accepts_its_own_list(root: Path) -> None:
    expect_clean(checked(root, "", "", "--write"))
    assert (root / "names.txt").read_text() == "clamp\nless\n"


def catches_a_name_that_std_has_for_such_arguments(root: Path) -> None:
    expect_caught(checked(root, "int begin(const std::vector<Array>& parts);"),
                  "begin(const std::vector<Array> &): beside the standard headers it is not found without tutti::")


def catches_a_name_that_c_uses_for_another_thing(root: Path) -> None:
    expect_caught(checked(root, "struct timezone_of {}; inline constexpr int stdin_of = 1, daylight = 2;"),
                  "daylight: beside the standard headers it is not found without tutti::")


def catches_a_name_that_the_list_lacks(root: Path) -> None:
    expect_caught(checked(root, "", "clamp\n"), "less needs tutti:: beside `using namespace std`")


def catches_a_name_that_the_list_has_for_nothing(root: Path) -> None:
    expect_caught(checked(root, "", "clamp\nless\nwhole\n"), "whole needs no tutti:: beside `using namespace std`")


def catches_a_function_without_arguments_to_try(root: Path) -> None:
    expect_caught(checked(root, "template <class Odd> Array strange(const std::vector<Odd>& x);"),
                  "strange(const std::vector<Odd> &): no arguments are known for it")


def accepts_a_deleted_overload_that_says_what_to_write(root: Path) -> None:
    expect_clean(checked(root, "void whole(const char* text) = delete;"))


if __name__ == "__main__":
    planted.main()
