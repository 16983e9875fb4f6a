"""Expected: a legacy condition of a write on one attribute, in either of its two forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pksk.engine.faults import refused
from pksk.engine.texts import parameters as texts
from pksk.engine.values import check_value
from pksk.expressions import Call, Compare, Condition, Path, Value

from .conditions import check_operator, compared

__all__ = ["expectation"]

_WITHOUT_VALUE: Final = frozenset({"NULL", "NOT_NULL"})


def expectation(attribute: str, entry: Mapping[str, Any]) -> Condition:
    """What a write expects of an attribute: that it compares with values, has a value, or is not there."""
    if "ComparisonOperator" in entry:
        check_operator(entry["ComparisonOperator"])
    if "AttributeValueList" in entry and "Value" in entry:
        raise refused(texts.value_and_list(attribute))
    if "ComparisonOperator" in entry:
        return _compared(attribute, entry)
    if "AttributeValueList" in entry:
        raise refused(texts.list_without_operator(attribute))
    return _existing(attribute, entry)


def _compared(attribute: str, entry: Mapping[str, Any]) -> Condition:
    operator = entry["ComparisonOperator"]
    if "Exists" in entry:
        raise refused(texts.exists_and_operator(attribute))
    if "Value" in entry:
        return compared(attribute, operator, (entry["Value"],))
    values = entry.get("AttributeValueList")
    if values is None and operator not in _WITHOUT_VALUE:
        raise refused(texts.operator_without_value(operator, attribute))
    return compared(attribute, operator, values or ())


def _existing(attribute: str, entry: Mapping[str, Any]) -> Condition:
    exists = entry.get("Exists")
    path = Path((attribute,))
    if exists is False:
        if "Value" in entry:
            raise refused(texts.value_without_existence(attribute))
        return Call("attribute_not_exists", (path,))
    if "Value" not in entry:
        raise refused(texts.value_wanted(exists, attribute))
    return Compare("=", path, Value(check_value(entry["Value"])))
