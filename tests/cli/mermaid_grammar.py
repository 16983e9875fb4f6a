"""Parses a Mermaid entity diagram as strictly as Mermaid does, and returns what it draws.

The tokens are those of Mermaid's lexer, tried in its order and without regard to case: so a name such as `pk`
is taken for a key here as it is there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

Token = tuple[str, str]

OUTSIDE = [
    ("direction", r".*direction\s+(?:TB|BT|RL|LR)[^\n]*"),
    ("", r"[ \t\r]+"),
    ("newline", r"\n+"),
    ("name", r'"[^"%\r\n\v\\]+"'),
    ("text", r'"[^"]*"'),
    ("diagram", r"erDiagram"),
    ("open", r"\{"),
    ("colon", r":"),
    ("many", r"\}o"),
    ("one", r"\|\|"),
    ("maybe", r"o\|"),
    ("line", r"--"),
]
INSIDE = [
    ("", r"\s+"),
    ("key", r"\b(?:PK|FK|UK)\b"),
    ("word", r"[^\s]*~.*~[^\s]*"),
    ("word", r"[*A-Za-z_\u00C0-\uFFFF][A-Za-z0-9\-_\[\]().,\u00C0-\uFFFF*]*"),
    ("comment", r'"[^"]*"'),
    ("close", r"\}"),
    ("comma", r","),
]
ROW = r"word word (?:key (?:comma key )*)?(?:comment )?"
BLOCK = rf"name open (?:{ROW})*close "
LINE = r"name many line (?:one|maybe) name colon (?:name|text) "
DOCUMENT = re.compile(rf"(?:(?:{BLOCK}|{LINE})?newline )*")


@dataclass
class Diagram:
    """The entities of a diagram with the rows of each, and the lines between them."""

    entities: dict[str, list[list[str]]] = field(default_factory=dict)
    lines: list[tuple[str, str, str]] = field(default_factory=list)


def read(text: str) -> Diagram:
    """The diagram, or an AssertionError where Mermaid would show its bomb."""
    # Mermaid itself takes comments and directives out before it parses, and reads codes such as #59; as one sign.
    assert "%%{" not in text
    stripped = re.sub(r"(?m)^\s*%%[^\n]*\n?", "", text + "\n")
    tokens = list(_tokens(re.sub(r"#\w+;", "_", stripped)))
    assert tokens[:2] == [("diagram", "erDiagram"), ("newline", tokens[1][1])]
    kinds = "".join(f"{kind} " for kind, _ in tokens[2:])
    assert DOCUMENT.fullmatch(kinds), kinds
    return _drawn(tokens[2:])


def _tokens(text: str) -> list[Token]:
    found: list[Token] = []
    rules, at = OUTSIDE, 0
    while at < len(text):
        kind, matched = _first(rules, text, at)
        at += len(matched)
        if kind:
            found.append((kind, matched))
        rules = {"open": INSIDE, "close": OUTSIDE}.get(kind, rules)
    assert rules is OUTSIDE, "a block is not closed"
    return found


def _first(rules: list[Token], text: str, at: int) -> Token:
    # JavaScript's \b and \w know ASCII only.
    for kind, pattern in rules:
        match = re.compile(pattern, re.IGNORECASE | re.ASCII).match(text, at)
        if match and match[0]:
            return kind, match[0]
    raise AssertionError(f"Mermaid cannot read {text[at : at + 40]!r}")


def _drawn(tokens: list[Token]) -> Diagram:
    diagram = Diagram()
    statement: list[Token] = []
    for token in tokens:
        statement.append(token)
        if token[0] == "newline":
            _draw(diagram, statement[:-1])
            statement = []
    return diagram


def _draw(diagram: Diagram, statement: list[Token]) -> None:
    kinds = [kind for kind, _ in statement]
    if "line" in kinds:
        names = [text.strip('"') for kind, text in statement if kind in ("name", "text")]
        diagram.lines.append((names[0], names[1], names[2]))
    elif statement:
        rows: list[list[str]] = []
        for before, (kind, text) in zip(kinds, statement[1:], strict=False):
            if kind == "word" and (before != "word" or len(rows[-1]) == 2):
                rows.append([text])
            elif kind in ("word", "key", "comment"):
                rows[-1].append(text.strip('"'))
        diagram.entities[statement[0][1].strip('"')] = rows
