"""Writes entities into items the quick way, by a function that is compiled for one entity."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

from pksk.model.storing.compiled import Names, Unusual, compiled, is_plain_name
from pksk.model.storing.entity_values import foreign_names
from pksk.model.storing.field_source import field_source
from pksk.model.storing.key_source import key_source
from pksk.model.storing.storable import storable
from pksk.model.storing.writer import ABSENT
from pksk.values.encode import INT_ABOVE, INT_BELOW, encode_value
from pksk.values.numbers import decimal_text

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.storing.items import Items
    from pksk.values import WireItem

__all__ = ["Write", "compiled_writer"]

Write = Callable[[Any], "WireItem"]


def compiled_writer(declaration: Declaration[Any], items: Items) -> Write:
    """The function from an entity to its item, with every key attribute and the discriminator.

    It hands everything unusual, an error included, to `Declaration.to_item_carefully`, which goes step by step. Tests
    hold the two equal.
    """
    attributes = {*declaration.key_attributes, *(writer.attribute for writer in items.writers)}
    if declaration.table.discriminator:
        attributes |= {declaration.table.discriminator, declaration.tag}
    if not all(map(is_plain_name, attributes)):
        return declaration.to_item_carefully
    names = Names(
        ABSENT=ABSENT,
        Decimal=Decimal,
        INT_ABOVE=INT_ABOVE,
        INT_BELOW=INT_BELOW,
        UUID=UUID,
        Unusual=Unusual,
        carefully=declaration.to_item_carefully,
        check=items.check,
        date=date,
        datetime=datetime,
        decimal_text=decimal_text,
        encode_value=encode_value,
        foreign_names=partial(foreign_names, declaration),
        kind=declaration.entity,
        storable=storable,
    )
    return compiled("write", _lines(declaration, items, names), names)  # type: ignore[no-any-return]


def _lines(declaration: Declaration[Any], items: Items, names: Names) -> list[str]:
    lines = [
        # An object of a subclass may find its values otherwise; what stands beside the fields is read back.
        "if entity.__class__ is not kind or entity.__pydantic_extra__:",
        "    raise Unusual",
        "values = entity.__dict__",
        *([] if items.is_read_back else _names(items)),
        *field_source(items, names),
        *key_source(declaration, names),
        *(["check(entity, item)"] if items.is_read_back else []),
        "return item",
    ]
    inner = [f"        {line}" for line in lines]
    return [
        "def write(entity):",
        "    try:",
        *inner,
        "    except Exception:",
        "        return carefully(entity)",
    ]


def _names(items: Items) -> list[str]:
    return [f"if len(values) != {len(items.fields)} and foreign_names(entity):", "    raise Unusual"]
