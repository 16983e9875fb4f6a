"""What an update makes of an item, and what a projection leaves of it, as DynamoDB does it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Context, Decimal
from typing import Any, Final

from pksk.values import canonical

from .evaluate import find, set_members
from .texts import refusal
from .tree import Add, Arithmetic, Call, Delete, Path, Projection, Remove, Set, Update, Value

__all__ = ["apply", "project"]

Wire = Mapping[str, Any]
WireItem = dict[str, dict[str, Any]]
# What happens at the end of a path: the value there becomes another one, or None and is gone.
_Change = Callable[[Wire | None], Wire | None]
# Changes by path: each element leads to a change or to what is inside it.
_Branch = dict[Any, Any]
# Numbers reach from 1E-130 to 9.99E125; this holds any sum of two of them.
_EXACT: Final = Context(prec=400)


def apply(update: Update, item: Mapping[str, Wire]) -> WireItem:
    """The item after an update without placeholders; the one given is not touched.

    Every value is read from the item as it was: ``SET a = :v, b = a`` gives b the old a, and list
    indexes mean the old places.

    Example:
        >>> from pksk.expressions import parse_update
        >>> update = parse_update("SET days[9] = :x REMOVE days[0] ADD n :x", values={":x": {"N": "5"}})
        >>> apply(update, {"days": {"L": [{"N": "1"}, {"N": "2"}]}})
        {'days': {'L': [{'N': '2'}, {'N': '5'}]}, 'n': {'N': '5'}}
    """
    changes = _branch((action.path, _CHANGES[type(action)](action, item)) for action in update.actions)
    return _changed_map(item, changes)


def project(projection: Projection, item: Mapping[str, Wire]) -> WireItem:
    """What a read with this projection returns of an item.

    Elements of a list come back in the order of the list, closed up.

    Example:
        >>> from pksk.expressions import parse_projection
        >>> project(parse_projection("a, l[2], l[0]"), {"l": {"L": [{"N": "1"}, {"N": "2"}, {"N": "3"}]}})
        {'l': {'L': [{'N': '1'}, {'N': '3'}]}}
    """
    return _kept_map(item, _branch((path, None) for path in projection.paths))


def _branch(paths: Iterable[tuple[Path, Any]]) -> _Branch:
    root: _Branch = {}
    for path, end in paths:
        *before, last = path.elements
        branch = root
        for element in before:
            branch = branch.setdefault(element, {})
        branch[last] = end
    return root


def _changed_map(members: Mapping[str, Wire], branch: _Branch) -> WireItem:
    changed: WireItem = dict(members)  # type: ignore[arg-type]
    for name, change in branch.items():
        value = _changed(changed.get(name), change)
        if value is None:
            changed.pop(name, None)
        else:
            changed[name] = value  # type: ignore[assignment]
    return changed


def _changed_list(members: list[Wire], branch: _Branch) -> list[Wire]:
    changed: list[Wire | None] = list(members)
    for index in sorted(branch):
        value = _changed(members[index] if index < len(members) else None, branch[index])
        if index < len(members):
            changed[index] = value
        else:
            changed.append(value)
    return [value for value in changed if value is not None]


def _changed(value: Wire | None, change: _Branch | _Change) -> Wire | None:
    if not isinstance(change, dict):
        return change(value)
    of_list = isinstance(next(iter(change)), int)
    if value is not None and of_list and "L" in value:
        return {"L": _changed_list(value["L"], change)}
    if value is not None and not of_list and "M" in value:
        return {"M": _changed_map(value["M"], change)}
    raise refusal("update-invalid-path")


def _set(action: Set, item: Mapping[str, Wire]) -> _Change:
    value = _value(action.value, item)
    return lambda _: value


def _remove(_action: Remove, _item: Mapping[str, Wire]) -> _Change:
    return lambda _: None


def _add(action: Add, _item: Mapping[str, Wire]) -> _Change:
    added: Any = action.value.wire  # type: ignore[union-attr]
    ((kind, inner),) = added.items()

    def change(value: Wire | None) -> Wire:
        if value is None:
            return added  # type: ignore[no-any-return]
        if kind not in value:
            raise refusal("update-operand-type")
        if kind == "N":
            return _sum("+", value, added)
        merged = set_members(kind, value[kind])
        merged.update((key, text) for key, text in set_members(kind, inner).items() if key not in merged)
        return {kind: list(merged.values())}

    return change


def _delete(action: Delete, _item: Mapping[str, Wire]) -> _Change:
    ((kind, inner),) = action.value.wire.items()  # type: ignore[union-attr]

    def change(value: Wire | None) -> Wire | None:
        if value is None:
            return None
        if kind not in value:
            raise refusal("update-operand-type")
        gone = set_members(kind, inner)
        left = [text for key, text in set_members(kind, value[kind]).items() if key not in gone]
        return {kind: left} if left else None

    return change


_CHANGES: Final[dict[type, Callable[[Any, Mapping[str, Wire]], _Change]]] = {
    Set: _set,
    Remove: _remove,
    Add: _add,
    Delete: _delete,
}


def _value(node: Any, item: Mapping[str, Wire]) -> Wire:
    if isinstance(node, Value):
        return node.wire
    if isinstance(node, Path):
        found = find(node, item)
        if found is None:
            raise refusal("update-missing-attribute")
        return found
    if isinstance(node, Arithmetic):
        return _sum(node.operator, _value(node.left, item), _value(node.right, item))
    if isinstance(node, Call) and node.name == "if_not_exists":
        found = find(node.operands[0], item)  # type: ignore[arg-type]
        return _value(node.operands[1], item) if found is None else found
    first, second = (_value(operand, item) for operand in node.operands)
    if "L" not in first or "L" not in second:
        raise refusal("update-operand-type")
    return {"L": [*first["L"], *second["L"]]}


def _sum(operator: str, one: Wire, two: Wire) -> Wire:
    if "N" not in one or "N" not in two:
        raise refusal("update-operand-type")
    first, second = Decimal(canonical(one["N"])), Decimal(canonical(two["N"]))
    result = _EXACT.add(first, second) if operator == "+" else _EXACT.subtract(first, second)
    return {"N": canonical(str(result))}


def _kept_map(members: Mapping[str, Wire], branch: _Branch) -> WireItem:
    kept: WireItem = {}
    for name, inner in branch.items():
        value = _kept(members.get(name), inner)
        if value is not None:
            kept[name] = value  # type: ignore[assignment]
    return kept


def _kept(value: Wire | None, branch: _Branch | None) -> Wire | None:
    if value is None or branch is None:
        return value
    if isinstance(next(iter(branch)), int):
        members = value.get("L", ())
        found = (_kept(members[index], branch[index]) for index in sorted(branch) if index < len(members))
        elements = [element for element in found if element is not None]
        return {"L": elements} if elements else None
    return {"M": kept} if (kept := _kept_map(value.get("M", {}), branch)) else None
