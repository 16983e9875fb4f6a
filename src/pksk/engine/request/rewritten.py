"""Copies values that were looked at and cannot stay as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from .scalars import read_blob, read_boolean
from .shapes import VALUE_MEMBERS

__all__ = ["rewritten"]

# Maps and lists that are still to be filled from what was given; so nothing here calls itself.
_Unfilled: TypeAlias = list[tuple[Any, Any]]


def rewritten(given: Any) -> Any:
    """A copy: nulls and unknown members are gone, words for booleans are such, and bytes are base64.

    Example:
        >>> rewritten([{"BOOL": "no", "S": None}, None, {"L": [{"B": b"x"}]}])
        [{'BOOL': False}, {}, {'L': [{'B': 'eA=='}]}]
    """
    copy: Any = type(given)()
    unfilled: _Unfilled = [(given, copy)]
    while unfilled:
        source, target = unfilled.pop()
        if type(source) is dict:
            for name, value in source.items():
                target[name] = _rewritten_value(value, unfilled)
        else:
            target.extend(_rewritten_value(value, unfilled) for value in source)
    return copy


def _rewritten_value(value: Any, unfilled: _Unfilled) -> dict[str, Any]:
    copy: dict[str, Any] = {}
    for kind, content in (value or {}).items():
        if content is None or kind not in VALUE_MEMBERS:
            continue
        if kind in {"M", "L"}:
            copy[kind] = type(content)()
            unfilled.append((content, copy[kind]))
        else:
            copy[kind] = _REWRITTEN[kind](content) if kind in _REWRITTEN else content
    return copy


_REWRITTEN: Final[dict[str, Callable[[Any], Any]]] = {
    "B": read_blob,
    "BS": lambda content: [read_blob(member) for member in content],
    "BOOL": read_boolean,
    "NULL": read_boolean,
}
