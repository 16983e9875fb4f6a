"""Finds the tables of an access pattern that is not in an entity, by the names in its code."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import CellType, CodeType, ModuleType
from typing import Any, ForwardRef, Literal, get_args, get_origin

from pksk.schema import Table


def tables_of(owners: Iterable[object]) -> list[Table]:
    """The tables of these entities and tables, each once."""
    return list({id(table): table for each in owners if (table := _table(each)) is not None}.values())


def incomplete_entities(owners: Iterable[object]) -> list[type]:
    """The entities with unresolved forward references, which have no declaration yet."""
    return [
        each
        for each in owners
        if isinstance(each, type) and _own_table(each) and "__pksk__" not in vars(each)
    ]


def named_entities(function: Callable[..., Any]) -> list[object]:
    """All entities and tables that a function names in its body or annotations, without calling it.

    A sequence counts as the entity of its counters.
    Functions that decorators wrap are included, if the decorator sets `__wrapped__` as functools does.
    """
    values: list[object] = []
    for each in _wrapped_functions(function):
        namespace = {**getattr(each, "__globals__", {}), **_closure_values(each)}
        names = list(dict.fromkeys(_names(each.__code__))) if hasattr(each, "__code__") else []
        values += _values(names, namespace)
        for annotation in getattr(each, "__annotations__", {}).values():
            values += _annotation_values(annotation, namespace)
    unique = {id(each): each for each in map(_without_sequence, values) if _table(each) is not None}
    return list(unique.values())


def _wrapped_functions(function: Callable[..., Any]) -> Iterator[Any]:
    """A function, and the functions that its decorators wrap."""
    seen: set[int] = set()
    while function is not None and id(function) not in seen:
        seen.add(id(function))
        yield function
        function = getattr(function, "__wrapped__", None)  # type: ignore[assignment]


def _values(names: Iterable[str], namespace: Mapping[str, object]) -> Iterator[object]:
    """The values of names, also as attributes of modules among them: `models.Order`."""
    names = list(names)
    modules = [namespace[name] for name in names if isinstance(namespace.get(name), ModuleType)]
    yield from (namespace[name] for name in names if name in namespace)
    seen: set[int] = set()
    while modules:
        module = modules.pop(0)
        if id(module) in seen:
            continue
        seen.add(id(module))
        values = [vars(module)[name] for name in names if name in vars(module)]
        modules += [each for each in values if isinstance(each, ModuleType)]
        yield from values


def _annotation_values(annotation: object, namespace: Mapping[str, object]) -> Iterator[object]:
    if isinstance(annotation, ForwardRef):
        annotation = annotation.__forward_arg__
    if isinstance(annotation, str):
        yield from _text_values(annotation, namespace)
    elif get_origin(annotation) is None:
        yield annotation
    elif get_origin(annotation) is not Literal:
        for each in get_args(annotation):
            yield from _annotation_values(each, namespace)


def _text_values(text: str, namespace: Mapping[str, object]) -> Iterator[object]:
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        return
    names: list[str] = []
    nodes: list[ast.AST] = [tree]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Name | ast.Attribute):
            names.append(node.id if isinstance(node, ast.Name) else node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _text_values(node.value, namespace)
        if not (isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("Literal")):
            nodes += ast.iter_child_nodes(node)
    yield from _values(names, namespace)


def _closure_values(function: Any) -> dict[str, object]:
    cells = getattr(function, "__closure__", None) or ()
    names = function.__code__.co_freevars if cells else ()
    return {name: cell.cell_contents for name, cell in zip(names, cells, strict=True) if _has_value(cell)}


def _has_value(cell: CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - a variable that is assigned later raises
    except ValueError:
        return False
    return True


def _names(code: CodeType) -> Iterator[str]:
    yield from (*code.co_names, *code.co_freevars)
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names(each)


def _without_sequence(value: object) -> object:
    """The entity of a sequence; any other value as it is."""
    # A sequence comes from a module that is loaded; most designs need not load it.
    sequences = sys.modules.get("pksk.model.sequences")
    return value.entity if sequences is not None and isinstance(value, sequences.Sequence) else value


def _table(value: object) -> Table | None:
    if isinstance(value, Table):
        return value
    if not isinstance(value, type):
        return None
    # Not by getattr, which would complete the entity.
    declared = next((vars(base)["__pksk__"] for base in value.__mro__ if "__pksk__" in vars(base)), None)
    return _own_table(value) or getattr(declared, "table", None)


def _own_table(entity: type) -> Table | None:
    """The table= option of an entity, which its class has before it is complete."""
    table: Table | None = (vars(entity).get("__pksk_options__") or {}).get("table")
    return table
