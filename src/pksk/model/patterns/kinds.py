"""The kind of an access pattern, from what its function says that it returns."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args, get_origin

from pksk.errors import DesignError, quote

__all__ = ["KINDS", "Returned", "returned"]

# The requests by the name of their class.
KINDS = {
    "Query": "query",
    "Get": "get",
    "Scan": "scan",
    "Nearest": "nearest",
    "Put": "put",
    "Update": "update",
    "Delete": "delete",
    "Check": "check",
    "Batch": "batch",
    "Transaction": "transaction",
}
_SEVERAL = {"list", "tuple", "Sequence"}


@dataclass(frozen=True)
class Returned:
    """What a pattern says that it returns: requests of one kind, one of them or several in a list."""

    kind: str
    several: bool = False

    def __str__(self) -> str:
        name = next(name for name, kind in KINDS.items() if kind == self.kind)
        return f"a list of {name}" if self.several else name


def returned(where: str, annotation: Any) -> Returned:
    """What a pattern returns; refused where the annotation names no request.

    The annotation may be a text that nothing can evaluate yet, as in the body of the class that it names.

    Example:
        >>> returned("Order.recent", 'Query["Order"]'), returned("cells", "list[Query[Cell]]")
        (Returned(kind='query', several=False), Returned(kind='query', several=True))
    """
    name, several = _name(annotation)
    if name in KINDS:
        return Returned(KINDS[name], several)
    raise DesignError(
        "access-kind",
        f"{where}: it returns {quote(annotation) if annotation is not None else 'nothing'}, which is no request.",
        expected=f"A pattern returns one of: {', '.join(KINDS)}; or a list of one of them.",
        fix='annotate the function, for example -> Query["Order"].',
    )


def _name(annotation: Any) -> tuple[str, bool]:
    """The class that an annotation is about, without what it is made of, and whether it is of several."""
    if isinstance(annotation, str):
        return _name_in_text(annotation)
    origin = get_origin(annotation) or annotation
    name = getattr(origin, "__name__", "")
    if name in _SEVERAL or origin in (Sequence,):
        arguments = [each for each in get_args(annotation) if each is not Ellipsis]
        return (_name(arguments[0])[0] if arguments else "", True)
    return str(name), False


def _name_in_text(text: str) -> tuple[str, bool]:
    try:
        tree: ast.expr = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return "", False
    return _name_in_tree(tree)


def _name_in_tree(tree: ast.expr) -> tuple[str, bool]:
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        return _name_in_text(tree.value)
    outer = tree.value if isinstance(tree, ast.Subscript) else tree
    name = outer.attr if isinstance(outer, ast.Attribute) else getattr(outer, "id", "")
    if name in _SEVERAL and isinstance(tree, ast.Subscript):
        inner = tree.slice.elts[0] if isinstance(tree.slice, ast.Tuple) else tree.slice
        return _name_in_tree(inner)[0], True
    return str(name), False
