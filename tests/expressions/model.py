"""A second, plain implementation of DynamoDB's expressions, to compare the evaluator with."""

from __future__ import annotations

from base64 import b64decode
from copy import deepcopy
from decimal import Context, Decimal
from typing import Any

from pksk.expressions import (
    Add,
    And,
    Arithmetic,
    Between,
    Call,
    Compare,
    Delete,
    In,
    Not,
    Or,
    Path,
    Remove,
    Set,
    Value,
)
from pksk.values import canonical_number, from_wire, to_wire


class Refused(Exception):
    """The update cannot be applied to this item."""


def known(wire: Any) -> Any:
    """A wire value as (type, comparable value)."""
    ((kind, inner),) = wire.items()
    if kind == "N":
        return kind, Decimal(inner)
    if kind == "B":
        return kind, b64decode(inner)
    if kind == "L":
        return kind, [known(element) for element in inner]
    if kind == "M":
        return kind, {name: known(value) for name, value in inner.items()}
    if kind in {"SS", "NS", "BS"}:
        return kind, {known({kind[0]: member}) for member in inner}
    return kind, inner


def at(path: Path, item: Any) -> Any:
    value: Any = {"M": item}
    for element in path.elements:
        try:
            value = value["L"][element] if isinstance(element, int) else value["M"][element]
        except (KeyError, IndexError):
            return None
    return value


def operand(node: Any, item: Any) -> Any:
    wire = node.wire if isinstance(node, Value) else None
    if isinstance(node, Path):
        wire = at(node, item)
    if isinstance(node, Call):
        inner = operand(node.operands[0], item)
        if inner is None or inner[0] in {"N", "BOOL", "NULL"}:
            return None
        size = len(inner[1])
        return "N", Decimal(size + sum(ord(c) > 0xFFFF for c in inner[1]) if inner[0] == "S" else size)
    return None if wire is None else known(wire)


def compare(operator: str, one: Any, two: Any) -> bool:
    same = one is not None and one == two
    if operator in {"=", "<>"}:
        return same == (operator == "=")
    if one is None or two is None or one[0] != two[0] or one[0] not in {"S", "N", "B"}:
        return False
    first, second = (v.encode() if isinstance(v, str) else v for v in (one[1], two[1]))
    return bool(
        {"<": first < second, "<=": first <= second, ">": first > second, ">=": first >= second}[operator]
    )


def function(name: str, operands: list[Any]) -> bool:
    first, second = (*operands, None)[:2]
    if name == "attribute_exists":
        return first is not None
    if name == "attribute_not_exists":
        return first is None
    if first is None or second is None:
        return False
    if name == "attribute_type":
        return bool(first[0] == second[1])
    if name == "begins_with":
        return first[0] == second[0] and first[0] in {"S", "B"} and first[1].startswith(second[1])
    if first[0] in {"S", "B"}:
        return first[0] == second[0] and second[1] in first[1]
    return first[0] in {"L", "SS", "NS", "BS"} and any(member == second for member in first[1])


def holds(node: Any, item: Any) -> bool:
    if isinstance(node, And):
        return all(holds(inner, item) for inner in node.conditions)
    if isinstance(node, Or):
        return any(holds(inner, item) for inner in node.conditions)
    if isinstance(node, Not):
        return not holds(node.condition, item)
    if isinstance(node, Compare):
        return compare(node.operator, operand(node.left, item), operand(node.right, item))
    if isinstance(node, Between):
        value, low, high = (operand(each, item) for each in (node.operand, node.low, node.high))
        return compare(">=", value, low) and compare("<=", value, high)
    if isinstance(node, In):
        return any(compare("=", operand(node.operand, item), operand(each, item)) for each in node.candidates)
    return function(node.name, [operand(each, item) for each in node.operands])


def computed(node: Any, item: Any) -> Any:
    """The wire value that a SET stores."""
    if isinstance(node, Value):
        return node.wire
    if isinstance(node, Path):
        found = at(node, item)
        if found is None:
            raise Refused
        return found
    if isinstance(node, Call) and node.name == "if_not_exists":
        path: Any = node.operands[0]
        found = at(path, item)
        return found if found is not None else computed(node.operands[1], item)
    if isinstance(node, Call):
        one, two = (computed(each, item) for each in node.operands)
        if "L" not in one or "L" not in two:
            raise Refused
        return {"L": one["L"] + two["L"]}
    assert isinstance(node, Arithmetic)
    return total(node.operator, computed(node.left, item), computed(node.right, item))


def total(operator: str, one: Any, two: Any) -> Any:
    if "N" not in one or "N" not in two:
        raise Refused
    sign = 1 if operator == "+" else -1
    exact = Context(prec=999)
    return {
        "N": canonical_number(
            str(exact.add(Decimal(one["N"]), exact.multiply(Decimal(sign), Decimal(two["N"]))))
        )
    }


def result(action: Any, item: Any) -> Any:
    """What the action leaves at its path; None is nothing."""
    old = at(action.path, item)
    if isinstance(action, Remove):
        return None
    if isinstance(action, Set):
        return computed(action.value, item)
    assert isinstance(action, Add | Delete)
    assert isinstance(action.value, Value)
    kind = action.value.kind
    if old is None:
        return action.value.wire if isinstance(action, Add) else None
    if kind not in old:
        raise Refused
    if kind == "N":
        return total("+", old, action.value.wire)
    before, operand_members = from_wire(old), from_wire(action.value.wire)
    left = before | operand_members if isinstance(action, Add) else before - operand_members
    return to_wire(left) if left else None


def updated(update: Any, item: Any) -> Any:
    """The item after the update: results first, then places that exist, then appends, then removals."""
    results = [(action.path.elements, result(action, item)) for action in update.actions]
    for elements, _ in results:
        parent = {"M": item} if len(elements) == 1 else at(Path(elements[:-1]), item)
        if parent is None or ("L" if isinstance(elements[-1], int) else "M") not in parent:
            raise Refused
    made = {"M": deepcopy(item)}
    appended: list[tuple[int, Any, Any]] = []
    gone: list[tuple[int, Any]] = []
    for elements, value in results:
        parent = at(Path(elements[:-1]), made["M"]) if len(elements) > 1 else made
        last: Any = elements[-1]
        if not isinstance(last, int):
            if value is None:
                parent["M"].pop(last, None)
            else:
                parent["M"][last] = value
        elif last >= len(parent["L"]):
            appended += [(last, parent["L"], value)] if value is not None else []
        elif value is None:
            gone.append((last, parent["L"]))
        else:
            parent["L"][last] = value
    for _, members, value in sorted(appended, key=lambda each: each[0]):
        members.append(value)
    for index, members in sorted(gone, key=lambda each: -each[0]):
        del members[index]
    return made["M"]
