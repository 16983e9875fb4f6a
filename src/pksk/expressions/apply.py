"""What an update makes of an item, as DynamoDB does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from functools import partial
from typing import Any, Final

from pksk.values import canonical, parse_number

from .branches import Branches, branches, leads_into_list
from .compare import SETS, find, set_members
from .texts import refusal
from .tree import Add, Arithmetic, Call, Delete, Path, Remove, Set, Update, Value

__all__ = ["apply"]

Wire = Mapping[str, Any]
WireItem = dict[str, dict[str, Any]]
# What happens at the end of a path: the value there becomes another one, or None and is gone.
_Change = Callable[[Wire | None], Wire | None]
# Numbers reach from 1E-130 to 9.99E125; this holds any sum of two of them.
_EXACT: Final = Context(prec=400)


def apply(update: Update, item: Mapping[str, Wire]) -> WireItem:
    """The item after an update without placeholders; the one given is not touched.

    Every value is read from the item as it was: ``SET a = :v, b = a`` gives b the old a, and list
    indexes mean the old places. Sets come out in the order that DynamoDB gives them back in.

    Example:
        >>> from pksk.expressions import parse_update
        >>> update = parse_update("SET days[9] = :x REMOVE days[0] ADD n :x", values={":x": {"N": "5"}})
        >>> apply(update, {"days": {"L": [{"N": "1"}, {"N": "2"}]}})
        {'days': {'L': [{'N': '2'}, {'N': '5'}]}, 'n': {'N': '5'}}
    """
    changed: Any = dict(item)
    inside: list[tuple[Path, _Change]] = []
    for action in update.actions:
        path = action.path
        if len(path.elements) > 1:
            inside.append((path, _change(action, item)))
            continue
        name: Any = path.elements[0]
        value = _change(action, item)(item.get(name))
        if value is None:
            changed.pop(name, None)
        else:
            changed[name] = value
    if inside:
        for name, inner in branches(inside).items():
            changed[name] = _changed(item.get(name), inner)
    return changed  # type: ignore[no-any-return]


def _changed(value: Wire | None, change: Branches | _Change) -> Wire | None:
    if not isinstance(change, dict):
        return change(value)
    of_list = leads_into_list(change)
    if value is not None and of_list and "L" in value:
        return {"L": _changed_list(value["L"], change)}
    if value is not None and not of_list and "M" in value:
        return {"M": _changed_map(value["M"], change)}
    raise refusal("update-invalid-path")


def _changed_map(members: Mapping[str, Wire], branch: Branches) -> dict[str, Wire]:
    changed = dict(members)
    for name, change in branch.items():
        value = _changed(members.get(name), change)
        if value is None:
            changed.pop(name, None)
        else:
            changed[name] = value
    return changed


def _changed_list(members: list[Wire], branch: Branches) -> list[Wire]:
    changed: list[Wire | None] = list(members)
    for index in sorted(branch):
        value = _changed(members[index] if index < len(members) else None, branch[index])
        if index < len(members):
            changed[index] = value
        else:
            changed.append(value)
    return [value for value in changed if value is not None]


def _change(action: Any, item: Mapping[str, Wire]) -> _Change:
    kind = type(action)
    if kind is Set:
        value = _value(action.value, item)
        return lambda _: value
    if kind is Remove:
        return lambda _: None
    return partial(_CHANGES[kind], action.value.wire)


def _added(added: Any, value: Wire | None) -> Wire:
    (kind,) = added
    if value is None:
        return {kind: _sorted(kind, added[kind])} if kind in SETS else added
    if kind not in value:
        raise refusal("update-operand-type")
    if kind == "N":
        return _sum("+", value, added)
    if kind == "L":
        return {"L": [*value["L"], *added["L"]]}
    merged = set_members(kind, value[kind])
    for key, text in set_members(kind, added[kind]).items():
        merged.setdefault(key, text)
    return {kind: [merged[key] for key in sorted(merged)]}


def _deleted(gone: Any, value: Wire | None) -> Wire | None:
    (kind,) = gone
    if value is None:
        return None
    if kind not in value:
        raise refusal("update-operand-type")
    left = set_members(kind, value[kind])
    for key in set_members(kind, gone[kind]):
        left.pop(key, None)
    return {kind: [left[key] for key in sorted(left)]} if left else None


_CHANGES: Final[dict[type, Callable[[Any, Wire | None], Wire | None]]] = {Add: _added, Delete: _deleted}


def _sorted(kind: str, members: list[str]) -> list[str]:
    keys = set_members(kind, members)
    return [keys[key] for key in sorted(keys)]


def _value(node: Any, item: Mapping[str, Wire]) -> Wire:
    if type(node) is Value:
        return node.wire
    if type(node) is Path:
        found = find(node, item)
        if found is None:
            raise refusal("update-missing-attribute")
        return found
    if type(node) is Arithmetic:
        return _sum(node.operator, _value(node.left, item), _value(node.right, item))
    if type(node) is Call and node.name == "if_not_exists":
        found = find(node.operands[0], item)  # type: ignore[arg-type]
        return _value(node.operands[1], item) if found is None else found
    first, second = (_value(operand, item) for operand in node.operands)
    if "L" not in first or "L" not in second:
        raise refusal("update-operand-type")
    return {"L": [*first["L"], *second["L"]]}


def _sum(operator: str, one: Wire, two: Wire) -> Wire:
    if "N" not in one or "N" not in two:
        raise refusal("update-operand-type")
    first, second = parse_number(one["N"]), parse_number(two["N"])
    if type(first) is int and type(second) is int:
        return {"N": canonical(str(first + second if operator == "+" else first - second))}
    left, right = Decimal(first), Decimal(second)
    result = _EXACT.add(left, right) if operator == "+" else _EXACT.subtract(left, right)
    # A zero keeps the exponent of its operands, which would be held to the range of numbers.
    return {"N": canonical(f"{result:f}") if result else "0"}
