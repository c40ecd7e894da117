# SPDX-License-Identifier: Apache-2.0
"""Declarations as headers for Doxygen: no bodies, no private members, every comment where Doxygen looks for it."""

import re
import textwrap
from pathlib import Path

from declarations import Declaration
from reference import blocks
from reference.public import RULES, Topics, is_op, members_of

FOR_AUTHORS = "tutti/op.hpp"
COLUMNS = 88  # of signatures


class Writer:
    def __init__(self, topics: Topics, umbrellas: dict[Path, str], link):
        self.topics, self.umbrellas, self.link = topics, umbrellas, link

    def topics_page(self) -> str:
        lines = []
        for topic in self.topics.all:
            lines += [f"/// \\defgroup {topic['id']} {topic['title']}",
                      f"/// \\brief {blocks.inline(topic['about'], self.link)}", ""]
        return "\n".join(lines) + "\n"

    def topic(self, topic: dict, declarations: list[Declaration]) -> str:
        lines = []
        for run in runs(declarations):
            one, first = run[0], [f"\\ingroup {topic['id']}"]
            if one.kind == "class":
                header = FOR_AUTHORS if "ops" in one.space else self.umbrellas[one.file]
                first.append(f"\\headerfile \"\" <{header}>")
            lines += [f"namespace {'::'.join(one.space)} {{", *self.declared(run, *first), "}", ""]
        return "\n".join(lines) + "\n"

    def declared(self, run: list[Declaration], *first: str) -> list[str]:
        """A declaration, and overloads that share its block: they are shown below its text."""
        one, others = run[0], run[1:]
        comment = [*first, *self.comment(one)]
        if others:
            shown_below = "\n".join(map(signature, others)).split("\n")
            comment += ["", "Also:", "~~~{.cpp}", *shown_below, "~~~"]
        lines = ["///" + (" " + line if line else "") for line in comment]
        lines += [shown(one.template)] if one.template else []
        if one.kind == "class":
            lines += [shown(one.text) + " {", " public:"]
            for members in runs(members_of(one)):
                lines += self.declared(members)
            return lines + ["};"]
        if one.kind == "enum":
            lines.append(shown(one.text) + " {")
            for value in one.members:
                lines += self.declared([value])
            return lines + ["};"]
        return lines + [shown(one.text) + ("," if one.kind == "value" else ";")]

    def comment(self, one: Declaration) -> list[str]:
        lines = list(one.shared_block)
        if one.behind:
            lines += ["", one.behind] if lines else [as_sentence(one.behind)]
        made = blocks.doxygen_lines(lines, self.link)
        sharers = one.shared_with
        if len(sharers) > 1:
            made += ["", "This text is about " + ", ".join(blocks.escaped(name) for name in sharers) + "."]
        if is_op(one):
            rules = sorted({m.name for m in one.members if m.is_rule} - {"name", "about", "examples"})
            made += ["", f"Rules: {', '.join(blocks.escaped(rule) for rule in rules)}; "
                     f'\\ref {RULES} "Op::Rules" has their types.']
        return made


def runs(declarations: list[Declaration]) -> list[list[Declaration]]:
    """Each declaration with the overloads that share its block."""
    found: list[list[Declaration]] = []
    for one in declarations:
        before = found[-1][0] if found else None
        if one.leader and before and one.name == before.name and one.leader in (before, before.leader):
            found[-1].append(one)
        else:
            found.append([one])
    return found


def shown(text: str) -> str:
    """Without what readers need not see: our inner namespaces, macros of the compiler."""
    text = re.sub(r"\b(tutti::)?internal::", "", text)
    return re.sub(r"\[\[.*?\]\] ?", "", text)


def as_sentence(text: str) -> str:
    """With a capital, unless the first word is a name."""
    return text[0].upper() + text[1:] if re.match(r"[a-z]+[ ,;:]", text) else text


def signature(one: Declaration) -> str:
    lines = textwrap.wrap(shown(one.text) + ";", COLUMNS, subsequent_indent=" " * 4, break_long_words=False)
    return "\n".join(([shown(one.template)] if one.template else []) + lines)

