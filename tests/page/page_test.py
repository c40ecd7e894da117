#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Usage: page_test.py [NAMES OF TESTS]

Opens the page with each sample of tests/page/samples in Chromium and checks the document against it. The main
checks also run on pages with a planted defect, and must fail there. Exits with 77 if there is no Chromium.
"""

import html
import json
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import open_page

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "tutti/page/browser"
PARTS = ("page.css", "rows.js", "numbers.js", "devices.js", "plan.js", "start.js")
SAMPLES = sorted(path.stem for path in (HERE / "samples").glob("*.json"))
READY_MS = 1500  # what 10,000 rows may take; printed, not asserted: machines differ


def joined() -> str:
    """The page as cmake/page_text.cmake makes it."""
    page = (PAGE / "page.html").read_text()
    for part in PARTS:
        page = page.replace("{{" + part + "}}", (PAGE / part).read_text())
    return page


def filled(data: dict, page: str) -> str:
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return page.replace("{{title}}", html.escape(data.get("title", "a program"))).replace("{{data}}", text)


def sample(name: str) -> dict:
    return json.loads((HERE / "samples" / f"{name}.json").read_text())


def rows_of(part: dict) -> list[tuple[str, dict]]:
    """Letters and row of each input and equation, in the order of the page."""
    found = [(value[2], {}) for value in part.get("inputs", [])]
    for row in part.get("rows", []):
        found.append((row.get("results", [[0, "", ""]])[0][2], row))
        for inner in row.get("parts", []):
            found += rows_of(inner)
    return found


def many_rows(count: int, name: str = "") -> dict:
    """A program of so many rows, a tenth of them in nested parts."""
    rows = [
        {
            "op": "add",
            "operands": [max(0, k - 1), 0],
            "results": [[k, "f32[64,128]", "VI"]],
            "at": [0, k % 97 + 1],
        }
        for k in range(1, count)
    ]
    for k in range(50, count - 1, 100):
        rows[k]["traffic"] = {"axes": ["x"], "sent": k, "received": k, "least": k}
        rows[k]["parts"] = [
            {
                "name": f"body {name}",
                "inputs": [[0, "f32[]", "VI"]],
                "outputs": [9],
                "rows": [
                    {"op": "sin", "operands": [j], "results": [[j + 1, "f32[]", "IV"]], "at": [0, 98]}
                    for j in range(9)
                ],
            }
        ]
    return {
        "machine": "8 devices",
        "mesh": [["x", 4], ["y", 2]],
        "files": ["many.cpp"],
        "program": {"inputs": [[0, "f32[64,128]", "II"]], "rows": rows, "outputs": [count - 1]},
    }


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.browser = cls.enterClassContext(open_page.Browser())

    def open(self, data: dict | str, page: str = "", **options: object) -> open_page.Page:
        data = sample(data) if isinstance(data, str) else data
        file = self.folder / "page.html"
        file.write_text(filled(data, page or joined()))
        opened = self.browser.open(file, **options)
        self.addCleanup(opened.close)
        return opened

    def selected(self, page: open_page.Page) -> str:
        return page.run("document.querySelector('.row.on code').textContent.trim()")

    def eventually(self, page: open_page.Page, script: str) -> object:
        """The first value of a script that is not empty, within some seconds."""
        for _ in range(200):
            if value := page.run(script):
                return value
            time.sleep(0.05)
        return None

    # Checks that also run on pages with planted defects.

    def check_rows(self, name: str, page: str = "") -> None:
        data = sample(name)
        facts, rows = self.open(data, page).facts(), rows_of(data["program"])
        self.assertEqual(facts["console"], [])
        self.assertEqual(facts["cells"], [letters for letters, _ in rows])
        self.assertEqual(facts["rows"], len(rows))
        self.assertEqual(facts["collectives"], sum("traffic" in row for _, row in rows))
        self.assertEqual(facts["steps"], len(data.get("outcome", {}).get("steps", [])))

    def check_tiles(self, page: str = "") -> None:
        """Devices lie row-major, the last axis across, and each shows its own numbers."""
        opened = self.open("numbers", page)
        tiles = opened.run(
            "[...document.querySelectorAll('#mesh svg')].map(svg => [...svg.querySelectorAll('g')].map(g => "
            "[g.querySelector('title').textContent, +g.querySelector('rect').getAttribute('x') > 100, "
            "+g.querySelector('rect').getAttribute('y') > 50]))"
        )
        places = ["x=0, y=0", "x=0, y=1", "x=1, y=0", "x=1, y=1"]
        rows = [row for row in sample("numbers")["program"]["rows"]][:2]
        for shown, row in zip(tiles, rows, strict=True):
            self.assertEqual(
                [tile[0] for tile in shown],
                [f"device {d}: {places[d]}\n{row['numbers'][0][d]}" for d in range(4)],
            )
            self.assertEqual([tile[1:] for tile in shown], [[d % 2 == 1, d >= 2] for d in range(4)])

    def check_hostile(self, page: str = "") -> None:
        opened = self.open("hostile", page)
        for key in ("j", "j", "k", "Enter"):
            opened.press(key)
        self.assertIsNone(opened.run("window.broken"))
        made = "#list b b, #list u, img, #mesh i, #plan marquee, #plan s, #source i i"
        self.assertEqual(opened.run(f"document.querySelectorAll('{made}').length"), 0)
        self.assertEqual(opened.run("document.scripts.length"), 2)
        self.assertEqual(opened.run("document.title"), sample("hostile")["title"])
        self.assertIn("<b>op</b>", opened.run("document.getElementById('list').textContent"))
        self.assertEqual(opened.console(), [])

    def check_marks(self, page: str = "") -> None:
        page = self.open("numbers", page, fragment="#r1")
        marked = {
            mark: page.run(f"[...document.querySelectorAll('.row.{mark}')].map(row => +row.dataset.row)")
            for mark in ("on", "from", "use", "same")
        }
        self.assertEqual(marked, {"on": [1], "from": [0], "use": [2], "same": [1]})

    def test_every_sample_shows_its_rows_cells_collectives_and_steps(self) -> None:
        for name in SAMPLES:
            with self.subTest(name):
                self.check_rows(name)

    def test_tiles_lie_row_major_with_their_numbers(self) -> None:
        self.check_tiles()

    def test_hostile_names_stay_text(self) -> None:
        self.check_hostile()

    def test_a_selection_marks_operands_users_and_rows_of_its_line(self) -> None:
        self.check_marks()

    def test_planted_defects_are_caught(self) -> None:
        planted = (
            (
                "function cellsOf({value}) {",
                "function cellsOf({id}) {\n  const {value} = lines[id + 1] ?? lines[id];",
                lambda page: self.check_rows("nested", page),
            ),
            (
                "if (row.traffic) starred.push(line);",
                "starred.push(line);",
                lambda page: self.check_rows("nested", page),
            ),
            (
                "for (let k = sizes.length - 1; k >= 0; k--)",
                "for (let k = 0; k < sizes.length; k++)",
                self.check_tiles,
            ),
            ("line.lastIndexOf(' ', chars - 2)", "chars - 2", self.check_numbers),
            ("split(/(?<=\\]) (?=\\[)/)", "split('] [')", self.check_numbers),
            ("mark(usersOf(line), 'use');", "mark(usersOf(line), 'from');", self.check_marks),
            ("keyOf(other.at) === key &&", "keyOf(other.at) !== key &&", self.check_marks),
            ("? 0 : position,", "? 0 : DEVICES - 1 - position,", self.check_tiles),
            ("touchedBy(line) / touched : 1", "1 / own.length : 1", self.check_heat),
            ("if (all > 0) return inside", "if (all < 0) return inside", self.check_heat),
            ("isTimed ? step.took ?? [] : timesOf(step)", "step.about", self.check_heat),
            ("const busy = Math.max(...free), total = Math.max(busy, end)",
             "const busy = Math.max(...free), total = Math.max(busy, 0)", self.check_end),
            ("phases[k + 1]?.from ?? busy", "phases[k + 1]?.from ?? total", self.check_end),
            ("timeline(part.steps ?? [], made).node", "timeline(part.steps ?? [], made, () => 0, 9e9).node",
             self.check_end),
            ("if (maker) select(maker, true);", "", self.check_arena),
            ("line?.row.results?.[result];", "line?.row.results?.[0];", self.check_arena),
            ("if (kind !== 'constant') pickStep(first);", "pickStep(0);", self.check_arena),
            ("cutTo(AXES[k], lefts[k + 1] - lefts[k] - 4)", "cut(AXES[k], 4)", self.check_names),
            ("lefts.push(lefts.at(-1) + LABEL + more);", "lefts.push(lefts.at(-1) + LABEL);", self.check_names),
            ("part?.owner.row?.op === 'scan'", "part?.owner.row?.op === 'while'", self.check_numbers_inside),
            ("numbers: part.numbers?.[k]}", "numbers: D.program.numbers?.[k]}", self.check_numbers_inside),
            (
                "node.append(...children.flat(9).filter(c => c || c === 0));",
                "for (const c of children.flat(9).filter(c => c || c === 0)) "
                "if (c.nodeType) node.append(c); else node.insertAdjacentHTML('beforeend', c);",
                self.check_hostile,
            ),
        )
        for old, new, check in planted:
            with self.subTest(new):
                self.assertEqual(joined().count(old), 1, old)
                with self.assertRaises(AssertionError):
                    check(joined().replace(old, new))

    def test_nothing_is_wider_than_the_page(self) -> None:
        for name in SAMPLES:
            for width in (1280, 400):
                with self.subTest(name, width=width):
                    facts = self.open(name, width=width).facts()
                    self.assertLessEqual(facts["scroll_width"], facts["inner_width"])

    def test_keys_move_fold_and_search(self) -> None:
        page = self.open("nested")
        self.assertTrue(self.selected(page).startswith("%1 = all_reduce"))
        page.press("ArrowLeft")
        self.assertTrue(self.selected(page).startswith("\u25be" "branch 0"))
        before = len(page.facts()["cells"])
        page.press("Enter")
        self.assertEqual(len(page.facts()["cells"]), before - 2)
        page.press("Enter")
        self.assertEqual(len(page.facts()["cells"]), before)
        for key, expected in (("k", "%3 = also of %2"), ("ArrowUp", "%2 = switch"), ("n", "%1 = all_reduce")):
            page.press(key)
            self.assertTrue(self.selected(page).startswith(expected), self.selected(page))
        page.press("/")
        for key in "mul":
            page.press(key)
        self.assertEqual(len(page.facts()["cells"]), 1)
        page.press("Escape")
        self.assertEqual(len(page.facts()["cells"]), before)
        self.assertEqual(page.console(), [])

    def test_buttons_fold_parts_within_parts(self) -> None:
        page = self.open("nested")
        before = len(page.facts()["cells"])
        page.click(".row.part .fold")
        self.assertEqual(len(page.facts()["cells"]), before - 10)
        self.assertEqual(
            page.run("document.querySelector('.row.part').getAttribute('aria-expanded')"), "false"
        )
        page.click(".row.part .fold")
        self.assertEqual(len(page.facts()["cells"]), before)

    def test_the_filter_keeps_collectives_and_what_they_stand_in(self) -> None:
        page = self.open("nested")
        page.click("#only")
        lines = page.run(
            "[...document.querySelectorAll('#list .row')].map(row => row.querySelector('code').textContent)"
        )
        starts = ["%2 = scan", "body", "%2 = switch", "branch 0", "%1 = all_reduce"]
        for line, start in zip(lines, starts, strict=True):
            self.assertTrue(line.strip("\u25be ").startswith(start), line)

    def test_a_selection_stands_in_the_address(self) -> None:
        page = self.open("numbers", fragment="#r1")
        page.click("[data-row='3']")
        self.assertEqual(page.run("location.hash"), "#r3")
        page.run("location.hash = '#r2'")
        self.assertTrue(self.selected(page).startswith("%2 = all_reduce"))

    def test_a_refusal_shows_message_cures_and_row(self) -> None:
        page, outcome = self.open("refused"), sample("refused")["outcome"]
        box = page.run(
            "(r => [r.textContent, r.getBoundingClientRect().bottom])(document.getElementById('refusal'))"
        )
        for text in (outcome["code"], outcome["message"], *outcome["notes"]):
            self.assertIn(text, box[0])
        self.assertLess(box[1], 400)
        self.assertIn("all_reduce", page.run("document.querySelector('.row.bad.on').textContent"))

    def test_a_refusal_without_a_row_shows_its_place_and_source(self) -> None:
        data = sample("refused")
        data["program"] = {"inputs": [], "rows": [], "outputs": []}
        page = self.open(data)
        texts = [page.run(f"document.getElementById('{name}').textContent") for name in ("refusal", "source")]
        for text in ("T020", data["outcome"]["message"], "examples/wrong.cpp:8:10", '  return psum(b, "x");'):
            self.assertIn(text, texts[0])
        self.assertIn("Array b = sin(a);", texts[1])
        self.assertIn("8", page.run("document.querySelector('.src.wrong').textContent"))
        self.assertTrue(page.run("document.querySelector('main').getBoundingClientRect().width === 0"))

    def test_a_refusal_behind_the_last_row_stands_at_the_end(self) -> None:
        data = sample("refused")
        data["program"]["rows"][1] = {"op": "function", "at": [0, 8], "parts": [data["program"]]}
        data["program"]["rows"][1]["parts"] = [dict(data["program"], rows=data["program"]["rows"][:1])]
        page = self.open(data)
        lines = page.run("[...document.querySelectorAll('.row.end')].map(row => row.textContent.trim())")
        self.assertEqual(lines, ["refused here", "not finished"])
        self.assertEqual(page.run("document.querySelectorAll('.row.bad').length"), 1)
        self.assertTrue(self.selected(page).startswith("%1 = sin"))

    def test_it_tells_bounds_transfers_remarks_and_the_machine_once(self) -> None:
        data = sample("nested") | {"remarks": ["one remark", "<b>another</b>"], "title": "t"}
        data["program"]["rows"] = [
            {"op": "all_to_all", "operands": [0], "results": [[1, "f32[2]", "V"]],
             "traffic": {"axes": ["x"], "sent": 77, "received": 88, "at_most": True}}
        ]
        data["outcome"] = {"kind": "steps", "steps": [], "transfers": {"sent": 5, "received": 6}}
        page = self.open(data)
        texts = {name: page.run(f"document.getElementById('{name}').textContent")
                 for name in ("remarks", "mesh", "plan", "figures", "list")}
        self.assertEqual(texts["remarks"], "one remark<b>another</b>")
        self.assertIn("sends at most 77 B, receives at most 88 B", texts["mesh"])
        self.assertIn("at most 88 B", texts["figures"])
        self.assertIn("at most 88 B", texts["list"])
        self.assertIn("sends 5 B to other processes, receives 6 B", texts["plan"])
        once = "document.querySelector('header').textContent.split(D.machine).length - 1"
        self.assertEqual(page.run(once), 1)
        self.assertEqual(self.open(data | {"title": data["machine"]}).run(once), 1)

    def test_an_operand_that_is_an_argument_shows_its_numbers(self) -> None:
        data = sample("numbers")
        data["program"]["numbers"] = [["[1 2]", "[3 4]", "[5 6]", "[7 8]"]]
        page = self.open(data, fragment="#r1")
        self.assertEqual(page.run("document.querySelectorAll('#mesh svg').length"), 2)
        numbers = (
            "[...document.querySelector('#mesh svg').querySelectorAll('.number')].map(n => n.textContent)"
        )
        self.assertEqual(page.run(numbers), data["program"]["numbers"][0])
        page.press("k")
        self.assertEqual(page.run(numbers), data["program"]["numbers"][0])

    def check_heat(self, page: str = "") -> None:
        """A fused step shares its time by bytes over lines; a loop gives its time to the lines inside."""
        data = sample("numbers")
        body = {"op": "sin", "operands": [0], "results": [[1, "f32[64]", "VV"]]}
        loop = [dict(body, at=[0, 6]), dict(body, at=[0, 7], results=[[2, "f32[64]", "VV"]])]
        data["program"] = {"inputs": [[0, "f32[64]", "VV"]], "outputs": [3], "rows": [
            {"op": "mul", "operands": [0, 0], "results": [[1, "f32[64]", "VV"]], "at": [0, 4]},
            {"op": "reduce_sum", "operands": [1], "results": [[2, "f32[]", "VV"]], "at": [0, 5]},
            {"op": "scan", "operands": [0], "results": [[3, "f32[64]", "VV"]], "at": [0, 8], "parts": [
                {"name": "each of 9 trips", "inputs": [[0, "f32[64]", "VV"]], "rows": loop, "outputs": [2]}]},
        ]}
        inside = [{"kind": "region", "rows": [k], "about": [1, 99], "took": [10 * (k + 1), 0]} for k in (0, 1)]
        data["outcome"] = {"kind": "steps", "workers": 2, "steps": [
            {"phase": 0, "kind": "region", "rows": [0, 1], "at": [0, 4], "about": [772, 10]},
            {"phase": 1, "kind": "control", "rows": [2], "at": [0, 8], "about": [1, 1], "took": [300, 200],
             "parts": [{"name": "each of 9 trips", "steps": inside}]}]}
        lines = self.open(data, page).run(
            "[...document.querySelectorAll('#source tr[data-at]')].map(row => [row.dataset.at, row.cells[2].textContent])"
        )
        self.assertEqual(dict(lines), {"0:4": "512 ns", "0:5": "260 ns", "0:6": "100 ns", "0:7": "200 ns"})

    def test_lines_share_the_time_of_fused_steps_and_of_loops(self) -> None:
        self.check_heat()

    def check_end(self, page: str = "") -> None:
        """The axis of a plan ends where its call does; the rest behind the steps is hatched and told."""
        data = sample("nested")
        data["outcome"] |= {"about": 1200}
        opened = self.open(data, page)
        ticks = opened.run("document.querySelector('#plan .ticks').lastChild.textContent")
        rest = opened.run("(r => [r?.style.left, r?.style.width])(document.querySelector('#plan .rest'))")
        self.assertEqual([ticks, *rest], ["1.20 us", "75%", "25%"])
        self.assertEqual(opened.run("document.querySelector('#plan .band').lastChild.style.width"), "25%")
        self.assertIn("300 ns of 1.20 us between steps", opened.run("document.getElementById('between').textContent"))
        self.assertIsNone(opened.run("document.querySelector('#plan .nest .rest')"))

    def test_the_axis_of_a_plan_ends_where_its_call_does(self) -> None:
        self.check_end()
        for about, told in ((900, ""), (600, "the steps alone add up to 900 ns")):
            data = sample("nested")
            data["outcome"] |= {"about": about}
            opened = self.open(data)
            self.assertEqual(opened.run("document.getElementById('between').textContent"), told)
            self.assertEqual(opened.run("document.querySelector('#plan .ticks').lastChild.textContent"), "900 ns")

    def check_arena(self, page: str = "") -> None:
        """A box of the arena selects the row whose value it holds, and its first step."""
        data = sample("nested")
        buffers = data["outcome"]["buffers"]
        buffers[0] |= {"row": 0}
        buffers[1] |= {"row": 0, "result": 2}
        buffers.append({"offset": 24, "bytes": 12, "first": 1, "last": 2, "row": 1, "kind": "arena"})
        opened = self.open(data, page)
        for box, text, step in ((4, "%5 = mul", 1), (2, "%4 = also of %2", 0), (1, "%2 = scan", 0)):
            opened.click(f".arena .box:nth-child({box})")
            self.assertTrue(self.selected(opened).startswith(text), self.selected(opened))
            self.assertEqual(opened.run("+document.querySelector('.lanes .box.on').dataset.step"), step)
        opened.click(".arena .box:nth-child(3)")
        self.assertTrue(self.selected(opened).startswith("%2 = scan"))

    def test_a_box_of_the_arena_selects_the_row_of_its_value(self) -> None:
        self.check_arena()

    def check_names(self, page: str = "") -> None:
        """Names of outer axes stand whole where there is room, and do not meet."""
        for names, shown in (
            (["data", "model_parallel", "z"], ["data", "model_parallel"]),
            (["d" * 90, "m" * 90, "z"], None),
        ):
            data = {"mesh": [[name, 2] for name in names],
                    "program": {"inputs": [[0, "f32[2]", "VVV"]], "rows": [], "outputs": [0]}}
            labels = self.open(data, page).run(
                "[...document.querySelectorAll('#mesh svg > text')].map(t => [t.querySelector('title').textContent, "
                "t.lastChild.textContent, t.getBBox().x, t.getBBox().x + t.getBBox().width])"
            )
            labels = sorted((each for each in labels if each[0] in names[:2]), key=lambda each: each[2])
            self.assertEqual([label[0] for label in labels], names[:2])
            self.assertLessEqual(labels[0][3], labels[1][2])
            if shown:
                self.assertEqual([label[1] for label in labels], shown)
            else:
                self.assertTrue(all(label[1].endswith("\u2026") for label in labels), labels)

    def test_names_of_outer_axes_stand_whole_where_there_is_room(self) -> None:
        self.check_names()

    def check_numbers_inside(self, page: str = "") -> None:
        """Rows of a loop have the numbers of its last trip; other rows say that they have none."""
        data = sample("nested")
        scan = data["program"]["rows"][0]
        scan["numbers"], body = [["[1 2 3]"], ["[4]"], ["[5]"]], scan["parts"][0]
        body |= {"trips": 5, "numbers": [["[1 2 3]", "[4 5 6]"], ["7"]]}
        body["rows"][1]["numbers"] = [["9"]]
        opened = self.open(data, page)
        notes = {row: opened.run(f"select(rows[{row}]), document.getElementById('mesh').textContent")
                 for row in (0, 3, 5, 6, 12)}
        self.assertNotIn("last trip", notes[0])
        for row in (3, 12):
            self.assertIn("Numbers of the last trip of 5.", notes[row])
        self.assertIn("[4 5 6]", notes[3])
        self.assertIn("No numbers here", notes[6])

    def test_rows_of_a_loop_have_the_numbers_of_its_last_trip(self) -> None:
        self.check_numbers_inside()

    def test_steps_mark_their_rows_and_open_their_plans(self) -> None:
        page = self.open("nested")
        page.click("#plan [data-step='1']")
        self.assertEqual(
            page.run(
                "[...document.querySelectorAll('.row.step')].map(row => row.textContent.includes('mul'))"
            ),
            [True],
        )
        page.click("#plan [data-step='0']")
        self.assertIn("each of 5 trips", page.run("document.querySelector('#plan .nest').textContent"))
        page.click("#plan .nest [data-step='0']")
        self.assertIn(
            "branch 1", page.run("document.querySelector('#plan .nest .nest:last-child').textContent")
        )

    def test_the_line_that_sends_most_stands_first(self) -> None:
        page = self.open("one_axis")
        self.assertEqual(
            page.run("document.querySelector('#source tr[data-at]').textContent"), "ring.cpp:10900 B"
        )
        page.click("#source tr[data-at]")
        self.assertTrue(self.selected(page).startswith("%2 = reduce_scatter"))

    def check_numbers(self, page: str = "") -> None:
        """A tile has a line for each row of a matrix, and ends no line inside a number."""
        data = sample("numbers")
        matrix = "[[[-2. 0.5] [-1.25 10. ]] [[ 0. 1e-07] [ 3. 4. ]]]"
        wide = "[[" + "] [".join(" ".join(str(100 * r + c) for c in range(40)) for r in range(12)) + "]]"
        data["program"]["numbers"] = [[matrix, wide, "[0.1234567 " * 3 + "7]", "x" * 99]]
        opened = self.open(data, page, fragment="#r0")
        tiles = opened.run(
            "[...document.querySelectorAll('#mesh g')].map(g => [g.querySelector('title').textContent, "
            "...[...g.querySelectorAll('.number')].map(line => line.textContent)])"
        )
        aligned = ["[[[-2.    0.5  ]", "  [-1.25 10.   ]]", " [[ 0.    1e-07]", "  [ 3.    4.   ]]]"]
        self.assertEqual(tiles[0][1:], aligned)
        self.assertEqual(tiles[1][0], "device 1: x=0, y=1\n" + opened.run(f"spelt({json.dumps(wide)})"))
        self.assertEqual(len(tiles[1]) - 1, 9)
        self.assertEqual(tiles[1][1], "[[0 1 2 3 4 5 6 7 8 9 \u2026")
        self.assertEqual(tiles[3][1:], ["\u2026"])
        whole = "document.querySelector('#mesh .whole').textContent"
        self.assertEqual(opened.run(whole), tiles[0][0])
        opened.click("#mesh g:nth-of-type(4)")
        self.assertEqual(opened.run(whole), tiles[3][0])

    def test_numbers_are_lines_of_a_matrix(self) -> None:
        self.check_numbers()

    def test_arrows_follow_pairs_and_groups(self) -> None:
        page = self.open("one_axis")
        self.assertEqual(page.run("document.querySelectorAll('.arrow').length"), 6)
        page.press("j")
        self.assertEqual(page.run("document.querySelectorAll('.arrow').length"), 22)

    def test_many_devices_are_drawn_by_their_representatives(self) -> None:
        for row, tiles in ((0, 8), (1, 256), (2, 1), (3, 8)):
            page = self.open("devices_512", fragment=f"#r{row}")
            with self.subTest(row):
                self.assertEqual(
                    page.run("document.querySelector('#mesh svg').querySelectorAll('g').length"), tiles
                )

    def test_blocks_of_any_rank_have_their_index_ranges(self) -> None:
        page = self.open("three_axes", fragment="#r0")
        cells = page.run(
            "[...document.querySelectorAll('#mesh tr')].map(row => [...row.cells].map(c => c.textContent))"
        )
        self.assertEqual(cells[0], ["devices", "dim 0", "dim 1", "dim 2", "dim 3"])
        self.assertEqual(cells[2], ["10", "0:4", "0:2", "0:3", "8:16"])
        self.assertEqual(cells[12], ["0", "4:8", "0:2", "6:9", "8:16"])

    def test_blocks_along_a_part_of_an_axis(self) -> None:
        page = self.open("one_axis", fragment="#r2")
        cells = page.run("[...document.querySelectorAll('#mesh table tr')].map(row => row.textContent)")
        self.assertEqual(cells[1:3], ["0, 6, 12, 180:20:1", "1, 7, 13, 190:21:2"])

    def test_print_has_all_rows(self) -> None:
        page = self.open(many_rows(500))
        page.print()
        facts = page.facts()
        self.assertEqual(len(facts["cells"]), facts["rows"])

    def test_many_rows_are_printed_as_plain_lines(self) -> None:
        data = many_rows(10000)
        page = self.open(data)
        begin = time.monotonic()
        printed = page.print()
        print(f"{page.facts()['rows']} rows: printed in {time.monotonic() - begin:.1f} s")
        self.assertGreater(printed.count(b"/Type /Page\n"), 100)
        self.assertEqual(page.run("document.getElementById('print').children.length"), 0)
        page.run("dispatchEvent(new Event('beforeprint')), 0")
        texts = page.run("[...document.querySelectorAll('#print pre')].map(pre => pre.textContent)")
        lines = "\n".join(texts).split("\n")
        self.assertEqual(
            [line[:2] for line in lines if line[:2].strip()],
            [letters for letters, _ in rows_of(data["program"])],
        )
        self.assertEqual(lines[1], "VI  %1 = add %0, %0  f32[64,128]      many.cpp:2")

    def test_long_names_stay_in_their_place(self) -> None:
        data = sample("nested")
        long = "n" * 10000
        data["arguments"] = [{"name": long, "value": 0}]
        data["machine"] = data["files"][0] = long
        data["program"]["rows"][0]["p"] = [["p", long]]
        data["program"]["rows"][0]["parts"][0]["name"] = long
        for width in (1280, 400):
            facts = self.open(data, width=width).facts()
            self.assertLessEqual(facts["scroll_width"], facts["inner_width"])

    def test_ten_thousand_rows_are_made_as_they_are_seen(self) -> None:
        data = many_rows(10000)
        begin = time.monotonic()
        page = self.open(data)
        loaded = 1000 * (time.monotonic() - begin)
        facts = page.facts()
        made = page.run("document.querySelectorAll('*').length")
        print(
            f"{facts['rows']} rows: ready in {facts['ready']} ms (aim {READY_MS}), "
            f"loaded in {loaded:.0f} ms, {made} elements"
        )
        self.assertEqual(facts["rows"], len(rows_of(data["program"])))
        self.assertLess(made, 10000)
        page.press("n")
        self.assertIn("add", self.selected(page))
        page.run("document.getElementById('list').scrollTop = 1e9")
        last = "(() => document.getElementById('list').lastChild.textContent)()"
        self.assertIn("return %9999", self.eventually(page, last))
        self.assertEqual(page.console(), [])

    def test_it_names_no_other_place(self) -> None:
        self.assertNotRegex(joined(), r"(src|href|url\()\s*=?\s*[\"']?\s*(http|//)")

    def test_cmake_joins_the_same_page(self) -> None:
        file = self.folder / "joined.html"
        command = ["cmake", f"-DFOLDER={PAGE}", f"-DPAGE={file}", "-P", ROOT / "cmake/page_text.cmake"]
        subprocess.run(command, check=True)
        self.assertEqual(file.read_text(), joined())


if __name__ == "__main__":
    if shutil.which(open_page.BROWSER) is None:
        print(f"skipped: {open_page.BROWSER} is not installed", file=sys.stderr)
        sys.exit(open_page.MISSING)
    unittest.main()
