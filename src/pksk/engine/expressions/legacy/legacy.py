"""The legacy parameters of a request, in the order in which DynamoDB reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.expressions.expressions import Decision, Expressions, decision
from pksk.engine.expressions.parameters import Parameters
from pksk.engine.faults import refused
from pksk.engine.texts import parameters as texts
from pksk.engine.texts import values as value_texts
from pksk.expressions import And, Condition, Or, Path, Projection

from .conditions import comparison, key_part
from .expected import expectation
from .updates import attribute_updates

__all__ = ["read_legacy"]

_FILTERS: Final = ("QueryFilter", "ScanFilter")
_MOST_KEYS: Final = 2


def read_legacy(request: Mapping[str, Any], parameters: Parameters, expressions: Expressions) -> None:
    """Put what a request says in legacy parameters into its expressions, or refuse it."""
    given = [name for name in parameters.legacy if name in request]
    if not given:
        return
    for name in given:
        if name != "ConditionalOperator" and "" in request[name]:
            raise refused(value_texts.EMPTY_NAME)
    if "AttributeUpdates" in given:
        expressions.update = attribute_updates(request["AttributeUpdates"])
    if "ConditionalOperator" in given:
        _check_conditional_operator(request)
    if "Expected" in given:
        conditions = [expectation(name, entry) for name, entry in request["Expected"].items()]
        expressions.condition = _joined(conditions, request)
    for name in _FILTERS:
        if name in given:
            conditions = [comparison(attribute, entry) for attribute, entry in request[name].items()]
            expressions.filter = _joined(conditions, request)
    if "AttributesToGet" in given:
        expressions.projection = _projection(request["AttributesToGet"])
    if "KeyConditions" in given:
        _read_keys(request["KeyConditions"], expressions)


def _check_conditional_operator(request: Mapping[str, Any]) -> None:
    conditions = next((request[name] for name in (*_FILTERS, "Expected") if name in request), None)
    if not conditions:
        raise refused(texts.CONDITIONAL_OPERATOR_ALONE)
    if len(conditions) < 2:
        raise refused(texts.CONDITIONAL_OPERATOR_SINGLE)


def _joined(conditions: list[Condition], request: Mapping[str, Any]) -> Decision | None:
    if len(conditions) < 2:
        return decision(conditions[0]) if conditions else None
    joint = Or if request.get("ConditionalOperator") == "OR" else And
    return decision(joint(tuple(conditions)))


def _projection(names: list[str]) -> Projection:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise refused(texts.duplicate_attribute(name))
        seen.add(name)
    return Projection(tuple(Path((name,)) for name in names))


def _read_keys(conditions: Mapping[str, Any], expressions: Expressions) -> None:
    if not 1 <= len(conditions) <= _MOST_KEYS:
        raise refused(texts.CONDITION_COUNT)
    parts = [comparison(attribute, entry) for attribute, entry in conditions.items()]
    expressions.key_parts = tuple(map(key_part, parts))
