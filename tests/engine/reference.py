"""Conditions and updates once more, slowly: a plain reading of the developer guide, sharing nothing with pksk.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html

An expression is nested tuples: ("and", one, two), ("=", operand, operand), ("SET", path, value). An
operand is ("path", "lines", 0, "sku"), ("value", wire) or ("size", path).
"""

from __future__ import annotations

from base64 import b64decode
from copy import deepcopy
from decimal import Context, Decimal
from typing import Any

INVALID_PATH = "The document path provided in the update expression is invalid for update"
MISSING = "The provided expression refers to an attribute that does not exist in the item"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"
OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"
UNDERFLOW = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
EXACT = Context(prec=600)


class Refused(Exception):
    """The update does not fit the item; every text that is true of it, since no order is documented."""

    def __init__(self, *texts: str) -> None:
        super().__init__(*texts)
        self.texts = set(texts)


# Values


def plain(wire: Any) -> Any:
    """A value in a form that Python compares as DynamoDB does."""
    ((kind, inner),) = wire.items()
    if kind == "N":
        return kind, Decimal(inner)
    if kind == "B":
        return kind, b64decode(inner)
    if kind == "L":
        return kind, [plain(element) for element in inner]
    if kind == "M":
        return kind, {name: plain(value) for name, value in inner.items()}
    if kind in {"SS", "NS", "BS"}:
        return kind, {plain({kind[0]: member})[1] for member in inner}
    return kind, inner


def parts(wire: Any) -> list[Any]:
    """The members of a list or a set."""
    ((kind, inner),) = wire.items()
    members = [{kind[0]: member} for member in inner] if kind in {"SS", "NS", "BS"} else []
    return list(inner) if kind == "L" else members


def found(path: Any, item: Any) -> Any:
    """The wire value at a path, or None."""
    here: Any = {"M": item}
    for element in path[1:]:
        members = here.get("L" if isinstance(element, int) else "M")
        if members is None or (
            element >= len(members) if isinstance(element, int) else element not in members
        ):
            return None
        here = members[element]
    return here


# Conditions


def holds(node: Any, item: Any) -> bool:
    """Whether an item satisfies a condition."""
    name, *parts = node
    if name == "and":
        return all(holds(part, item) for part in parts)
    if name == "or":
        return any(holds(part, item) for part in parts)
    if name == "not":
        return not holds(parts[0], item)
    operands = [_operand(part, item) for part in parts]
    if name == "attribute_exists":
        return operands[0] is not None
    if name == "attribute_not_exists":
        return operands[0] is None
    if name == "<>":
        return None in operands or operands[0] != operands[1]
    return _holds_of(name, operands)


def _holds_of(name: str, operands: list[Any]) -> bool:
    """What is true only of attributes that are there."""
    first, *others = operands
    if name == "in":
        return first is not None and first in others
    if None in operands:
        return False
    if name == "between":
        return _ordered(">=", first, others[0]) and _ordered("<=", first, others[1])
    if name == "=":
        return bool(first == others[0])
    if name in {"<", "<=", ">", ">="}:
        return _ordered(name, first, others[0])
    return _function(name, first, others[0])


def _operand(node: Any, item: Any) -> Any:
    there = wire(node, item)
    return None if there is None else plain(there)


def wire(node: Any, item: Any) -> Any:
    """The value of an operand in DynamoDB's JSON; None if there is none."""
    if node[0] == "value":
        return node[1]
    if node[0] == "size":
        return _size(_operand(node[1], item))
    return found(node, item)


def _size(value: Any) -> Any:
    if value is None or value[0] in {"N", "BOOL", "NULL"}:
        return None
    kind, inner = value
    # Text counts as Java counts it: what lies outside the basic plane counts twice.
    return {"N": str(len(inner.encode("utf-16-be")) // 2 if kind == "S" else len(inner))}


def _ordered(operator: str, one: Any, two: Any) -> bool:
    if one[0] != two[0] or one[0] not in {"S", "N", "B"}:
        return False
    first, second = (value.encode() if isinstance(value, str) else value for value in (one[1], two[1]))
    if operator in {"<", "<="}:
        return bool(first < second or (operator == "<=" and first == second))
    return bool(first > second or (operator == ">=" and first == second))


def _function(name: str, first: Any, second: Any) -> bool:
    (kind, inner), (other_kind, other) = first, second
    if name == "attribute_type":
        return bool(kind == other)
    if name == "begins_with":
        return kind == other_kind and kind in {"S", "B"} and inner[: len(other)] == other
    if kind == "L":
        return second in inner
    if kind in {"SS", "NS", "BS"}:
        return kind[0] == other_kind and other in inner
    return kind == other_kind and kind in {"S", "B"} and inner.find(other) >= 0


# Updates


def updated(actions: Any, item: Any) -> Any:
    """The item after all actions, each of which reads the item as it was."""
    texts: set[str] = set()
    results = []
    for section, path, *value in actions:
        texts |= _path_faults(path, item)
        try:
            results.append((path[1:], _result(section, path, value, item)))
        except Refused as raised:
            texts |= raised.texts
    if texts:
        raise Refused(*texts)
    root = _by_index({"M": deepcopy(item)})
    for elements, result in results:
        parent = root
        for element in elements[:-1]:
            parent = _inside(parent)[element]
        if result is None:
            _inside(parent).pop(elements[-1], None)
        else:
            _inside(parent)[elements[-1]] = _by_index(result)
    return _in_order(root)["M"]


def _path_faults(path: Any, item: Any) -> set[str]:
    parent = {"M": item} if len(path) == 2 else found(path[:-1], item)
    fits = parent is not None and ("L" if isinstance(path[-1], int) else "M") in parent
    return set() if fits else {INVALID_PATH}


def _by_index(wire: Any) -> Any:
    """Lists become dicts by index, so that removals leave gaps until the end."""
    if "L" in wire:
        return {"L": {index: _by_index(element) for index, element in enumerate(wire["L"])}}
    if "M" in wire:
        return {"M": {name: _by_index(value) for name, value in wire["M"].items()}}
    return wire


def _in_order(wire: Any) -> Any:
    if "L" in wire:
        return {"L": [_in_order(wire["L"][index]) for index in sorted(wire["L"])]}
    if "M" in wire:
        return {"M": {name: _in_order(value) for name, value in wire["M"].items()}}
    return wire


def _inside(wire: Any) -> Any:
    return wire["L"] if "L" in wire else wire["M"]


def _result(section: str, path: Any, value: Any, item: Any) -> Any:
    """What an action leaves at its path; None is nothing."""
    if section == "REMOVE":
        return None
    if section == "SET":
        return _computed(value[0], item)
    old, operand = found(path, item), value[0][1]
    ((kind, members),) = operand.items()
    if old is None:
        return operand if section == "ADD" else None
    if kind not in old:
        raise Refused(WRONG_TYPE)
    if kind == "N":
        return _sum("+", old, operand)
    return _merged(section, kind, old[kind], members)


def _merged(section: str, kind: str, old: list[str], members: list[str]) -> Any:
    removed = plain({kind: members})[1]
    left = [member for member in old if plain({kind[0]: member})[1] not in removed]
    if section == "ADD":
        left += members
    return {kind: left} if left else None


def _computed(node: Any, item: Any) -> Any:
    name, *parts = node
    if name == "value":
        return parts[0]
    if name == "path":
        wire = found(node, item)
        if wire is None:
            raise Refused(MISSING)
        return wire
    if name == "if_not_exists":
        wire = found(parts[0], item)
        return _computed(parts[1], item) if wire is None else wire
    one, two = _both(parts, "L" if name == "list_append" else "N", item)
    return {"L": one["L"] + two["L"]} if name == "list_append" else _sum(name, one, two)


def _both(parts: Any, kind: str, item: Any) -> list[Any]:
    """Both operands, each of this type."""
    texts: set[str] = set()
    values = []
    for part in parts:
        try:
            values.append(_computed(part, item))
            texts |= set() if kind in values[-1] else {WRONG_TYPE}
        except Refused as raised:
            texts |= raised.texts
    if texts:
        raise Refused(*texts)
    return values


def _sum(operator: str, one: Any, two: Any) -> Any:
    first, second = Decimal(one["N"]), Decimal(two["N"])
    total = EXACT.add(first, second) if operator == "+" else EXACT.subtract(first, second)
    _, digits, _ = total.normalize(EXACT).as_tuple()
    texts = set()
    if len(digits) > 38:
        texts.add(OVERFLOW)
    if total and total.adjusted() > 125:
        texts.add(OVERFLOW)
    if total and total.adjusted() < -130:
        texts.add(UNDERFLOW)
    if texts:
        raise Refused(*texts)
    return {"N": str(total)}
