"""Mechanical fixes: edits of the source in which a design is declared, shown as a unified diff."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from functools import cache, cached_property

from pksk.dataclass import dataclass, replace
from pksk.review.source_lines import relative_file, syntax_tree

_CONTEXT_LINES = 2


@dataclass(frozen=True)
class Edit:
    """New text for a region of a file: lines count from 1, columns from 0 in characters; the end is excluded."""

    file: str
    first_line: int
    first_column: int
    last_line: int
    last_column: int
    text: str


@dataclass(frozen=True)
class Change:
    """A mechanical fix: edits that belong together, of one file or of several."""

    edits: tuple[Edit, ...]

    @property
    def by_file(self) -> Mapping[str, tuple[Edit, ...]]:
        """The edits of each file, in their order in it."""
        ordered = sorted(self.edits, key=lambda each: (each.file, each.first_line, each.first_column))
        files = dict.fromkeys(each.file for each in ordered)
        return {file: tuple(each for each in ordered if each.file == file) for file in files}

    @cached_property
    def new_texts(self) -> Mapping[str, str]:
        """The whole text of each changed file, with the edits."""
        return {file: _edited(_lines(file), edits) for file, edits in self.by_file.items()}

    @cached_property
    def diff(self) -> str:
        """The change as a unified diff, which `git apply` and `patch -p1` take."""
        return "".join(line for file in self.new_texts for line in self._diff_lines(file))

    def _diff_lines(self, file: str) -> Iterator[str]:
        path = relative_file(file)
        after = self.new_texts[file].splitlines(keepends=True)
        for line in unified_diff(_lines(file), after, f"a/{path}", f"b/{path}", n=_CONTEXT_LINES):
            yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def change(*edits: Edit | None) -> Change | None:
    """These edits as a change; None if one of them is not possible, or if the result is not Python."""
    possible = [each for each in edits if each is not None]
    if not possible or len(possible) < len(edits):
        return None
    mechanical = Change(tuple(dict.fromkeys(possible)))
    return mechanical if all(_is_python(file, each) for file, each in mechanical.by_file.items()) else None


def replaced(file: str, node: ast.AST, text: str) -> Edit:
    """An edit that replaces an expression or a statement."""
    return _edit(file, _start(file, node), _end(file, node), text)


def replaced_text(file: str, node: ast.AST, old: str, new: str) -> Edit | None:
    """An edit that replaces a text that occurs once in the source of a node, as whole words and numbers."""
    source = source_of(file, node)
    matches = list(re.finditer(rf"(?<!\w){re.escape(old)}(?!\w)", source))
    if len(matches) != 1:
        return None
    return replaced(file, node, f"{source[: matches[0].start()]}{new}{source[matches[0].end() :]}")


def with_keyword(file: str, call: ast.Call, name: str, value: str) -> Edit:
    """An edit that gives a call a keyword argument, or another value for it."""
    for each in call.keywords:
        if each.arg == name:
            return replaced(file, each.value, value)
    arguments = _arguments(call)
    if not arguments:
        end = _end(file, call)
        return _edit(file, (end[0], end[1] - 1), (end[0], end[1] - 1), f"{name}={value}")
    separator = _separator(file, arguments[-1])
    end = _end(file, arguments[-1])
    return _edit(file, end, end, f"{separator}{name}={value}")


def without_argument(file: str, arguments: Sequence[ast.AST], dropped: ast.AST) -> Edit:
    """An edit that removes one of several arguments or elements, with a comma."""
    position = next(index for index, each in enumerate(arguments) if each is dropped)
    if position + 1 < len(arguments):
        return _edit(file, _start(file, dropped), _start(file, arguments[position + 1]), "")
    if position:
        return _edit(file, _end(file, arguments[position - 1]), _end(file, dropped), "")
    return replaced(file, dropped, "")


def without_lines(file: str, statement: ast.stmt) -> Edit:
    """An edit that removes the lines of a statement."""
    return Edit(file, statement.lineno, 0, (statement.end_lineno or statement.lineno) + 1, 0, "")


def qualified(file: str, call: ast.Call, name: str) -> tuple[str, list[Edit]] | None:
    """A public name as one writes it beside a call of another one, with the edit that imports it; None if unknown."""
    if isinstance(call.func, ast.Attribute):
        return f"{source_of(file, call.func.value)}.{name}", []
    known = getattr(call.func, "id", "")
    for statement in getattr(syntax_tree(file), "body", ()):
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith("pksk"):
            names = [each.name for each in statement.names]
            if name in names or "*" in names:
                return name, []
            if known in names:
                return name, [_import(file, statement, name)]
    return None


def source_of(file: str, node: ast.AST) -> str:
    """The source of a node."""
    (first, start), (last, end) = _start(file, node), _end(file, node)
    lines = _lines(file)[first - 1 : last]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    return "".join(lines)


def _import(file: str, statement: ast.ImportFrom, name: str) -> Edit:
    """An edit that imports one name more, in the order of isort."""
    after = next((each for each in statement.names if _import_order(each.name) > _import_order(name)), None)
    if after is None:
        end = _end(file, statement.names[-1])
        return _edit(file, end, end, f"{_separator(file, statement.names[-1])}{name}")
    start = _start(file, after)
    indent = _indent(file, after)
    return _edit(file, start, start, f"{name}, " if indent is None else f"{name},\n{indent}")


def _import_order(name: str) -> tuple[int, str]:
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, name


def _arguments(call: ast.Call) -> list[ast.AST]:
    everything: list[ast.AST] = [*call.args, *call.keywords]
    return sorted(everything, key=lambda node: (node.lineno, node.col_offset))  # type: ignore[attr-defined]


def _separator(file: str, node: ast.AST) -> str:
    """What comes between a node and one more: a line break if the node begins its line."""
    indent = _indent(file, node)
    return ", " if indent is None else f",\n{indent}"


def _indent(file: str, node: ast.AST) -> str | None:
    """The white space before a node that begins its line; None for others."""
    line, column = _start(file, node)
    before = _lines(file)[line - 1][:column]
    return before if not before.strip() else None


def _edit(file: str, start: tuple[int, int], end: tuple[int, int], text: str) -> Edit:
    return Edit(file, *start, *end, text)


def _start(file: str, node: ast.AST) -> tuple[int, int]:
    line: int = node.lineno  # type: ignore[attr-defined]
    return line, _characters(file, line, node.col_offset)  # type: ignore[attr-defined]


def _end(file: str, node: ast.AST) -> tuple[int, int]:
    line: int = node.end_lineno  # type: ignore[attr-defined]
    return line, _characters(file, line, node.end_col_offset)  # type: ignore[attr-defined]


def _characters(file: str, line: int, offset: int) -> int:
    """A column in characters; syntax trees have it in bytes."""
    return len(_lines(file)[line - 1].encode()[:offset].decode())


def _lines(file: str) -> list[str]:
    return linecache.getlines(file)


def _edited(lines: Sequence[str], edits: Sequence[Edit]) -> str:
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    text, parts, position = "".join(lines), [], 0
    for each in edits:
        parts.append(text[position : starts[each.first_line - 1] + each.first_column])
        parts.append(each.text)
        position = starts[each.last_line - 1] + each.last_column
    return "".join([*parts, text[position:]])


def _is_python(file: str, edits: Sequence[Edit]) -> bool:
    """Whether the statements at the top of a file are still Python after its edits; only those that change."""
    for first, last in _top_statements(file):
        inside = [each for each in edits if first <= each.first_line <= last]
        moved = [
            replace(each, first_line=each.first_line - first + 1, last_line=each.last_line - first + 1)
            for each in inside
        ]
        try:
            if moved:
                ast.parse(_edited(_lines(file)[first - 1 : last], moved))
        except SyntaxError:
            return False
    return True


@cache
def _top_statements(file: str) -> tuple[tuple[int, int], ...]:
    """The first and last line of each statement at the top of a file, with its decorators."""
    statements = []
    for node in getattr(syntax_tree(file), "body", ()):
        decorators = getattr(node, "decorator_list", ())
        statements.append((min(each.lineno for each in (node, *decorators)), node.end_lineno))
    return tuple(statements)
