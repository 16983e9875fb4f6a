"""Legacy parameters such as Expected and AttributeUpdates, translated to expression trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pksk.engine.expressions.parameters import (
    AttributeUpdates,
    CompiledCondition,
    Expressions,
    Parameters,
    compiled_condition,
)
from pksk.engine.request.attribute_values import check_value
from pksk.engine.service_errors import invalid_request
from pksk.engine.texts import items as value_texts
from pksk.engine.texts import parameters as texts
from pksk.expressions import (
    Action,
    Add,
    And,
    Between,
    Call,
    Compare,
    Condition,
    Delete,
    In,
    KeyPart,
    Not,
    Or,
    Path,
    Projection,
    Remove,
    Set,
    Value,
)
from pksk.expressions.check import VALUE_TYPES, operands_of, operator_of
from pksk.values import sortable_wire

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


def read_condition(attribute: str, entry: Mapping[str, Any]) -> Condition:
    """The condition of a filter or a key on one attribute."""
    check_operator(entry["ComparisonOperator"])
    return comparison(attribute, entry["ComparisonOperator"], entry.get("AttributeValueList", ()))


def check_operator(operator: str) -> None:
    """Raise for an unknown comparison operator."""
    if operator not in _OPERAND_TYPES:
        raise invalid_request(texts.INVALID_OPERATOR)


def comparison(attribute: str, operator: str, wires: Any) -> Condition:
    """An attribute compared with values, as a condition; raises if the operator does not accept them."""
    values = [check_value(wire) for wire in wires]
    _check_operands(operator, values)
    return _CONDITIONS[operator](Path((attribute,)), *map(Value, values))


def _check_operands(operator: str, values: list[Any]) -> None:
    count = len(values)
    if count != _OPERAND_COUNTS.get(operator, 1) if operator != "IN" else not count:
        raise invalid_request(texts.operand_count(operator))
    kinds = {kind for value in values for kind in value}
    if len(kinds) > 1:
        raise invalid_request(texts.DIFFERENT_TYPES)
    if not kinds <= _OPERAND_TYPES[operator]:
        raise invalid_request(texts.operand_type(operator, *kinds))
    if operator == "BETWEEN" and sortable_wire(values[0]) > sortable_wire(values[1]):
        raise invalid_request(texts.WRONG_BOUNDS)


def _comparator(operator: str) -> Callable[..., Condition]:
    return lambda path, value: Compare(operator, path, value)


def _function(name: str) -> Callable[..., Condition]:
    return lambda *operands: Call(name, operands)


_CONDITIONS: Final[dict[str, Callable[..., Condition]]] = {
    **{name: _comparator(operator) for name, operator in _COMPARATORS.items()},
    "IN": lambda path, *values: In(path, values),
    "BETWEEN": Between,
    "NULL": _function("attribute_not_exists"),
    "NOT_NULL": _function("attribute_exists"),
    "CONTAINS": _function("contains"),
    # Also true without the attribute.
    "NOT_CONTAINS": lambda path, value: Not(Call("contains", (path, value))),
    "BEGINS_WITH": _function("begins_with"),
}


def read_key_part(condition: Condition) -> KeyPart:
    """The key condition of a legacy condition."""
    operator = "NOT" if isinstance(condition, Not) else operator_of(condition)
    if operator not in _INDEXABLE:
        raise invalid_request(texts.NOT_INDEXABLE)
    path, *values = operands_of(condition)
    (attribute,) = path.elements  # type: ignore[union-attr]
    return KeyPart(attribute, operator, tuple(values))  # type: ignore[arg-type]


_WITHOUT_VALUE: Final = frozenset({"NULL", "NOT_NULL"})


def expected_condition(attribute: str, entry: Mapping[str, Any]) -> Condition:
    """An entry of Expected as a condition: a comparison, or whether the attribute exists."""
    if "ComparisonOperator" in entry:
        check_operator(entry["ComparisonOperator"])
    if "AttributeValueList" in entry and "Value" in entry:
        raise invalid_request(texts.value_and_list(attribute))
    if "ComparisonOperator" in entry:
        return _expected_comparison(attribute, entry)
    if "AttributeValueList" in entry:
        raise invalid_request(texts.list_without_operator(attribute))
    return _expected_existence(attribute, entry)


def _expected_comparison(attribute: str, entry: Mapping[str, Any]) -> Condition:
    operator = entry["ComparisonOperator"]
    if "Exists" in entry:
        raise invalid_request(texts.exists_and_operator(attribute))
    if "Value" in entry:
        return comparison(attribute, operator, (entry["Value"],))
    values = entry.get("AttributeValueList")
    if values is None and operator not in _WITHOUT_VALUE:
        raise invalid_request(texts.operator_without_value(operator, attribute))
    return comparison(attribute, operator, values or ())


def _expected_existence(attribute: str, entry: Mapping[str, Any]) -> Condition:
    exists = entry.get("Exists")
    path = Path((attribute,))
    if exists is False:
        if "Value" in entry:
            raise invalid_request(texts.value_without_existence(attribute))
        return Call("attribute_not_exists", (path,))
    if "Value" not in entry:
        raise invalid_request(texts.value_wanted(exists, attribute))
    return Compare("=", path, Value(check_value(entry["Value"])))


_SETS: Final = frozenset({"SS", "NS", "BS"})
# Lists too: that ADD appends to them is not documented.
_ADDABLE: Final = _SETS | {"N", "L"}


def attribute_updates(updates: Mapping[str, Mapping[str, Any]]) -> AttributeUpdates | None:
    """The update of a request's AttributeUpdates; None if they are empty."""
    actions = tuple([_action(name, entry) for name, entry in updates.items()])
    return AttributeUpdates(actions) if actions else None


def _action(name: str, entry: Mapping[str, Any]) -> Action:
    path = Path((name,))
    action = entry.get("Action", "PUT")
    wire = entry.get("Value")
    if wire is None:
        if action != "DELETE":
            raise invalid_request(texts.NO_UPDATE_VALUE)
        return Remove(path)
    value = Value(check_value(wire))
    if action == "PUT":
        return Set(path, value)
    if action == "DELETE":
        if value.kind not in _SETS:
            raise invalid_request(texts.delete_type(value.kind))
        return Delete(path, value)
    if value.kind not in _ADDABLE:
        raise invalid_request(texts.add_type(value.kind))
    return Add(path, value)


_FILTERS: Final = ("QueryFilter", "ScanFilter")
_MOST_KEYS: Final = 2


def read_legacy(request: Mapping[str, Any], parameters: Parameters, expressions: Expressions) -> None:
    """Add the legacy parameters of a request to its expressions; raises for invalid ones."""
    present = [name for name in parameters.legacy if name in request]
    if not present:
        return
    for name in present:
        if name != "ConditionalOperator" and "" in request[name]:
            raise invalid_request(value_texts.EMPTY_NAME)
    if "AttributeUpdates" in present:
        expressions.update = attribute_updates(request["AttributeUpdates"])
    if "ConditionalOperator" in present:
        _check_conditional_operator(request)
    if "Expected" in present:
        conditions = [expected_condition(name, entry) for name, entry in request["Expected"].items()]
        expressions.condition = _join(conditions, request)
    for name in _FILTERS:
        if name in present:
            conditions = [read_condition(attribute, entry) for attribute, entry in request[name].items()]
            expressions.filter = _join(conditions, request)
    if "AttributesToGet" in present:
        expressions.projection = _projection(request["AttributesToGet"])
    if "KeyConditions" in present:
        _read_keys(request["KeyConditions"], expressions)


def _check_conditional_operator(request: Mapping[str, Any]) -> None:
    conditions = next((request[name] for name in (*_FILTERS, "Expected") if name in request), None)
    if not conditions:
        raise invalid_request(texts.CONDITIONAL_OPERATOR_ALONE)
    if len(conditions) < 2:
        raise invalid_request(texts.CONDITIONAL_OPERATOR_SINGLE)


def _join(conditions: list[Condition], request: Mapping[str, Any]) -> CompiledCondition | None:
    if len(conditions) < 2:
        return compiled_condition(conditions[0]) if conditions else None
    joint = Or if request.get("ConditionalOperator") == "OR" else And
    return compiled_condition(joint(tuple(conditions)))


def _projection(names: list[str]) -> Projection:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise invalid_request(texts.duplicate_attribute(name))
        seen.add(name)
    return Projection(tuple(Path((name,)) for name in names))


def _read_keys(conditions: Mapping[str, Any], expressions: Expressions) -> None:
    if not 1 <= len(conditions) <= _MOST_KEYS:
        raise invalid_request(texts.CONDITION_COUNT)
    parts = [read_condition(attribute, entry) for attribute, entry in conditions.items()]
    expressions.key_parts = tuple(map(read_key_part, parts))
