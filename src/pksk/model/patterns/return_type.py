"""The declared return type of an access pattern, and the check of its requests."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from importlib import import_module
from typing import get_args, get_origin

from pksk.dataclass import dataclass
from pksk.errors import DesignError, quote
from pksk.model.requests import REQUEST_CLASSES, REQUEST_NAMES
from pksk.model.requests.request import Request

_SEVERAL = {"list", "tuple", "Sequence"}
_KINDS = {name: kind for kind, name in REQUEST_CLASSES.items()}


@dataclass(frozen=True)
class ReturnType:
    """The return type of a pattern: a request of one kind, or a list of them."""

    kind: str
    several: bool = False

    @property
    def request_class(self) -> type[Request]:
        """The class of the requests."""
        return getattr(import_module("pksk.model.requests"), REQUEST_CLASSES[self.kind])  # type: ignore[no-any-return]

    def __str__(self) -> str:
        name = REQUEST_CLASSES[self.kind]
        return f"a list of {name}" if self.several else name


def return_type(where: str, annotation: object) -> ReturnType:
    """The return type of a pattern; raises if the annotation names no request.

    The annotation may be a text that cannot be evaluated yet, as in the body of the class that it names.
    """
    name, several = _name(annotation)
    if name in REQUEST_NAMES:
        return ReturnType(_KINDS[name], several)
    raise DesignError(
        "access-kind",
        f"{where}: its return annotation is {f'{quote(annotation)}, not a request' if annotation else 'missing'}.",
        expected=f"A pattern returns one of: {', '.join(REQUEST_NAMES)}; or a list of one of them.",
        fix='annotate the function, for example -> Query["Order"].',
    )


def _name(annotation: object) -> tuple[str, bool]:
    """The name of the class in an annotation without its type arguments, and whether it is in a list."""
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


# Errors that do not depend on the arguments.
STRUCTURAL_ERRORS = {
    "key-unknown-part",
    "key-missing-part",
    "plan-missing-part",
    "plan-not-projected",
    "plan-consistent-index",
    "plan-get-index",
    "plan-vector-index",
    "nearest-key",
    "geo-key",
    "geo-position",
    "nearest-unknown-part",
    "entity-unknown-field",
    "where-no-index",
    "access-consistent",
    "access-returns",
    "bounds-gap",
    "bounds-unordered",
    "write-key-field",
}


def check_result(result: object, declared: ReturnType, consistent: bool | None) -> tuple[Request, ...]:
    """The planned requests of a call; raises if they are wrong."""
    several = isinstance(result, list | tuple)
    values = result if isinstance(result, list | tuple) else (result,)
    requests = tuple(_checked_kind(each, declared, several=several) for each in values)
    if not requests:
        raise DesignError(
            "access-no-request",
            "it returns no request for these arguments, so its plan and cost are unknown.",
            fix="declare an example for which it returns one: @access(example={...}).",
        )
    for request in requests:
        _plan(request)
        if consistent is not None:
            _check_consistent(request, consistent)
    return requests


def _checked_kind(request: object, declared: ReturnType, *, several: bool) -> Request:
    if not isinstance(request, Request):
        raise TypeError(f"{quote(request)} is not a request")
    returned = ReturnType(request.kind, several)
    if returned != declared:
        raise DesignError(
            "access-returns",
            f"it is annotated with {declared}, but returns {returned}.",
            fix=f"annotate it with what it returns: {returned}.",
        )
    return request


def _plan(request: Request) -> None:
    """Plan the request, so that its errors show here; unless a store must read fields first."""
    if request.plan is None and not getattr(request, "fields_to_read", None):
        _ = request.api_requests


def _fix(request: Request, consistent: bool) -> str:
    if not consistent:
        return "remove .consistently()."
    if not hasattr(request, "consistently"):
        return "remove consistent=True: there is no such read."
    return "return the request with .consistently()."


def _check_consistent(request: Request, consistent: bool) -> None:
    # Reads of a transaction are always consistent.
    members = getattr(request, "members", [request]) if request.kind == "batch" else [request]
    for reads in (getattr(each, "consistent", consistent) for each in members):
        if reads != consistent:
            raise DesignError(
                "access-consistent",
                f"it is declared with consistent={consistent}, but its request {'reads' if reads else 'does not read'} "
                "consistently.",
                fix=_fix(request, consistent),
            )
