"""Python source that writes values whose type alone, or with one call of Pydantic, proves that they are read back."""

from __future__ import annotations

from enum import Enum, Flag
from typing import TYPE_CHECKING, Any, NamedTuple

from pksk.model.storing.compiled import Names, is_plain_name
from pksk.model.storing.forms.core_schema import Node, skin
from pksk.model.storing.plain_fields import HARMLESS, SILENT
from pksk.values.encode import INT_ABOVE, INT_BELOW

if TYPE_CHECKING:
    from pksk.model.declaring.attributes import Field

__all__ = ["Sure", "sure_type"]


class Sure(NamedTuple):
    """When a value is stored as it is, and what then stands in the item: {v} is the value, bound where {get} stands."""

    test: str
    wire: str


_TEXT = Sure("type({get}) is str and ({v}.isascii() or {v}.encode())", "{{'S': {v}}}")
_WHOLE = Sure("type({get}) is int and INT_ABOVE < {v} < INT_BELOW", "{{'N': str({v})}}")
_BY_TYPE = {
    "str": _TEXT,
    "int": _WHOLE,
    "bool": Sure("type({get}) is bool", "{{'BOOL': {v}}}"),
    "decimal": Sure("type({get}) is Decimal", "{{'N': decimal_text({v})}}"),
    "float": Sure("type({get}) is float", "{{'N': decimal_text(Decimal(repr({v})))}}"),
    "bytes": Sure("type({get}) is bytes", "encode_value({v}, 0)"),
    "date": Sure("type({get}) is date", "{{'S': {v}.isoformat()}}"),
    "datetime": Sure("type({get}) is datetime", "{{'S': storable({v}, '')}}"),
    "uuid": Sure("type({get}) is UUID", "{{'S': str({v})}}"),
}

# Beside SILENT, what says nothing about an object that has the type already.
_ASKING_NOTHING = SILENT | {"strict", "microseconds_precision"}


def sure_type(each: Field, config: Node, names: Names) -> Sure | None:
    """How values of a field are written that surely come back; None where more than a type must be looked at."""
    if each.schema is None:
        return None
    *around, node = skin(*each.schema)
    if any(outer["type"] not in ("default", "nullable") for outer in around):
        return None
    if node["type"] in ("literal", "enum"):
        return _chosen(node, names)
    found = _BY_TYPE.get(node["type"])
    # Limits of the field, or of all texts of the model, are Pydantic's to check; it gives the value itself back.
    if found and (node.keys() - _ASKING_NOTHING or config.keys() - HARMLESS) and each.reader is not None:
        valid = names.new("valid", each.reader())
        return Sure(found.test, found.wire.replace("{v}", f"{valid}({{v}})"))
    return found


def _chosen(node: Node, names: Names) -> Sure | None:
    """One of several texts or whole numbers, or a member of an enum of them."""
    values = [
        value.value if isinstance(value, Enum) else value for value in node.get("members") or node["expected"]
    ]
    texts = all(is_plain_name(value) for value in values)
    if not texts and not all(type(value) is int and INT_ABOVE < value < INT_BELOW for value in values):
        return None
    found = _TEXT if texts else _WHOLE
    if node["type"] == "literal":
        if any(isinstance(value, Enum) for value in node["expected"]):
            return None
        return Sure(f"{found.test} and {{v}} in {names.new('choices', frozenset(values))}", found.wire)
    cls: Any = node["cls"]
    # Flags have values that are no members.
    if issubclass(cls, Flag):
        return None
    return Sure(f"type({{get}}) is {names.new('kind', cls)}", found.wire.replace("{v}", "{v}.value"))
