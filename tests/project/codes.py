"""Finds the error codes that the source uses."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import walk_packages

import pksk
from pksk.errors import PkskError
from tests.project.tree import syntax_trees

# Callables with a code as an argument -> the position of that argument.
Takers = dict[str, int]


@dataclass(frozen=True)
class Use:
    """A call that makes an error: where, with which codes, or handing on the code it was given."""

    place: str
    codes: tuple[str, ...]
    hands_on: bool


@cache
def uses() -> list[Use]:
    """Every call of an error's class, or of a function that makes an error with the code it is given."""
    trees = syntax_trees()
    return [
        Use(f"{place}:{call.lineno}", tuple(literal_codes(code)), _hands_on(code))
        for place, call, code in calls_with_a_code(trees)
    ]


def calls_with_a_code(trees: Mapping[str, ast.Module]) -> Iterator[tuple[str, ast.Call, ast.expr | None]]:
    """The same calls: the file, the call, and its argument that is the code."""
    takers = {place: _takers(tree) for place, tree in trees.items()}
    shared = dict.fromkeys(_error_names(), 0) | _public(takers.values())
    for place, tree in trees.items():
        known = shared | takers[place]
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _called(node) in known:
                yield place, node, _argument(node, known[_called(node)])


def _error_names() -> set[str]:
    for module in walk_packages(pksk.__path__, "pksk."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    return {kind.__name__ for kind in _family(PkskError)}


def _family(kind: type[PkskError]) -> Iterator[type[PkskError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from _family(child)


def _takers(tree: ast.Module) -> Takers:
    """Functions such as `_error(code, problem)`, which make an error with the code they are given."""
    functions = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and _makes_an_error(node)
    ]
    return {node.name: _parameters(node).index("code") for node in functions}


def _public(takers: Iterable[Takers]) -> Takers:
    """Those that other modules may call."""
    return {name: index for each in takers for name, index in each.items() if not name.startswith("_")}


def _makes_an_error(node: ast.FunctionDef) -> bool:
    """Whether it passes its `code` on to an error."""
    calls = (inner for inner in ast.walk(node) if isinstance(inner, ast.Call))
    return "code" in _parameters(node) and any(_hands_on(_argument(call, 0)) for call in calls)


def _parameters(node: ast.FunctionDef) -> list[str]:
    return [argument.arg for argument in node.args.args if argument.arg not in {"self", "cls"}]


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _argument(node: ast.Call, index: int) -> ast.expr | None:
    named = [keyword.value for keyword in node.keywords if keyword.arg == "code"]
    return next(iter([*named, *node.args[index : index + 1]]), None)


def literal_codes(argument: ast.expr | None) -> list[str]:
    """The codes an argument can be: one string, or one of two."""
    if isinstance(argument, ast.IfExp):
        return literal_codes(argument.body) + literal_codes(argument.orelse)
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        return [argument.value]
    return []


def _hands_on(argument: ast.expr | None) -> bool:
    return isinstance(argument, ast.Name) and argument.id == "code"
