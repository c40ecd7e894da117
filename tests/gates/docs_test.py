# SPDX-License-Identifier: Apache-2.0
"""Self tests of tools/docs."""

import importlib.machinery
import importlib.util
import shutil
import sys
from pathlib import Path

import planted
from planted import expect_caught, expect_clean

PAGE = "# Tutti\n\nIt has [a guide](docs/guide.md#part-two) and *all* of `a_b <c> | d`.\n"
GUIDE = "# A guide\n\nSee [part two](#part-two), and 2 < 3 @ 4.\n\n## Part two\n\n[back](../README.md)\n"
HEADER = "#pragma once\nnamespace tutti {\n%s\n}\n"
ODD = "/// x: [.., d, ..] -> [.., n*d, ..], %0 and a*b*c, <x>, #1, @a, _b_, c:\\d, \"e\\n\", `f(*)`, file:line, 1 -- 2."


def project(root: Path, header: str, page: str = PAGE, files: dict[str, str] | None = None) -> None:
    planted.write(root, "README.md", page)
    planted.write(root, "docs/guide.md", GUIDE)
    planted.write(root, "tutti/version.hpp", '// const char* version_text = "1.2.3";\n')
    planted.write(root, "tutti/tutti.hpp", '#include "tutti/run/some.hpp"\n#include "tutti/odd/odd.hpp"\n')
    planted.write(root, "tutti/run/some.hpp", HEADER % header)
    for file, text in (files or {}).items():
        planted.write(root, file, text)


def checked(root: Path, header: str, *options: str, **more) -> tuple[int, str]:
    project(root, header, **more)
    return planted.run(planted.ROOT / "tools/docs", root, *(options or ["--check"]))


def accepts_functions_that_share_a_block(root: Path) -> None:
    expect_clean(checked(root, "/// The larger, the smaller.\nint most(int a);\nint least(int a);\nint least(int a, int b);"))


def accepts_what_needs_no_block(root: Path) -> None:
    expect_clean(checked(root, "/// A box.\nclass Box {\n public:\n  explicit Box(int size) : size_{size} {}\n"
                               "  Box(const Box&) = default;\n  bool operator==(const Box&) const = default;\n"
                               "  int size() const;  // in bytes\n\n private:\n  int hidden();\n  int size_;\n};\n"
                               "void f(Box&&) = delete;\nstruct Lid {  // of a box\n  int size = 0;\n};\nnamespace internal {\nint ours();\n}\n"))


def catches_a_function_without_a_block(root: Path) -> None:
    expect_caught(checked(root, "/// The larger.\nint most(int a);\n\nint least(int a);"),
                  "tutti/run/some.hpp:6: tutti::least has no block, and shares none")


def catches_a_member_that_the_block_above_does_not_name(root: Path) -> None:
    header = "/// A box.\nstruct Box {\n  /// Its size; elements() is another.\n  int size();\n  int elements();\n  int bytes();\n};"
    status, output = checked(root, header)
    expect_caught((status, output), "tutti::Box::bytes has no block")
    assert "tutti::Box::elements" not in output, output


def catches_a_class_and_an_enum_without_a_block(root: Path) -> None:
    result = checked(root, "template <class T>\n  requires(sizeof(T) > 1)\nstruct Box {};\nenum class Side { left, right };")
    expect_caught(result, "tutti::Box has no block")
    expect_caught(result, "tutti::Side has no block")


def accepts_as_many_as_the_ceiling_allows(root: Path) -> None:
    expect_clean(checked(root, "int most(int a);", files={"tools/reference/ceilings.txt": "tutti/run 1\n"}))


def catches_a_ceiling_that_is_too_high(root: Path) -> None:
    expect_caught(checked(root, "/// The larger.\nint most(int a);", files={"tools/reference/ceilings.txt": "tutti/run 1\n"}),
                  "tutti/run: 0 names without a block, no longer 1: run tools/docs --lower")


def catches_a_name_without_a_topic(root: Path) -> None:
    expect_caught(checked(root, "", files={"tutti/odd/odd.hpp": HEADER % "/// The larger.\nint most(int a);"}),
                  "tutti::most has no topic in tools/reference/topics.toml")


EXAMPLE = "/// The larger.\n/// Example:\n///     int three = most(1, 3);  // it is\nint most(int a, int b);"


def accepts_an_example_that_is_a_line_of_a_test(root: Path) -> None:
    expect_clean(checked(root, EXAMPLE, files={"tests/run/a_test.cpp": "    int three =  most(1, 3);  // it is\n"}))


def catches_an_example_that_no_test_has(root: Path) -> None:
    expect_caught(checked(root, EXAMPLE, files={"tests/run/a_test.cpp": "int three = most(1, 2);\n"}),
                  "no test has this line of the example of most: int three = most(1, 3);")


def catches_an_example_of_a_page_that_is_not_compiled(root: Path) -> None:
    files = {"docs/other.md": "int three = most(1, 3);  // it is\n", "tests/pages/CMakeLists.txt": "set(pages guide)\n"}
    expect_caught(checked(root, EXAMPLE, files=files), "no test has this line of the example of most")


def catches_a_link_that_leads_nowhere(root: Path) -> None:
    expect_caught(checked(root, "", page="# Tutti\n\n[a guide](docs/guide.md#part-three)\n"),
                  "README.md:3: the link to docs/guide.md#part-three leads nowhere")


def has_doxygen() -> bool:
    if shutil.which("doxygen") and Path("/usr/share/doxygen-awesome-css").is_dir():
        return True
    print("doxygen and doxygen-awesome-css are not installed: nothing is tried")
    return False


def accepts_odd_letters_and_shows_them(root: Path) -> None:
    if not has_doxygen():
        return
    expect_clean(checked(root, ODD + "\nint most(int a);", "--if-installed"))
    assert "url=1.2.3/index.html" in (root / "build/docs/index.html").read_text()
    main, guide = ((root / "build/docs/1.2.3" / name).read_text() for name in ("index.html", "page_guide.html"))
    assert 'href="page_guide.html#page_guide_part_two"' in main and "a_b &lt;c&gt; | d" in main and "<em>all</em>" in main, main
    assert 'href="#page_guide_part_two"' in guide or 'href="page_guide.html#page_guide_part_two"' in guide, guide
    assert "2 &lt; 3 @ 4" in guide, guide


def catches_a_block_that_comes_out_otherwise(root: Path) -> None:
    if not has_doxygen():
        return
    project(root, "/// The larger one.\nint most(int a);")
    tools = str(planted.ROOT / "tools")
    sys.path.insert(0, tools)
    loader = importlib.machinery.SourceFileLoader("docs", f"{tools}/docs")
    docs = importlib.util.module_from_spec(importlib.util.spec_from_loader("docs", loader))
    loader.exec_module(docs)
    reference = docs.Reference(root)
    assert docs.make(reference) == []
    for file in (root / "build/docs/1.2.3").glob("*.html"):
        file.write_text(file.read_text().replace("The larger one.", "The larger"))
    problems = docs.written_otherwise(reference, root / "build/docs/1.2.3")
    assert len(problems) == 1 and "comes out otherwise than it is written: The larger one." in problems[0], problems


if __name__ == "__main__":
    planted.main()
