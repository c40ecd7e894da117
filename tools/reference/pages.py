# SPDX-License-Identifier: Apache-2.0
"""Our pages of Markdown as Doxygen has to be given them: headings with labels, links by label, texts as written."""

import re
from pathlib import Path

from reference.blocks import escaped, without_addresses

LINK = re.compile(r"(!?)\[([^\]`]+)\]\((#[\w-]+|[\w./-]+\.(?:md|svg|txt)(?:#[\w-]+)?)\)")
CODE_SPAN = re.compile(r"(`+)(.+?)\1")
LANGUAGES = {"cpp": "cpp", "python": "py", "c": "c"}
MAIN = Path("README.md")


def slug(heading: str) -> str:
    """What GitHub calls a heading in links."""
    text = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower())
    return text.replace(" ", "-")


class Pages:
    """Pages by their path from the root; all labels that they have."""

    def __init__(self, root: Path, paths: list[Path]):
        self.root, self.paths = root, paths
        self.labels = {self.label(path): path for path in paths}
        self.problems: list[str] = []
        for path in paths:
            for heading in headings_of((root / path).read_text()):
                self.labels[self.label(path, slug(heading))] = path

    @staticmethod
    def label(path: Path, anchor: str = "") -> str:
        page = "page_" + re.sub(r"\W", "_", str(path.with_suffix("")).removeprefix("docs/")).lower()
        return f"{page}_{anchor.replace('-', '_')}" if anchor else page

    def label_of_link(self, page: Path, target: str) -> str | None:
        name, _, anchor = target.partition("#")
        path = (page.parent / name) if name else page
        parts: list[str] = []
        for part in path.parts:
            parts = parts[:-1] if part == ".." else [*parts, part]
        path = Path(*parts)
        label = self.label(path, anchor)
        return label if path in self.paths and label in self.labels else None

    def label_of_word(self, word: str) -> str | None:
        """A page that a text names, as docs/limits.md, or the section of an error's code."""
        path = Path(word)
        if word.endswith(".md") and path in self.paths:
            return self.label(path)
        if re.fullmatch(r"[TSRI]\d{3}", word):
            start = f"page_errors_{word.lower()}"
            return next((label for label in self.labels if label.startswith(start)), None)
        return None

    def for_doxygen(self, path: Path) -> str:
        made: list[str] = []
        fence, in_comment, first = "", False, True
        for number, line in enumerate((self.root / path).read_text().splitlines(), 1):
            if fence:
                made.append("~~~" if line.rstrip() == fence else line)
                fence = "" if line.rstrip() == fence else fence
            elif in_comment or line.startswith("<!--"):
                in_comment = not line.rstrip().endswith("-->")
            elif match := re.match(r"(`{3,})(\w*)", line):
                fence = match[1]
                made += ["", f"~~~{{.{LANGUAGES.get(match[2], 'unparsed')}}}"]
            elif match := re.match(r"(#+) (.*)", line):
                made += self.heading(path, match[1], match[2], first)
                first = False
            else:
                if line.startswith("|") and made and made[-1] and not made[-1].startswith("|"):
                    made.append("")
                made.append(self.text(path, number, line))
        return "\n".join(made) + "\n"

    def heading(self, path: Path, marks: str, words: str, first: bool) -> list[str]:
        """Titles of pages stand in lists of links, without code; those inside of README.md in none."""
        if first:
            contents = ["[TOC]", ""] if self.has_contents(path) else []
            return ["", f"{marks} {in_prose(words.replace('`', ''))} {{#{self.label(path)}}}", "", *contents]
        label = self.label(path, slug(words))
        if path == MAIN:
            return ["", f"\\anchor {label}", f"<h{len(marks)}>{in_prose(words)}</h{len(marks)}>", ""]
        return ["", f"{marks} {in_prose(words.replace('`', ''))} {{#{label}}}", ""]

    def guides(self, order: list[str]) -> str:
        """A page of all pages but the main one: those of `order` first."""
        def place(path: Path) -> int:
            return order.index(path.stem) if path.stem in order else len(order)

        rest = [path for path in sorted(self.paths, key=place) if path != MAIN]
        return "\n".join(["/// \\page guides Guides", *(f"/// - \\subpage {self.label(path)}" for path in rest)]) + "\n"

    def has_contents(self, path: Path) -> bool:
        return path != MAIN and len(headings_of((self.root / path).read_text())) > 3

    def text(self, path: Path, number: int, line: str) -> str:
        made, at = [], 0
        for match in CODE_SPAN.finditer(line):
            made += [self.prose(path, number, line[at:match.start()]), self.code(match[2].strip())]
            at = match.end()
        return "".join(made) + self.prose(path, number, line[at:])

    def code(self, code: str) -> str:
        if label := self.label_of_word(code):
            return f'<code>\\ref {label} "{code}"</code>'
        return f"<code>{escaped(code.replace(chr(92) + '|', '|'))}</code>"

    def prose(self, path: Path, number: int, text: str) -> str:
        made, at = [], 0
        for match in LINK.finditer(text):
            made += [in_prose(text[at:match.start()]), self.link(path, number, *match.groups())]
            at = match.end()
        return "".join(made) + in_prose(text[at:])

    def link(self, path: Path, number: int, image: str, words: str, target: str) -> str:
        if image:
            return f'<img src="{Path(target).name}" alt="{words}"/>'
        label = self.label_of_link(path, target)
        if not label:
            self.problems.append(f"{path}:{number}: the link to {target} leads nowhere")
            return words
        return f'\\ref {label} "{words}"'


def headings_of(text: str) -> list[str]:
    found, fenced = [], False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        if not fenced and (match := re.match(r"#+ (.*)", line)):
            found.append(match[1])
    return found


def in_prose(text: str) -> str:
    """Marks of Markdown stay; commands and tags of Doxygen are none."""
    return without_addresses(re.sub(r"\\(?!\|)|[@<>%$&#]|(?<!-)--(?!-)", lambda match: "\\" + match[0], text))
