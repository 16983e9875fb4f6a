"""Takes the fenced blocks out of a Markdown file, and pairs each with the output it promises."""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import dedent

FENCE = re.compile(r"^ *(?P<ticks>`{3,})(?P<info>[^`\n]*)\n(?P<body>.*?)^ *(?P=ticks) *$", re.M | re.S)
OUTPUTS = {"output", "text"}
# A block that a reader writes into a file: ```python file=shop.py
INTO_FILE = re.compile(r"python file=(?P<file>[\w./-]+)")


@dataclass(frozen=True)
class Block:
    """A fenced block: its info string, its text and its line."""

    info: str
    text: str
    line: int
    expected: str | None = None

    @property
    def file(self) -> str | None:
        """The file that a reader writes the block into, if it is one."""
        match = INTO_FILE.fullmatch(self.info)
        return match["file"] if match else None


@dataclass(frozen=True)
class Command:
    """One command of a console block, and the output that the block shows."""

    text: str
    expected: str


def blocks(markdown: str) -> list[Block]:
    """The blocks in order; a block of output right after another one becomes its expectation."""
    matches = list(FENCE.finditer(markdown))
    found = [_block(markdown, match) for match in matches]
    for index in range(len(found) - 1, 0, -1):
        between = markdown[matches[index - 1].end() : matches[index].start()]
        if found[index].info in OUTPUTS and found[index - 1].info == "python" and not between.strip():
            before = found[index - 1]
            found[index - 1] = Block(before.info, before.text, before.line, found[index].text)
    return found


def commands(console: str) -> list[Command]:
    """The commands after each `$ `, with the lines up to the next one."""
    joined = console.replace("\\\n", " ")
    parts = re.split(r"^\$ ", joined, flags=re.M)[1:]
    return [Command(command, expected) for command, _, expected in (part.partition("\n") for part in parts)]


def tidy(output: str) -> str:
    """Output without trailing whitespace, which editors strip."""
    return "\n".join(line.rstrip() for line in output.rstrip().splitlines())


def _block(markdown: str, match: re.Match[str]) -> Block:
    line = markdown.count("\n", 0, match.start()) + 1
    return Block(match["info"].strip(), dedent(match["body"]), line)
