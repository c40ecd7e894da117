# SPDX-License-Identifier: Apache-2.0
"""Self tests of tools/numpy_page, on a small JAX and a small Tutti."""

import re
from pathlib import Path

import planted
from planted import expect_caught, expect_clean

TOOL = planted.ROOT / "tools/numpy_page"
MODULES = re.findall(r'"(jax\.[\w.]+)": "([\w./]+)"', TOOL.read_text())
HEADER = """namespace tutti {
Array abs(const Operand& x);
template <class F>
auto vmap(F f) {
  return hidden(f);
}
namespace inner {
Array tan(const Array& x);
}  // namespace inner
inline constexpr All all;
}  // namespace tutti
"""
FILE = """pending = "eye"
["jax.numpy"]
same = "abs all eye"
["jax.numpy".notes]
abs = "of a | b"
["jax.numpy".other]
vectorize = "vmap(f)"
["jax.numpy".composed]
negabs = "`-abs(x)` of x"
["jax.numpy".refused]
nonzero = "how many there are depends on the values | `abs(x)`"
["jax.numpy".aside]
pi = "a number"
"""
JAX = "from jax.a import (abs as abs, all as all, eye as eye, add_p as add_p)\nimport typing as _typing\n" \
      "try:\n  from jax.b import nonzero as nonzero, negabs as negabs\nexcept ImportError:\n  pass\n" \
      "from jax.c import vectorize as vectorize, pi as pi, other\n"


def result(root: Path, *options: str, file: str = FILE, jax: str = JAX, header: str = HEADER) -> tuple[int, str]:
    planted.write(root, "tutti/tutti.hpp", header)
    planted.write(root, "tools/numpy_page.toml",
                  file + "".join(f'["{module}"]\nsame = ""\n' for module, _ in MODULES if module != "jax.numpy"))
    for module, path in MODULES:
        planted.write(root, f".venv/lib/python3.11/site-packages/jax/{path}", jax if module == "jax.numpy" else "")
    if not (root / "docs/numpy.md").exists():
        planted.write(root, "docs/numpy.md", "# Names\n<!-- tools/numpy_page -->\n")
    return planted.run(TOOL, *options, root)


def accepts_a_page_that_it_made(root: Path) -> None:
    expect_clean(result(root))
    page = (root / "docs/numpy.md").read_text()
    for row in ("# Names\n", "| jax.numpy | 4 | 1 | 1 |", "| together | 4 | 1 | 1 |", "| `abs` | `abs` | of a \\| b |",
                "| `eye` | `eye` (not yet: eye) | |", "| `vectorize` | `vmap(f)` | |", "| `negabs` | composed | `-abs(x)` of x |",
                "| `nonzero` | refused | how many there are depends on the values. Instead: `abs(x)` |", "- `pi`: a number."):
        assert row in page, (row, page)
    expect_clean(result(root, "--check"))


def catches_a_page_with_other_tables(root: Path) -> None:
    expect_clean(result(root))
    page = root / "docs/numpy.md"
    page.write_text(page.read_text().replace("of a", "of b"))
    expect_caught(result(root, "--check"), "docs/numpy.md has other tables")


def catches_a_name_that_the_file_lacks(root: Path) -> None:
    expect_caught(result(root, jax=JAX + "from jax.d import sin as sin\n"), "jax.numpy.sin: JAX has it")


def catches_a_name_that_jax_lacks(root: Path) -> None:
    expect_caught(result(root, file=FILE.replace("abs all eye", "abs all eye vmap")), "jax.numpy.vmap: tools/numpy_page.toml has it")


def catches_a_name_that_is_judged_twice(root: Path) -> None:
    expect_caught(result(root, file=FILE.replace("pi =", "eye =")), "judged twice, or a note without a name in `same`: eye")


def catches_a_function_that_is_not_declared(root: Path) -> None:
    expect_caught(result(root, file=FILE.replace("-abs(x)", "tan(x)")), "jax.numpy.negabs: tan is not declared")
    expect_caught(result(root, file=FILE.replace("| `abs(x)`", "| `hidden(x)`")), "jax.numpy.nonzero: hidden is not declared")
    expect_caught(result(root, header=HEADER.replace("All all;", "All any;")), "jax.numpy.all: all is not declared")


def catches_a_pending_function_that_is_declared(root: Path) -> None:
    expect_caught(result(root, header=HEADER.replace("Array abs", "Array eye(int n);\nArray abs")), "eye is declared: take it off")


if __name__ == "__main__":
    planted.main()
