"""Writes a design as Markdown with tables in the syntax of GitHub."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pksk.cli import design_rows
from pksk.cli.design_cells import HEADINGS, cell_tables

_SPECIAL = re.compile(r"([\\`*<>\[\]|~])|(?<![^\W_])(_)|(_)(?![^\W_])")


def design_markdown(data: dict[str, Any]) -> str:
    r"""The Markdown of a design."""
    blocks = [block for table in data["tables"] for block in _table(table)]
    if data["patterns"]:
        blocks += ["## Access patterns", _pattern_table(data["patterns"])]
        blocks += [block for pattern in data["patterns"] for block in _details(pattern)]
    return "\n\n".join(blocks)


def _table(table: dict[str, Any]) -> Iterator[str]:
    yield f"## Table {_text(table['name'])}"
    yield "\n".join(f"- {_text(label)}: {_text(text)}" for label, text in design_rows.settings(table))
    if not table["entities"]:
        yield "No entity is declared."
        return
    cells = [
        [_text(name), *(_code(key) if key != design_rows.EMPTY_CELL else "" for key in keys), _text(notes)]
        for name, *keys, notes in design_rows.rows(table)
    ]
    yield _grid(list(map(_text, design_rows.headings(table))), cells)
    for title, levels in cell_tables(table):
        yield f"### {_text(title)}"
        rows = [
            [level, degrees, metres, *map(_code, keys), count]
            for level, degrees, metres, *keys, count in levels
        ]
        yield _grid(HEADINGS, rows)


def _pattern_table(patterns: Sequence[dict[str, Any]]) -> str:
    heading = ["Pattern", "Kind", "Index", "Rate", "Read units", "Write units", "Notes"]
    return _grid(heading, [_pattern_row(pattern) for pattern in patterns])


def _pattern_row(pattern: dict[str, Any]) -> list[str]:
    estimate = pattern.get("estimate")
    missing = ", ".join((estimate or {}).get("missing") or ())
    notes = [pattern.get("problem"), f"missing: {missing}" if missing else "", *(pattern.get("notes") or ())]
    return [
        _code(design_rows.pattern_name(pattern)),
        _text(pattern["kind"]),
        _text(pattern.get("index") or ""),
        _text(pattern.get("rate") or ""),
        design_rows.call_units(estimate, "read"),
        design_rows.call_units(estimate, "write"),
        _text("; ".join(filter(None, notes))),
    ]


def _details(pattern: dict[str, Any]) -> Iterator[str]:
    """The plan of a pattern; the table above has the rest."""
    lines = pattern.get("plan")
    if not lines:
        return
    about = [text for label, text in design_rows.facts(pattern) if label == "about"]
    yield ": ".join([f"### {_text(design_rows.pattern_name(pattern))}", *map(_text, about)])
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", "\n".join(lines)) or [""]))
    yield "\n".join([f"{fence}text", *lines, fence])


def _grid(heading: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    every = [heading, ["---"] * len(heading), *lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in every)


def _text(text: str) -> str:
    r"""A text with escapes for the special characters of Markdown."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split("\n")))


def _code(text: str) -> str:
    r"""A text in code style, which may have backticks and be in a table."""
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    inner = f" {text} " if "`" in text else text
    return f"{ticks}{inner}{ticks}".replace("|", "\\|")
