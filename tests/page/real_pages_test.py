#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Usage: real_pages_test.py --tool FILE [--example FILE ..] [--all] [NAMES OF TESTS]

Makes pages of examples, of ops, of a plan, of a program that runs and of one that is refused. Opens each in
Chromium and checks the document against its JSON, which Python counts for itself. It also checks the meaning
of numbers and states: a sum is the sum, equal devices show equal numbers. Planted defects must fail there.
--all takes all ops, not a dozen. Exits with 77 if there is no Chromium.
"""

import argparse
import itertools
import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import open_page
from page_test import rows_of

ARGUMENTS = {
    "digits": ["--steps", "3"],
    "transformer": ["--steps", "2", "--layers", "2"],
    "heat": ["--steps", "1", "--size", "16", "--time-steps", "5"],
    "experts": ["--steps", "2"],
    "poisson": ["--steps", "2", "--size", "8"],
    "gp": ["--steps", "2", "--points", "32"],
}
OPS = (
    "all_gather all_reduce all_to_all dot_general permute ragged_all_to_all "
    "reduce_scatter scan sin sort start switch"
).split()
PLAN = ["--mesh", "x=4,y=2", "--shape", "64x64", "--from", "P(x, y)", "--to", "P(y, x)"]
PROGRAM = """module @step {{
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<{0}xf32>) -> tensor<4xf32> {{
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<4xf32>
    %1 = stablehlo.add %0, %arg1 : tensor<4xf32>
    return %1 : tensor<4xf32>
  }}
}}
"""
OPENING = '<script type="application/json" id="data">'
ELSEWHERE = r"(src|href|url\()\s*=?\s*[\"']?\s*(http|//)"
# The drawings of the selected row: of its operands, then its own.
# A tile: its title, its lines of numbers, and the place of its rectangle.
TILES = """[...document.querySelectorAll('#mesh svg')].map(svg => [...svg.querySelectorAll('g')].map(g => [
  g.querySelector('title').textContent, [...g.querySelectorAll('.number')].map(n => n.textContent).join(' '),
  +g.querySelector('rect').getAttribute('x'), +g.querySelector('rect').getAttribute('y')]))"""
options = argparse.Namespace(tool=None, example=[], all=False)


def data_of(page: str) -> dict:
    return json.loads(page.split(OPENING)[1].split("</script>")[0])


def with_data(page: str, data: dict) -> str:
    """The page with other data."""
    head, rest = page.split(OPENING)
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return head + OPENING + text + rest[rest.index("</script>") :]


def numbers_in(text: str) -> list[float]:
    return [float(number) for number in re.sub(r"[\[\]]", " ", text).split()]


def bytes_of(value: list) -> int:
    dtype, dims = re.fullmatch(r"(\w+)\[([\d,]*)\].*", value[1]).groups()
    bits = re.search(r"\d+$", dtype)
    return math.prod(int(n) for n in dims.split(",") if n) * int(bits[0] if bits else 8) // 8


def shares(step: dict, part: dict, time: float) -> list[tuple[dict, float]]:
    """Things with a place, and what they have of the time of a step. docs/page_format.md says how it is shared."""
    rows = [part["rows"][n] for n in step.get("rows", []) if n < len(part["rows"])]
    owner = next((row for row in rows if "parts" in row), None)
    inside = [(each, owner["parts"][n % len(owner["parts"])] if owner else {"rows": []})
              for n, nested in enumerate(step.get("parts", [])) for each in nested["steps"]]
    timed = any(each.get("took") for each, _ in inside)
    times = [max(each.get("took", [0]) if timed else each["about"]) for each, _ in inside]
    if sum(times) > 0:
        return [share for (each, own), own_time in zip(inside, times, strict=True)
                for share in shares(each, own, time * own_time / sum(times))]
    values = {value[0]: value for value in part.get("inputs", [])}
    values |= {value[0]: value for row in part["rows"] for value in row.get("results", [])}
    rows = [row for row in rows if "at" in row]
    touched = [sum(bytes_of(values[n]) for n in set(row.get("operands", [])))
               + sum(bytes_of(value) for value in row.get("results", [])) for row in rows]
    whole = sum(touched)
    return ([(row, time * (n / whole if whole else 1 / len(rows))) for row, n in zip(rows, touched, strict=True)]
            or [(step, time)])


def costly_lines(data: dict) -> dict[str, tuple[int, float]]:
    """Per line, as FILE:LINE, the bytes that its rows send and the time of its ops, where there are some.
    A row with parts has their bytes."""
    alone = [row for _, row in rows_of(data["program"]) if "parts" not in row]
    costs = [(row, row.get("traffic", {}).get("sent", 0), 0) for row in alone]
    for step in data["outcome"].get("steps", []):
        whole = max(step.get("took") or step["about"])
        costs += [(own, 0, time) for own, time in shares(step, data["program"], whole)]
    found = {}
    for own, sent, time in costs:
        if "at" in own and (sent > 0 or time > 0):
            line = f"{own['at'][0]}:{own['at'][1]}"
            found[line] = tuple(a + b for a, b in zip(found.get(line, (0, 0)), (sent, time), strict=True))
    return found


def nanoseconds(text: str) -> float:
    number, unit = text.split() if text else ("0", "ns")
    return float(number) * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[unit]


class RealPagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.browser = cls.enterClassContext(open_page.Browser())

    def made(self, *command: object, status: int = 0) -> Path:
        """The page that a command writes."""
        file = self.folder / "page.html"
        file.unlink(missing_ok=True)
        ended = subprocess.run([*command, "--page", file], capture_output=True, text=True, timeout=120)
        self.assertEqual(ended.returncode, status, ended.stderr)
        self.assertTrue(file.exists(), ended.stdout)
        return file

    def open(self, file: Path, **look: object) -> open_page.Page:
        page = self.browser.open(file, **look)
        self.addCleanup(page.close)
        return page

    def check(self, file: Path) -> None:
        """The document has what the data say, is not wider than its window, and leaves the console empty."""
        text = file.read_text()
        data, page = data_of(text), self.browser.open(file)
        rows, facts = rows_of(data["program"]), page.facts()
        self.assertEqual(facts["rows"], len(rows))
        self.assertEqual(facts["cells"], [letters for letters, _ in rows])
        starred = sum("traffic" in row for _, row in rows)
        self.assertEqual(facts["collectives"], starred)
        self.assertEqual(page.run("document.querySelectorAll('#list .row.c[data-row]').length"), starred)
        steps = data.get("outcome", {}).get("steps", [])
        self.assertEqual(facts["steps"], len(steps))
        costly = page.run("[...document.querySelectorAll('#source tr[data-at]')].map(row => [row.dataset.at, "
                          "row.cells.length > 3 ? row.cells[2].textContent : ''])")
        expected = costly_lines(data)
        self.assertEqual({line for line, _ in costly}, set(expected))
        for line, told in costly:
            self.assertAlmostEqual(nanoseconds(told), expected[line][1], delta=1 + 0.01 * expected[line][1])
        self.check_arena(page, data)
        self.assertNotRegex(text.split(OPENING)[0] + text.split("</script>", 1)[1], ELSEWHERE)
        for key in ("j", "n", "Enter", "k"):
            page.press(key)
        for width in (1280, 400):
            page.resize(width)
            facts = page.facts()
            self.assertLessEqual(facts["scroll_width"], facts["inner_width"])
        self.assertEqual(facts["console"], [])
        page.close()

    def check_arena(self, page: open_page.Page, data: dict) -> None:
        """Each box of the arena selects the row that makes its value."""
        # A browser takes no more than 200 new addresses in some seconds.
        for n, buffer in enumerate(data.get("outcome", {}).get("buffers", [])[:100]):
            if "row" not in buffer:
                continue
            page.run(f"document.querySelectorAll('.arena .box')[{n}].click()")
            row = data["program"]["rows"][buffer["row"]]
            name = f"%{row['results'][buffer.get('result', 0)][0]} = "
            shown = page.run("document.querySelector('.row.on code').textContent.trim()")
            self.assertTrue(shown.startswith(name), (shown, buffer))
            self.assertTrue(buffer["value"].startswith(row["op"] + " "), (buffer, row))
            if buffer["kind"] == "arena":  # its first step makes it
                self.assertIn(buffer["row"], data["outcome"]["steps"][buffer["first"]]["rows"], buffer)

    def check_sum(self, file: Path) -> None:
        """The numbers of an all_reduce are the sums of its operand's over the devices of a group."""
        data, page = data_of(file.read_text()), self.open(file)
        row = next(row for _, row in rows_of(data["program"]) if row.get("op") == "all_reduce")
        operand, result = (
            {
                tuple(sorted(re.findall(r"(\w+)=(\d+)", title.split("\n")[0]))): numbers_in(text)
                for title, text, _, _ in drawing
            }
            for drawing in page.run(TILES)[:2]
        )
        self.assertEqual(len(operand), 8)
        self.assertEqual(operand.keys(), result.keys())
        summed = row["traffic"]["axes"]
        groups = {}
        for place, numbers in operand.items():
            groups.setdefault(tuple(each for each in place if each[0] not in summed), []).append(numbers)
        for place, numbers in result.items():
            group = groups[tuple(each for each in place if each[0] not in summed)]
            self.assertEqual(len(group), 2)
            self.assertEqual(numbers, [sum(terms) for terms in zip(*group, strict=True)])

    def check_states(self, file: Path) -> None:
        """Tiles along an axis of state I or R show equal numbers, and lie where their coordinates say."""
        page = self.open(file)
        letters = page.run(
            "[...document.querySelectorAll('.row.from, .row.on')].map(row => "
            "[...row.querySelectorAll('.s')].map(cell => cell.textContent).join(''))"
        )
        axes = [name for name, _ in data_of(file.read_text())["mesh"]]
        drawings = page.run(TILES)
        self.assertGreater(len(drawings), 0)
        for states, drawing in zip(letters, drawings):
            tiles = [re.findall(r"=(\d+)", title.split("\n")[0]) for title, *_ in drawing]
            for (here, one), (there, other) in itertools.combinations(zip(tiles, drawing, strict=True), 2):
                apart = [k for k in range(len(axes)) if here[k] != there[k]]
                if all(states[k] in "IR" for k in apart):
                    self.assertEqual(one[1], other[1])
                if apart == [len(axes) - 1]:
                    self.assertLess(one[2], other[2])
                    self.assertEqual(one[3], other[3])

    def test_pages_of_examples(self) -> None:
        for program in options.example:
            with self.subTest(program.name):
                self.check(self.made(program, *ARGUMENTS[program.name]))

    def test_pages_of_ops(self) -> None:
        ops = OPS
        if options.all:
            listed = subprocess.run([options.tool, "rules", "--json"], capture_output=True, check=True).stdout
            ops = [each["op"] for each in json.loads(listed)]
        for op in ops:
            with self.subTest(op):
                file = self.made(options.tool, "explain", op)
                self.check(file)
                self.check_states(file)

    def test_a_page_of_a_plan(self) -> None:
        self.check(self.made(options.tool, "plan", *PLAN))

    def test_a_page_of_a_program_that_runs(self) -> None:
        text = self.folder / "step.mlir"
        text.write_text(PROGRAM.format(4))
        self.check(self.made(options.tool, "run", text, "--random"))

    def test_a_page_of_a_program_that_is_refused(self) -> None:
        text = self.folder / "step.mlir"
        text.write_text(PROGRAM.format(3))
        file = self.made(options.tool, "run", text, "--random", status=3)
        self.check(file)
        box = self.open(file).run("document.getElementById('refusal').innerText")
        for part in ("S001", "step.mlir:4:28", "%1 = stablehlo.add %0, %arg1"):
            self.assertIn(part, box)

    def test_the_sum_of_an_all_reduce(self) -> None:
        self.check_sum(self.made(options.tool, "explain", "all_reduce"))

    def test_planted_defects_are_caught(self) -> None:
        file = self.made(options.tool, "explain", "all_reduce")
        text = file.read_text()

        def reversed_mesh(data: dict) -> None:
            data["mesh"].reverse()

        def numbers_of_operand(data: dict) -> None:
            data["program"]["rows"][0]["numbers"] = data["program"]["numbers"]

        def states_of_another_row(data: dict) -> None:
            data["program"]["inputs"][0][2] = data["program"]["rows"][0]["results"][0][2]

        def one_device_for_another(data: dict) -> None:
            data["program"]["numbers"][0].reverse()
            data["program"]["numbers"][0][0] = data["program"]["numbers"][0][7]

        for plant, check in (
            (reversed_mesh, self.check_sum),
            (numbers_of_operand, self.check_sum),
            (states_of_another_row, self.check_states),
            (one_device_for_another, self.check_sum),
            (one_device_for_another, self.check_states),
        ):
            with self.subTest(f"{plant.__name__}, {check.__name__}"):
                data = data_of(text)
                plant(data)
                file.write_text(with_data(text, data))
                with self.assertRaises(AssertionError):
                    check(file)
                file.write_text(with_data(text, data_of(text)))
                check(file)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", type=Path, required=True)
    parser.add_argument("--example", type=Path, nargs="*", default=[])
    parser.add_argument("--all", action="store_true")
    _, rest = parser.parse_known_args(namespace=options)
    if shutil.which(open_page.BROWSER) is None:
        print(f"skipped: {open_page.BROWSER} is not installed", file=sys.stderr)
        sys.exit(open_page.MISSING)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
