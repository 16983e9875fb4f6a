"""Finds the lines of a design's source where entities, keys, access patterns and tables are declared."""

from __future__ import annotations

import ast
import inspect
import linecache
import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from pksk.dataclass import dataclass
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey
from pksk.model.patterns.pattern import Pattern
from pksk.schema import Table


@dataclass(frozen=True)
class SourceLines:
    """The file of a declaration, and its first and last line."""

    file: str
    first: int
    last: int

    @property
    def text(self) -> str:
        """The source of the declaration, as it is indented in its file."""
        return "".join(linecache.getline(self.file, number) for number in range(self.first, self.last + 1))


def relative_file(file: str) -> str:
    """A file by its path from the current folder, with slashes on every system."""
    return os.path.relpath(file).replace(os.sep, "/")


@dataclass(frozen=True)
class Subject:
    """What a finding is about: its name, and where it is declared, if that has a source."""

    name: str
    lines: SourceLines | None = None


def entity_subject(declaration: Declaration) -> Subject:
    """An entity, at the line of its class statement."""
    return Subject(declaration.name, _in_class(declaration.entity, ""))


def key_subject(declaration: Declaration, key: EntityKey) -> Subject:
    """A key of an entity, at its assignment in the class that declares it."""
    owner = key.source.owner if key.source is not None else declaration.entity
    return Subject(f"{declaration.name}.{key.name}", _in_class(owner or declaration.entity, key.name))


def pattern_subject(pattern: Pattern) -> Subject:
    """An access pattern, from its decorator to the end of its function."""
    function = inspect.unwrap(pattern.function)
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return Subject(pattern.name)
    file = inspect.getsourcefile(function) or ""
    return Subject(pattern.name, SourceLines(file, first, first + len(lines) - 1))


def table_subject(table: Table, index: str | None = None) -> Subject:
    """A table, or an index of it, at the call of Table in the module that declares it."""
    name = f"{table.name}/{index}" if index else table.name
    lines = (_table_lines(file, table.name) for file in _files_with(table))
    return Subject(name, next(filter(None, lines), None))


def _files_with(table: Table) -> Iterator[str]:
    """The files of all modules that have the table under some name."""
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", {})
        file = names.get("__file__")
        if isinstance(file, str) and any(value is table for value in list(names.values())):
            yield file


def _file_of(entity: type) -> str | None:
    try:
        return inspect.getsourcefile(entity)
    except TypeError:
        return None


def _in_class(owner: type, name: str) -> SourceLines | None:
    """The lines of a class statement, or of an assignment in the class."""
    file = _file_of(owner)
    body = _classes_by_name(file).get(owner.__qualname__) if file else None
    if file is None or body is None:
        return None
    if not name:
        return SourceLines(file, body.lineno, body.lineno)
    for node in body.body:
        if name in _assigned(node):
            return SourceLines(file, node.lineno, node.end_lineno or node.lineno)
    return None


def _assigned(node: ast.AST) -> list[str]:
    targets: list[Any] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


@cache
def syntax_tree(file: str) -> ast.Module | None:
    """The syntax tree of a file; None if it is not Python."""
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return None


@cache
def syntax_nodes(file: str) -> Mapping[type[ast.AST], Sequence[Any]]:
    """All nodes of a file by their type, each in the order of the source."""
    tree = syntax_tree(file)
    nodes_by_type: dict[type[ast.AST], list[Any]] = defaultdict(list)
    for node in ast.walk(tree) if tree is not None else ():
        nodes_by_type[type(node)].append(node)
    return nodes_by_type


@cache
def _classes_by_name(file: str) -> Mapping[str, ast.ClassDef]:
    """Every class of a file by its qualified name; of several with one name the first."""
    classes: dict[str, ast.ClassDef] = {}
    for name, node in _classes(file):
        classes.setdefault(name, node)
    return classes


def _classes(file: str) -> Iterator[tuple[str, ast.ClassDef]]:
    """Every class of a file, by its qualified name."""
    tree = syntax_tree(file)
    pending: list[tuple[str, Any]] = [("", tree)] if tree is not None else []
    while pending:
        prefix, node = pending.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                yield f"{prefix}{child.name}", child
                pending.append((f"{prefix}{child.name}.", child))
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                pending.append((f"{prefix}{child.name}.<locals>.", child))
            else:
                pending.append((prefix, child))


@cache
def _table_lines(file: str, name: str) -> SourceLines | None:
    """The call of Table with this name."""
    tree = syntax_tree(file)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call) and _called(node) == "Table" and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant) and first.value == name:
                return SourceLines(file, node.lineno, node.end_lineno or node.lineno)
    return None


def _called(call: ast.Call) -> str:
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


_ACCEPTED = re.compile(r"#\s*pksk:\s*accept\s+(?P<rules>[a-z0-9, -]+?)\s*(?::\s*(?P<reason>.*))?$")


def accepted_reason(lines: SourceLines, rule: str) -> str | None:
    """The reason in a comment `# pksk: accept RULE: reason`, in the lines of a declaration or just above them.

    None without such a comment, and empty if it gives no reason.
    """
    for number in range(lines.first - 1, lines.last + 1):
        match = _ACCEPTED.search(linecache.getline(lines.file, number).rstrip())
        if match and rule in [each.strip() for each in match["rules"].split(",")]:
            return (match["reason"] or "").strip()
    return None
