"""Legacy parameters such as Expected and AttributeUpdates, translated to expression trees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from pksk.engine import texts
from pksk.engine.request import Request, check_value
from pksk.engine.service_errors import invalid_request
from pksk.expressions import KeyPart, tree
from pksk.expressions.check import VALUE_TYPES, operands_of, operator_of
from pksk.limits import ATTRIBUTE_NAME_BYTES
from pksk.schema.quotas import GSI_KEY_ATTRIBUTES
from pksk.values import sortable_wire

from .parameters import AttributeUpdates, CompiledCondition, Expressions, Parameters, compiled_condition

_SCALARS: Final = frozenset("SNB")
_COMPARATORS: Final = {"EQ": "=", "NE": "<>", "LE": "<=", "LT": "<", "GE": ">=", "GT": ">"}
# The value types that an operator accepts.
_OPERAND_TYPES: Final = {
    "EQ": VALUE_TYPES,
    "NE": VALUE_TYPES,
    "LE": _SCALARS,
    "LT": _SCALARS,
    "GE": _SCALARS,
    "GT": _SCALARS,
    "IN": _SCALARS,
    "BETWEEN": _SCALARS,
    "CONTAINS": _SCALARS,
    "NOT_CONTAINS": _SCALARS,
    "BEGINS_WITH": frozenset("SB"),
    "NULL": VALUE_TYPES,
    "NOT_NULL": VALUE_TYPES,
}
# The number of values, if it is not one; IN accepts any number.
_OPERAND_COUNTS: Final = {"NULL": 0, "NOT_NULL": 0, "BETWEEN": 2}
_INDEXABLE: Final = frozenset({"=", "<=", "<", ">=", ">", "BETWEEN", "begins_with"})


def _read_condition(attribute: str, entry: Request) -> tree.Condition:
    """The condition of a filter or a key on one attribute."""
    _check_operator(entry["ComparisonOperator"])
    return comparison(attribute, entry["ComparisonOperator"], entry.get("AttributeValueList", ()))


def _check_operator(operator: str) -> None:
    """Raise for an unknown comparison operator."""
    if operator not in _OPERAND_TYPES:
        raise invalid_request(f"{texts.INVALID}Invalid comparison operator")


def comparison(attribute: str, operator: str, wires: Any) -> tree.Condition:
    """An attribute compared with values, as a condition; raises if the operator does not accept them."""
    values = [check_value(wire) for wire in wires]
    _check_operands(operator, values)
    return _CONDITIONS[operator](tree.Path((attribute,)), *map(tree.Value, values))


def _check_operands(operator: str, values: list[Any]) -> None:
    count = len(values)
    if count != _OPERAND_COUNTS.get(operator, 1) if operator != "IN" else not count:
        raise invalid_request(
            f"{texts.INVALID}Invalid number of argument(s) for the {operator} ComparisonOperator"
        )
    kinds = {kind for value in values for kind in value}
    if len(kinds) > 1:
        raise invalid_request(
            f"{texts.INVALID}AttributeValues inside AttributeValueList must be of same type"
        )
    if not kinds <= _OPERAND_TYPES[operator]:
        raise invalid_request(
            f"{texts.INVALID}ComparisonOperator {operator} is not valid for {kinds.pop()} AttributeValue type"
        )
    if operator == "BETWEEN" and sortable_wire(values[0]) > sortable_wire(values[1]):
        raise invalid_request(
            "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
        )


def _comparator(operator: str) -> Callable[..., tree.Condition]:
    return lambda path, value: tree.Compare(operator, path, value)


def _function(name: str) -> Callable[..., tree.Condition]:
    return lambda *operands: tree.Call(name, operands)


_CONDITIONS: Final[dict[str, Callable[..., tree.Condition]]] = {
    **{name: _comparator(operator) for name, operator in _COMPARATORS.items()},
    "IN": lambda path, *values: tree.In(path, values),
    "BETWEEN": tree.Between,
    "NULL": _function("attribute_not_exists"),
    "NOT_NULL": _function("attribute_exists"),
    "CONTAINS": _function("contains"),
    # False without the attribute, as CONTAINS is.
    "NOT_CONTAINS": lambda path, value: tree.And(
        (tree.Call("attribute_exists", (path,)), tree.Not(tree.Call("contains", (path, value))))
    ),
    "BEGINS_WITH": _function("begins_with"),
}


def _read_key_part(condition: tree.Condition) -> KeyPart:
    """The key condition of a legacy condition."""
    operator = "AND" if isinstance(condition, tree.And) else operator_of(condition)
    if operator not in _INDEXABLE:
        raise invalid_request("Attempted conditional constraint is not an indexable operation")
    path, *values = operands_of(condition)
    (attribute,) = path.elements  # type: ignore[union-attr]
    return KeyPart(attribute, operator, tuple(values))  # type: ignore[arg-type]


_WITHOUT_VALUE: Final = frozenset({"NULL", "NOT_NULL"})


def _expected_condition(attribute: str, entry: Request) -> tree.Condition:
    """An entry of Expected as a condition: a comparison, or whether the attribute exists."""
    if "ComparisonOperator" in entry:
        _check_operator(entry["ComparisonOperator"])
    if "AttributeValueList" in entry and "Value" in entry:
        raise invalid_request(
            f"{texts.INVALID}Value and AttributeValueList cannot be used together for Attribute: {attribute}"
        )
    if "ComparisonOperator" in entry:
        return _expected_comparison(attribute, entry)
    if "AttributeValueList" in entry:
        raise invalid_request(
            f"{texts.INVALID}AttributeValueList can only be used with a ComparisonOperator for Attribute: {attribute}"
        )
    return _expected_existence(attribute, entry)


def _expected_comparison(attribute: str, entry: Request) -> tree.Condition:
    operator = entry["ComparisonOperator"]
    if "Exists" in entry:
        raise invalid_request(
            f"{texts.INVALID}Exists and ComparisonOperator cannot be used together for Attribute: {attribute}"
        )
    if "Value" in entry:
        return comparison(attribute, operator, (entry["Value"],))
    values = entry.get("AttributeValueList")
    if values is None and operator not in _WITHOUT_VALUE:
        raise invalid_request(
            f"{texts.INVALID}Value or AttributeValueList must be used with ComparisonOperator: {operator} "
            f"for Attribute: {attribute}"
        )
    return comparison(attribute, operator, values or ())


def _expected_existence(attribute: str, entry: Request) -> tree.Condition:
    exists = entry.get("Exists")
    path = tree.Path((attribute,))
    if exists is False:
        if "Value" in entry:
            raise invalid_request(
                f"{texts.INVALID}Value cannot be used when Exists is false for Attribute: {attribute}"
            )
        return tree.Call("attribute_not_exists", (path,))
    if "Value" not in entry:
        text = "null" if exists is None else "true"
        raise invalid_request(
            f"{texts.INVALID}Value must be provided when Exists is {text} for Attribute: {attribute}"
        )
    return tree.Compare("=", path, tree.Value(check_value(entry["Value"])))


_SETS: Final = frozenset({"SS", "NS", "BS"})
# Lists too: that ADD appends to them is not documented.
_ADDABLE: Final = _SETS | {"N", "L"}


def _attribute_updates(updates: Mapping[str, Request]) -> AttributeUpdates | None:
    """The update of a request's AttributeUpdates; None if they are empty."""
    actions = tuple([_action(name, entry) for name, entry in updates.items()])
    return AttributeUpdates(actions) if actions else None


def _action(name: str, entry: Request) -> tree.Action:
    path = tree.Path((name,))
    action = entry.get("Action", "PUT")
    wire = entry.get("Value")
    if wire is None:
        if action != "DELETE":
            raise invalid_request(
                f"{texts.INVALID}Only DELETE action is allowed when no attribute value is specified"
            )
        return tree.Remove(path)
    value = tree.Value(check_value(wire))
    if action == "PUT":
        return tree.Set(path, value)
    if action == "DELETE":
        if value.kind not in _SETS:
            raise invalid_request(
                f"{texts.INVALID}DELETE action with value is not supported for the type {value.kind}"
            )
        return tree.Delete(path, value)
    if value.kind not in _ADDABLE:
        raise invalid_request(f"{texts.INVALID}ADD action is not supported for the type {value.kind}")
    return tree.Add(path, value)


_FILTERS: Final = ("QueryFilter", "ScanFilter")
_MOST_KEYS: Final = 2 * GSI_KEY_ATTRIBUTES


def read_legacy(request: Request, parameters: Parameters, expressions: Expressions) -> None:
    """Add the legacy parameters of a request to its expressions; raises for invalid ones."""
    present = [name for name in parameters.legacy if name in request]
    if not present:
        return
    for name in present:
        if name != "ConditionalOperator":
            _check_names(request[name])
    if "AttributeUpdates" in present:
        expressions.update = _attribute_updates(request["AttributeUpdates"])
    has_operator = "ConditionalOperator" in present
    if has_operator and parameters.newer_wording:
        _check_conditional_operator(request)
    if "Expected" in present:
        conditions = [_expected_condition(name, entry) for name, entry in request["Expected"].items()]
        expressions.condition = _join(conditions, request)
    for name in _FILTERS:
        if name in present:
            conditions = [_read_condition(attribute, entry) for attribute, entry in request[name].items()]
            expressions.filter = _join(conditions, request)
    if has_operator and not parameters.newer_wording:
        _check_conditional_operator(request)
    if "AttributesToGet" in present:
        expressions.projection = _projection(request["AttributesToGet"])
    if "KeyConditions" in present:
        _read_keys(request["KeyConditions"], expressions)


def _check_names(names: Iterable[str]) -> None:
    for name in names:
        if not name:
            raise invalid_request(texts.EMPTY_NAME)
        if len(name) * 4 > ATTRIBUTE_NAME_BYTES and len(name.encode(errors="replace")) > ATTRIBUTE_NAME_BYTES:
            raise invalid_request(texts.LONG_NAME)


def _check_conditional_operator(request: Request) -> None:
    conditions = next((request[name] for name in (*_FILTERS, "Expected") if name in request), None)
    if not conditions:
        raise invalid_request("ConditionalOperator cannot be used without Filter or Expected")
    if len(conditions) < 2:
        raise invalid_request(
            "ConditionalOperator can only be used when Filter or Expected has two or more elements"
        )


def _join(conditions: list[tree.Condition], request: Request) -> CompiledCondition | None:
    if len(conditions) < 2:
        return compiled_condition(conditions[0]) if conditions else None
    joint = tree.Or if request.get("ConditionalOperator") == "OR" else tree.And
    return compiled_condition(joint(tuple(conditions)))


def _projection(names: list[str]) -> tree.Projection:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise invalid_request(f"{texts.INVALID}Duplicate value in attribute name: {name}")
        seen.add(name)
    return tree.Projection(tuple(tree.Path((name,)) for name in names))


def _read_keys(conditions: Request, expressions: Expressions) -> None:
    if not 1 <= len(conditions) <= _MOST_KEYS:
        raise invalid_request("Conditions can be of length 1 or 2 only")
    parts = [_read_condition(attribute, entry) for attribute, entry in conditions.items()]
    expressions.key_parts = tuple(map(_read_key_part, parts))
