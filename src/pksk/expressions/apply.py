"""Applies an update or a projection to an item, as DynamoDB does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Context, Decimal
from functools import partial
from typing import Any, Final, TypeAlias

from pksk.values import canonical_sum, parse_number

from .compare import SET_TYPES, set_members, value_at_path
from .texts import expression_error
from .tree import Add, Arithmetic, Call, Delete, Path, Projection, Remove, Set, Update, Value

PathTree: TypeAlias = dict[Any, Any]


def path_tree(paths: Iterable[tuple[Path, Any]]) -> PathTree:
    """The tree of paths that do not overlap, with a value at the end of each.

    Example:
        >>> path_tree([(Path(("a", "b")), 1), (Path(("a", "c")), 2), (Path(("d",)), 3)])
        {'a': {'b': 1, 'c': 2}, 'd': 3}
    """
    root: PathTree = {}
    for path, end in paths:
        *before, last = path.elements
        branch = root
        for element in before:
            branch = branch.setdefault(element, {})
        branch[last] = end
    return root


def leads_into_list(inner: PathTree) -> bool:
    """Whether these are elements of a list, and not members of a map.

    Example:
        >>> leads_into_list({0: None}), leads_into_list({"a": None})
        (True, False)
    """
    return isinstance(next(iter(inner)), int)


Wire = Mapping[str, Any]
WireItem = dict[str, dict[str, Any]]
# The change at the end of a path: from the current value to a new one, or None to remove it.
_Change = Callable[[Wire | None], Wire | None]
# Numbers reach from 1E-130 to 9.99E125; this holds any sum of two of them.
_EXACT: Final = Context(prec=400)


def apply(update: Update, item: Mapping[str, Wire], *, exists: bool = True) -> WireItem:
    """The item after an update without placeholders; the original is not changed.

    All values are read from the original item: ``SET a = :v, b = a`` sets b to the old a, and list indexes are
    the old ones. Sets are in the order in which DynamoDB returns them. If the item does not exist, it consists of
    its key, and removing a part of an attribute does nothing; of an existing item the attribute must exist.

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
            if exists or type(action) is not Remove:
                inside.append((path, _change_of(action, item)))
            continue
        name: Any = path.elements[0]
        value = _change_of(action, item)(item.get(name))
        if value is None:
            changed.pop(name, None)
        else:
            changed[name] = value
    if inside:
        for name, inner in path_tree(inside).items():
            changed[name] = _change_value(item.get(name), inner)
    return changed  # type: ignore[no-any-return]


def _change_value(value: Wire | None, change: PathTree | _Change) -> Wire | None:
    if not isinstance(change, dict):
        return change(value)
    of_list = leads_into_list(change)
    if value is not None and of_list and "L" in value:
        return {"L": _change_list(value["L"], change)}
    if value is not None and not of_list and "M" in value:
        return {"M": _change_map(value["M"], change)}
    raise expression_error("update-invalid-path")


def _change_map(members: Mapping[str, Wire], branch: PathTree) -> dict[str, Wire]:
    changed = dict(members)
    for name, change in branch.items():
        value = _change_value(members.get(name), change)
        if value is None:
            changed.pop(name, None)
        else:
            changed[name] = value
    return changed


def _change_list(members: list[Wire], branch: PathTree) -> list[Wire]:
    changed: list[Wire | None] = list(members)
    for index in sorted(branch):
        value = _change_value(members[index] if index < len(members) else None, branch[index])
        if index < len(members):
            changed[index] = value
        else:
            changed.append(value)
    return [value for value in changed if value is not None]


def _change_of(action: Any, item: Mapping[str, Wire]) -> _Change:
    kind = type(action)
    if kind is Set:
        value = _computed_value(action.value, item)
        return lambda _: value
    if kind is Remove:
        return lambda _: None
    return partial(_CHANGES[kind], action.value.wire)


def _add(added: Any, value: Wire | None) -> Wire:
    (kind,) = added
    if value is None:
        return {kind: _sort_members(kind, added[kind])} if kind in SET_TYPES else added
    if kind not in value:
        raise expression_error("update-operand-type")
    if kind == "N":
        return _sum("+", value, added)
    if kind == "L":
        return {"L": [*value["L"], *added["L"]]}
    merged = set_members(kind, value[kind])
    for key, text in set_members(kind, added[kind]).items():
        merged.setdefault(key, text)
    return {kind: [merged[key] for key in sorted(merged)]}


def _delete(gone: Any, value: Wire | None) -> Wire | None:
    (kind,) = gone
    if value is None:
        return None
    if kind not in value:
        raise expression_error("update-operand-type")
    remaining = set_members(kind, value[kind])
    for key in set_members(kind, gone[kind]):
        remaining.pop(key, None)
    return {kind: [remaining[key] for key in sorted(remaining)]} if remaining else None


_CHANGES: Final[dict[type, Callable[[Any, Wire | None], Wire | None]]] = {Add: _add, Delete: _delete}


def _sort_members(kind: str, members: list[str]) -> list[str]:
    keys = set_members(kind, members)
    return [keys[key] for key in sorted(keys)]


def _computed_value(node: Any, item: Mapping[str, Wire]) -> Wire:
    if type(node) is Value:
        return node.wire
    if type(node) is Path:
        value = value_at_path(node, item)
        if value is None:
            raise expression_error("update-missing-attribute")
        return value
    if type(node) is Arithmetic:
        return _sum(node.operator, _computed_value(node.left, item), _computed_value(node.right, item))
    if type(node) is Call and node.name == "if_not_exists":
        value = value_at_path(node.operands[0], item)  # type: ignore[arg-type]
        return _computed_value(node.operands[1], item) if value is None else value
    first, second = (_computed_value(operand, item) for operand in node.operands)
    if "L" not in first or "L" not in second:
        raise expression_error("update-operand-type")
    return {"L": [*first["L"], *second["L"]]}


def _sum(operator: str, one: Wire, two: Wire) -> Wire:
    if "N" not in one or "N" not in two:
        raise expression_error("update-operand-type")
    first, second = parse_number(one["N"]), parse_number(two["N"])
    if type(first) is int and type(second) is int:
        return {"N": canonical_sum(str(first + second if operator == "+" else first - second))}
    left, right = Decimal(first), Decimal(second)
    result = _EXACT.add(left, right) if operator == "+" else _EXACT.subtract(left, right)
    # A zero keeps the exponent of its operands, which would be held to the range of numbers.
    return {"N": canonical_sum(f"{result:f}") if result else "0"}


_Wire = Mapping[str, Any]
_WireItem = dict[str, dict[str, Any]]


def project(projection: Projection, item: Mapping[str, _Wire]) -> _WireItem:
    """The attributes of an item that a read with this projection returns.

    Elements of a list keep their order, without gaps.

    Example:
        >>> from pksk.expressions import parse_projection
        >>> project(parse_projection("a, l[2], l[0]"), {"l": {"L": [{"N": "1"}, {"N": "2"}, {"N": "3"}]}})
        {'l': {'L': [{'N': '1'}, {'N': '3'}]}}
    """
    try:
        root: PathTree = projection.prepared
    except AttributeError:
        root = path_tree((path, None) for path in projection.paths)
        object.__setattr__(projection, "prepared", root)
    return _project_map(item, root)


def _project_map(members: Mapping[str, _Wire], branch: PathTree) -> _WireItem:
    projected: Any = {}
    for name, inner in branch.items():
        value: Any = members.get(name)
        if value is not None:
            if inner is not None:
                value = _project_value(value, inner)
                if value is None:
                    continue
            projected[name] = value
    return projected  # type: ignore[no-any-return]


def _project_value(value: _Wire, branch: PathTree) -> _Wire | None:
    if leads_into_list(branch):
        elements = _project_list(value.get("L", ()), branch)
        return {"L": elements} if elements else None
    members = _project_map(value.get("M", {}), branch)
    return {"M": members} if members else None


def _project_list(members: Any, branch: PathTree) -> list[_Wire]:
    elements = []
    for index in sorted(branch):
        if index < len(members):
            value = members[index]
            inner = branch[index]
            element = value if inner is None else _project_value(value, inner)
            if element is not None:
                elements.append(element)
    return elements
