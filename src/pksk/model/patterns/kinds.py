"""The kind of an access pattern, from what its function says that it returns."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any, get_args, get_origin

from pksk.errors import DesignError, quote

__all__ = ["KINDS", "kind_of"]

# The requests by the name of their class.
KINDS = {
    "Query": "query",
    "Get": "get",
    "Scan": "scan",
    "Put": "put",
    "Update": "update",
    "Delete": "delete",
    "Check": "check",
    "Batch": "batch",
    "Transaction": "transaction",
}
_SEVERAL = {"list", "tuple", "Sequence", "Iterable"}


def kind_of(where: str, annotation: Any) -> str:
    """The kind of request that a pattern returns; refused where the annotation names none.

    The annotation may be a text that nothing can evaluate yet, as in the body of the class that it names.

    Example:
        >>> kind_of("Order.recent", 'Query["Order"]'), kind_of("cells", "list[Query[Cell]]")
        ('query', 'query')
    """
    name = _name(annotation)
    if name in KINDS:
        return KINDS[name]
    raise DesignError(
        "access-kind",
        f"{where}: it returns {quote(annotation) if annotation is not None else 'nothing'}, which is no request.",
        expected=f"A pattern returns one of: {', '.join(KINDS)}; or a list of one of them.",
        fix='annotate the function, for example -> Query["Order"].',
    )


def _name(annotation: Any) -> str:
    """The class that an annotation is about, without what it is made of."""
    if isinstance(annotation, str):
        return _name_in_text(annotation)
    origin = get_origin(annotation) or annotation
    name = getattr(origin, "__name__", "")
    if name in _SEVERAL or origin in (Sequence,):
        arguments = [each for each in get_args(annotation) if each is not Ellipsis]
        return _name(arguments[0]) if arguments else ""
    return str(name)


def _name_in_text(text: str) -> str:
    try:
        tree: ast.expr = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return ""
    return _name_in_tree(tree)


def _name_in_tree(tree: ast.expr) -> str:
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        return _name_in_text(tree.value)
    outer = tree.value if isinstance(tree, ast.Subscript) else tree
    name = outer.attr if isinstance(outer, ast.Attribute) else getattr(outer, "id", "")
    if name in _SEVERAL and isinstance(tree, ast.Subscript):
        inner = tree.slice.elts[0] if isinstance(tree.slice, ast.Tuple) else tree.slice
        return _name_in_tree(inner)
    return str(name)


def names_in(annotations: Mapping[str, Any]) -> set[str]:
    """Every name that occurs in annotations that are texts.

    Example:
        >>> sorted(names_in({"return": "Query[Post | Record]"}))
        ['Post', 'Query', 'Record']
    """
    found: set[str] = set()
    for annotation in annotations.values():
        if isinstance(annotation, str):
            try:
                tree = ast.parse(annotation.strip(), mode="eval")
            except SyntaxError:
                continue
            found |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return found
