# SPDX-License-Identifier: Apache-2.0
"""The declarations of our headers, with the comments that belong to them.

A block is the lines `///` above a declaration. A function shares the block of the function directly above it, without an
empty line or a comment between or behind: `tutti explain` has the same rule (tutti/cli/reference/declarations.hpp). A
member shares it if it is an overload, or if the block names it.
This is no parser of C++: it knows as much as headers laid out by clang-format need.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

ATTRIBUTES = re.compile(r"\[\[.*?\]\]\s*")
CLASS_HEAD = re.compile(r"(class|struct|union)\s+(?:alignas\([^)]*\)\s*)?((?:\w+::)*)(\w+)")
LITERAL_OR_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
DIRECTIVE = re.compile(r"^[ ]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
OPERATOR = re.compile(r"operator\s*(\(\)|\[\]|\"\"\s*\w+|[^\w\s(]+|[\w:]+\s*)")


@dataclass(eq=False)
class Declaration:
    kind: str  # function, class, enum, value (of an enum), alias, variable, concept
    name: str
    file: Path
    line: int
    space: tuple[str, ...]  # ("tutti", "ops")
    owners: tuple[str, ...] = ()  # the classes or the enum around it, outermost first
    template: str = ""  # "template <class T>", with its requirement
    text: str = ""  # without template, body, initializers and the semicolon
    block: list[str] = field(default_factory=list)  # the lines behind ///, of its own
    behind: str = ""  # the comment behind it, in its last line
    leader: "Declaration | None" = None  # whose block this one shares
    followers: list["Declaration"] = field(default_factory=list, repr=False)
    refuses: bool = False  # deleted, or there for the message of its static_assert
    defaulted: bool = False
    is_rule: bool = False  # of an op: reference/public.py
    members: list["Declaration"] = field(default_factory=list)

    @property
    def qualified(self) -> str:
        return "::".join((*self.space, *self.owners, self.name))

    @property
    def shared_with(self) -> list[str]:
        """The names that share its block, itself included; empty without a block."""
        leader = self.leader or self
        return list(dict.fromkeys([leader.name, *(one.name for one in leader.followers)])) if leader.block else []

    @property
    def shared_block(self) -> list[str]:
        return self.leader.block if self.leader else self.block


def code_alone(text: str) -> str:
    """The text with spaces for comments, literals and directives; places and lines stay."""
    def spaces(match: re.Match) -> str:
        return re.sub(r"[^\n]", " ", match[0])

    def quoted(match: re.Match) -> str:
        return match[0][0] + " " * (len(match[0]) - 2) + match[0][0] if match[0][0] != "/" else spaces(match)

    return LITERAL_OR_COMMENT.sub(quoted, DIRECTIVE.sub(spaces, text))


class _Reader:
    def __init__(self, file: Path, text: str):
        self.file, self.text, self.code = file, text, code_alone(text)
        self.lines = text.split("\n")
        self.at = 0
        self.value: int | None = None

    # --- places -----------------------------------------------------------------------------------------------------

    def line_of(self, at: int) -> int:
        return self.text.count("\n", 0, at)

    def skip_spaces(self) -> None:
        while self.at < len(self.code) and self.code[self.at].isspace():
            self.at += 1

    def after_bracket(self, at: int) -> int:
        """The place behind the bracket that closes the one at `at`."""
        depth = 0
        for place in range(at, len(self.code)):
            depth += (self.code[place] in "([{") - (self.code[place] in ")]}")
            if depth == 0:
                return place + 1
        raise ValueError(f"{self.file}:{self.line_of(at) + 1}: a bracket is not closed")

    def after_angle(self, at: int) -> int:
        depth = 0
        while True:
            letter = self.code[at]
            if letter in "([{":
                at = self.after_bracket(at)
                continue
            depth += (letter == "<") - (letter == ">" and self.code[at - 1] != "-")
            at += 1
            if depth == 0:
                return at

    # --- comments ---------------------------------------------------------------------------------------------------

    def block_above(self, line: int) -> tuple[list[str], bool]:
        """The lines of /// that end above `line`, and whether any comment or an empty line ends there."""
        found = []
        above = line - 1
        while above >= 0 and self.lines[above].lstrip().startswith("///"):
            found.insert(0, self.lines[above].lstrip()[3:].removeprefix(" "))
            above -= 1
        near = self.lines[line - 1].strip()
        return found, bool(found) or not near or near.startswith("//")

    def plain_comment_above(self, line: int) -> list[str]:
        found = []
        while self.lines[line - 1].strip().startswith("// "):
            line -= 1
            found.insert(0, self.lines[line].strip()[3:])
        return found

    def comment_behind(self, end: int) -> str:
        """The comment behind a declaration, with the lines below that go on in the same column."""
        stop = self.text.find("\n", end)
        rest = self.text[end:stop].strip().removeprefix(",").strip()
        if not rest.startswith("//") or rest.startswith("// NOLINT"):
            return ""
        line = self.line_of(end)
        column = self.lines[line].index("//", len(self.lines[line]) - len(rest) - 1)
        words = [rest.lstrip("/<").strip()]
        for below in self.lines[line + 1:]:
            if len(below) - len(below.lstrip()) != column or not below.lstrip().startswith("//"):
                break
            words.append(below.lstrip().lstrip("/").strip())
        return " ".join(words).strip()

    # --- scopes -----------------------------------------------------------------------------------------------------

    def scope(self, space: tuple[str, ...], owners: tuple[str, ...], is_public: bool) -> list[Declaration]:
        found: list[Declaration] = []
        last: Declaration | None = None
        while True:
            self.skip_spaces()
            if self.at >= len(self.code):
                return found
            if self.code[self.at] == "}":
                self.at += 1
                return found
            if access := re.compile(r"(public|private|protected)\s*:").match(self.code, self.at):
                is_public, last = access[1] == "public", None
                self.at = access.end()
                continue
            if inner := re.compile(r"(?:inline\s+)?namespace\s*([\w:]*)\s*\{").match(self.code, self.at):
                self.at, last = inner.end(), None
                found += self.scope(space + tuple(filter(None, inner[1].split("::"))), owners, True)
                continue
            block, apart = self.block_above(self.line_of(self.at))
            one = self.declaration(space, owners)
            if not one or not is_public:
                last = None if not one else last
                continue
            one.block = block
            if not apart and not one.behind and last and last.kind == one.kind == "function":
                leader = last.leader or last
                if leader.block and (not owners or one.name == leader.name or names(leader.block, one.name)):
                    one.leader = leader
                if one.leader and not one.refuses:
                    one.leader.followers.append(one)
            if not one.refuses:
                last = one
            found.append(one)

    def declaration(self, space: tuple[str, ...], owners: tuple[str, ...]) -> Declaration | None:
        begin = self.at
        template = self.template_head()
        head = self.at
        if attribute := ATTRIBUTES.match(self.code, self.at):
            self.at = attribute.end()
        word = re.compile(r"\w+").match(self.code, self.at)
        word = word[0] if word else ""
        one = Declaration("", "", self.file, self.line_of(begin) + 1, space, owners, template)
        if word in ("class", "struct", "union", "enum"):
            return self.class_or_enum(one, word)
        if word in ("using", "concept", "friend", "static_assert", "typedef", "extern"):
            return self.one_statement(one, word)
        return self.function_or_variable(one, head)

    def template_head(self) -> str:
        begin = self.at
        while re.compile(r"template\s*<").match(self.code, self.at):
            self.at = self.after_angle(self.code.index("<", self.at))
            self.skip_spaces()
        if self.code.startswith("requires", self.at):
            self.at += len("requires")
            while True:
                self.skip_spaces()
                while self.code[self.at] in "!:_" or self.code[self.at].isalnum():
                    self.at += 1
                if self.code[self.at] in "([{":
                    self.at = self.after_bracket(self.at)
                elif self.code[self.at] == "<":
                    self.at = self.after_angle(self.at)
                place = self.at
                self.skip_spaces()
                if self.code[self.at] == "{":  # requires(..) { .. }
                    self.at = self.after_bracket(self.at)
                    self.skip_spaces()
                if self.code[self.at:self.at + 2] not in ("&&", "||"):
                    break
                self.at = max(self.at, place) + 2
        text = one_line(self.text_without_comments(begin, self.at))
        self.skip_spaces()
        return text

    def text_without_comments(self, begin: int, end: int) -> str:
        return re.sub(r"(?m)[ ]*(?<![\":])//.*$", "", self.text[begin:end])

    def class_or_enum(self, one: Declaration, word: str) -> Declaration | None:
        end = min(i for i in (self.code.find(";", self.at), self.code.find("{", self.at)) if i >= 0)
        head = self.code[self.at:end]
        match = (re.match(r"enum(?: class| struct)?\s+()()(\w+)", head) if word == "enum" else CLASS_HEAD.match(head))
        one.text, one.name = one_line(head), match[3] if match else ""
        self.at = end
        if self.code[end] == ";" or not match:  # declared ahead, or without a name
            self.at = self.code.index(";", end) + 1
            return None
        if word == "enum":
            one.kind = "enum"
            one.members = self.values(one)
        else:
            one.kind = "class"
            self.at += 1
            one.members = self.scope(one.space, (*one.owners, one.name), word != "class")
        one.line = self.line_of(end) + 1
        self.at = self.code.index(";", self.at) + 1
        one.behind = self.comment_behind(end + 1) or self.comment_behind(self.at)  # struct A {  // says what it is
        is_part = match[2] or re.match(r"\s*<", head[match.end():])  # defined elsewhere, or specialized
        return None if is_part else one

    def values(self, enum: Declaration) -> list[Declaration]:
        end = self.after_bracket(self.at)
        found = []
        for match in re.compile(r"(\w+)(?:\s*=[^,}]*)?\s*[,}]").finditer(self.code, self.at + 1, end):
            line = self.line_of(match.start())
            value = Declaration("value", match[1], self.file, line + 1, enum.space, (*enum.owners, enum.name))
            value.text = one_line(match[0].rstrip(",}").strip())
            value.block = self.block_above(line)[0] or self.plain_comment_above(line)
            behind = match.end() - (match[0][-1] == "}")
            value.behind = self.comment_behind(behind)
            found.append(value)
        self.at = end
        return found

    def one_statement(self, one: Declaration, word: str) -> Declaration | None:
        begin = self.at
        while self.code[self.at] != ";":
            self.at = self.after_bracket(self.at) if self.code[self.at] in "([{" else self.at + 1
        one.text = one_line(self.text_without_comments(begin, self.at))
        self.at += 1
        if word == "friend":  # with a body
            return None
        match = re.match(r"(using|concept)\s+(\w+)\s*=", one.text)
        if not match:
            return None
        one.kind, one.name = "alias" if match[1] == "using" else "concept", match[2]
        one.behind = self.comment_behind(self.at)
        return one

    # --- functions and variables ------------------------------------------------------------------------------------

    def function_or_variable(self, one: Declaration, begin: int) -> Declaration:
        one.kind = "variable"
        self.value = None  # where that of a variable begins
        end = None
        while end is None:
            end = self.end_of_head(one) or self.skip_part(one, begin)
        one.text = one_line(self.text_without_comments(begin, end))
        one.refuses |= bool(re.search(r"=\s*delete(\(.*\))?$", one.text))
        one.defaulted = bool(re.search(r"=\s*default$", one.text))
        if one.kind == "variable":
            head = self.code[begin:end if self.value is None else self.value]
            words = re.findall(r"\w+", ATTRIBUTES.sub("", head.split("[")[0]))
            one.name = words[-1] if words else ""
            one.refuses |= self.value is not None and bool(re.search(r"[>\w]::\s*\w+\s*$", head))  # defined elsewhere
        one.behind = self.comment_behind(self.at)
        return one

    def end_of_head(self, one: Declaration) -> int | None:
        """The end of what is shown, where it is reached; goes behind the rest, such as a body."""
        end, letter = self.at, self.code[self.at]
        is_function = one.kind == "function" and self.value is None
        if letter == ";":
            self.at += 1
        elif letter == "{" and is_function:
            self.skip_body(one)
        elif letter == ":" and is_function and ":" not in (self.code[self.at - 1], self.code[self.at + 1]):
            self.skip_initializers()
        else:
            return None
        return end

    def skip_part(self, one: Declaration, begin: int) -> None:
        """Goes on by a word, a bracket with what it holds, or a letter."""
        letter, before = self.code[self.at], self.code[self.at - 1]
        operator = OPERATOR.match(self.code, self.at)
        if operator and not before.isalnum() and one.kind != "function":
            one.name = "operator" + (" " if operator[1][0].isalpha() else "") + operator[1].strip()
            one.kind = "function"
            self.at = self.after_bracket(self.code.index("(", operator.end()))
        elif letter == "(" and one.kind != "function" and self.value is None:
            self.parameters(one, begin)
        elif letter in "([{":
            self.value = self.at if letter == "{" and self.value is None else self.value
            self.at = self.after_bracket(self.at)
        elif letter == "<" and (before.isalnum() or before == "_"):
            self.at = self.after_angle(self.at)
        else:
            if letter == "=" and before not in "<>!=" and self.code[self.at + 1] != "=":
                self.value = self.at
            self.at += 1

    def parameters(self, one: Declaration, begin: int) -> None:
        head = self.code[begin:self.at]
        name = re.search(r"([~\w]+)\s*$", head)
        if name and name[1] not in ("decltype", "alignas", "noexcept", "explicit", "requires"):
            one.kind, one.name = "function", name[1]
            one.refuses |= bool(re.search(r"\w\s*(<[^<>]*>)?::\s*~?\w+\s*$", head))  # defined elsewhere
        self.at = self.after_bracket(self.at)

    def skip_body(self, one: Declaration) -> None:
        begin = self.at
        self.at = self.after_bracket(self.at)
        body = one_line(self.code[begin:self.at])
        one.refuses |= body.startswith(("{ static_assert(never", "{ static_assert(sizeof...(A) == 0"))
        one.refuses |= body.startswith("{ return " + one.name + " <")

    def skip_initializers(self) -> None:
        self.at += 1
        while True:
            while self.code[self.at] not in "({":
                self.at += 1
            is_body = self.code[self.at] == "{" and not self.code[self.at - 1].isalnum() and self.code[self.at - 1] not in "_>"
            self.at = self.after_bracket(self.at)
            if is_body:
                return


def names(block: list[str], name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", " ".join(block)) is not None


def one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def declarations_in(root: Path, file: Path) -> list[Declaration]:
    """Those of a header, in order; members stand in their class. Private ones are left out."""
    return _Reader(file, (root / file).read_text()).scope((), (), True)
