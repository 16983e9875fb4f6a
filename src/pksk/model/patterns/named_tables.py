"""Finds the tables of an access pattern outside of any entity, from the entities that its code names."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import CodeType, ModuleType
from typing import Any, ForwardRef, Literal, get_args, get_origin

from pksk.schema import Table


def tables_of(found: Iterable[Any]) -> list[Table]:
    """The tables of these entities and tables, each once."""
    return list({id(table): table for each in found if (table := _table(each)) is not None}.values())


def incomplete_entities(found: Iterable[Any]) -> list[type]:
    """Those entities that wait for a name that is defined after them, and cannot be asked yet."""
    return [
        each for each in found if isinstance(each, type) and _own_table(each) and "__pksk__" not in vars(each)
    ]


def named_entities(function: Callable[..., Any]) -> list[Any]:
    """All entities and tables that a function names in its body or annotations; nothing is called.

    What stands behind a decorator that keeps the function, as those of functools do, is looked at too.
    """
    found: list[Any] = []
    for each in _wrapped_functions(function):
        known = {**getattr(each, "__globals__", {}), **_closed_over(each)}
        names = list(dict.fromkeys(_names(each.__code__))) if hasattr(each, "__code__") else []
        found += _values(names, known)
        for annotation in getattr(each, "__annotations__", {}).values():
            found += _in_annotation(annotation, known)
    unique = {id(each): each for each in found if _table(each) is not None}
    return list(unique.values())


def _wrapped_functions(function: Callable[..., Any]) -> Iterator[Any]:
    """A function and all that its decorators wrap."""
    seen: set[int] = set()
    while function is not None and id(function) not in seen:
        seen.add(id(function))
        yield function
        function = getattr(function, "__wrapped__", None)  # type: ignore[assignment]


def _values(names: Iterable[str], known: Mapping[str, Any]) -> Iterator[Any]:
    """What names stand for, and what they stand for in the modules among these: `models.Order`."""
    wanted = list(names)
    modules = [known[name] for name in wanted if isinstance(known.get(name), ModuleType)]
    yield from (known[name] for name in wanted if name in known)
    seen: set[int] = set()
    while modules:
        module = modules.pop(0)
        if id(module) in seen:
            continue
        seen.add(id(module))
        inside = [vars(module)[name] for name in wanted if name in vars(module)]
        modules += [each for each in inside if isinstance(each, ModuleType)]
        yield from inside


def _in_annotation(annotation: Any, known: Mapping[str, Any]) -> Iterator[Any]:
    if isinstance(annotation, ForwardRef):
        annotation = annotation.__forward_arg__
    if isinstance(annotation, str):
        yield from _in_text(annotation, known)
    elif get_origin(annotation) is None:
        yield annotation
    elif get_origin(annotation) is not Literal:
        for each in get_args(annotation):
            yield from _in_annotation(each, known)


def _in_text(text: str, known: Mapping[str, Any]) -> Iterator[Any]:
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
            yield from _in_text(node.value, known)
        if not (isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("Literal")):
            nodes += ast.iter_child_nodes(node)
    yield from _values(names, known)


def _closed_over(function: Any) -> dict[str, Any]:
    cells = getattr(function, "__closure__", None) or ()
    names = function.__code__.co_freevars if cells else ()
    return {name: cell.cell_contents for name, cell in zip(names, cells, strict=True) if _has_value(cell)}


def _has_value(cell: Any) -> bool:
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


def _table(value: Any) -> Table | None:
    if isinstance(value, Table):
        return value
    if not isinstance(value, type):
        return None
    # Looked up by hand: to ask an entity for its declaration is to complete it.
    declared = next((vars(base)["__pksk__"] for base in value.__mro__ if "__pksk__" in vars(base)), None)
    return _own_table(value) or getattr(declared, "table", None)


def _own_table(entity: type) -> Table | None:
    """The table that an entity was made with, which it has said before it is complete."""
    table: Table | None = (vars(entity).get("__pksk_options__") or {}).get("table")
    return table
