# SPDX-License-Identifier: Apache-2.0
"""Doc blocks and plain text as Doxygen has to be given them, so that they come out as written."""

import re

# A line that begins so begins a paragraph, where the line before ends a sentence.
LABEL = re.compile(r"(Throws?\b|Cost:|Source:|Examples?:|[a-z][\w, ]*: \[)")
CODE = "    "  # a line of a block that begins so is code
SENTENCE = re.compile(r"(?<!\.)\.(?=\s+[A-Z\"'`(\[|-]|\s*$)")
SPECIAL = re.compile(r"[\\@&$#<>%*_\[\]|\"]|--")


def escaped(text: str) -> str:
    """Without marks of Markdown and commands of Doxygen. In "quotes" Doxygen would leave our backslashes."""
    return without_addresses(SPECIAL.sub(lambda match: "&quot;" if match[0] == '"' else "\\" + match[0], text))


def without_addresses(text: str) -> str:
    """Doxygen takes file:line for an address of the web."""
    return re.sub(r"\b(file|ftp|news|mailto):(?=\S)", r"\1<b></b>:", text)


def inline(text: str, link=lambda word: None) -> str:
    """`link` gives the Doxygen label of a word, or None."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # an accent that is none of a pair
        pieces = [text.replace("`", "'")]
    made = []
    for number, piece in enumerate(pieces):
        if number % 2:
            label = link(piece)
            made.append(f'<code>\\ref {label} "{piece}"</code>' if label else f"<code>{escaped(piece)}</code>")
        else:
            made.append(linked(piece, link))
    return "".join(made)


WORD = re.compile(r"docs/[\w]+\.md|\b[TSRI]\d{3}\b|(?<![\w.])[A-Za-z_][\w:]*\w(?:\(\))?")


def linked(text: str, link) -> str:
    made, at = [], 0
    for match in WORD.finditer(text):
        if label := link(match[0]):
            made += [escaped(text[at:match.start()]), f'\\ref {label} "{match[0]}"']
            at = match.end()
    return "".join(made) + escaped(text[at:])


def paragraphs(lines: list[str]) -> list[tuple[str, str]]:
    """Pairs of kind (text, item, code) and text; lines of one paragraph are joined."""
    found: list[list[str]] = []
    ended = True
    for line in lines:
        if not line.strip():
            ended = True
            continue
        kind = "code" if line.startswith(CODE) else "item" if line.startswith("- ") else "text"
        begins_a_label = kind == "text" and LABEL.match(line) and found and re.search(r"[.:]\)?$", found[-1][1])
        if kind == "code" and found and found[-1][0] == "code":
            found[-1][1] += "\n" + line.removeprefix(CODE)
        elif kind == "text" and found and not ended and not begins_a_label and found[-1][0] != "code":
            found[-1][1] += " " + line.strip()
        else:
            found.append([kind, line.removeprefix(CODE) if kind == "code" else line.removeprefix("- ").strip()])
        ended = False
    return [(kind, text) for kind, text in found]


def first_sentence(text: str) -> tuple[str, str]:
    if match := SENTENCE.search(text):
        return text[:match.end()], text[match.end():].strip()
    return text, ""


def doxygen_lines(lines: list[str], link=lambda word: None) -> list[str]:
    """A block as a Doxygen comment, without the marks of comments."""
    parts = paragraphs(lines)
    if not parts:
        return []
    made = []
    if parts[0][0] == "text":
        brief, rest = first_sentence(parts[0][1])
        made += ["\\brief " + inline(brief, link), ""]
        parts[:1] = [("text", rest)] if rest else []
    for kind, text in parts:
        if kind == "code":
            made += ["~~~{.cpp}", *text.split("\n"), "~~~", ""]
        elif kind == "item":
            made.append("- " + inline(text, link))
        else:
            made += ["", inline(text, link), ""]
    return made


def plain(lines: list[str]) -> list[str]:
    """The paragraphs of a block as a reader sees them."""
    return [text.replace("`", "") if text.count("`") % 2 == 0 else text.replace("`", "'")
            for _, text in paragraphs(lines)]
