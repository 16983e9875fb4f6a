"""What a projection leaves of an item, as DynamoDB does it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .branches import Branches, branches, leads_into_list
from .tree import Projection

__all__ = ["project"]

Wire = Mapping[str, Any]
WireItem = dict[str, dict[str, Any]]


def project(projection: Projection, item: Mapping[str, Wire]) -> WireItem:
    """What a read with this projection returns of an item.

    Elements of a list come back in the order of the list, closed up.

    Example:
        >>> from pksk.expressions import parse_projection
        >>> project(parse_projection("a, l[2], l[0]"), {"l": {"L": [{"N": "1"}, {"N": "2"}, {"N": "3"}]}})
        {'l': {'L': [{'N': '1'}, {'N': '3'}]}}
    """
    try:
        root: Branches = projection.prepared
    except AttributeError:
        root = branches((path, None) for path in projection.paths)
        object.__setattr__(projection, "prepared", root)
    return _kept_map(item, root)


def _kept_map(members: Mapping[str, Wire], branch: Branches) -> WireItem:
    kept: Any = {}
    for name, inner in branch.items():
        value: Any = members.get(name)
        if value is not None:
            if inner is not None:
                value = _kept(value, inner)
                if value is None:
                    continue
            kept[name] = value
    return kept  # type: ignore[no-any-return]


def _kept(value: Wire, branch: Branches) -> Wire | None:
    if leads_into_list(branch):
        elements = _kept_elements(value.get("L", ()), branch)
        return {"L": elements} if elements else None
    kept = _kept_map(value.get("M", {}), branch)
    return {"M": kept} if kept else None


def _kept_elements(members: Any, branch: Branches) -> list[Wire]:
    elements = []
    for index in sorted(branch):
        if index < len(members):
            value = members[index]
            inner = branch[index]
            element = value if inner is None else _kept(value, inner)
            if element is not None:
                elements.append(element)
    return elements
