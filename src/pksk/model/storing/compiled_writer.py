"""Writes entities into items the quick way, by a function that is compiled for one entity."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from pksk.model.declaring.wire_types import wire_types
from pksk.model.storing.compiled import Names, Unusual, compiled, is_plain_name
from pksk.model.storing.forms.core_schema import skin
from pksk.model.storing.key_source import key_source
from pksk.model.storing.storable import storable
from pksk.values.encode import INT_ABOVE, INT_BELOW, encode_value
from pksk.values.numbers import decimal_text

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.declaring.key_fields import KeyField
    from pksk.model.storing.items import Items, Writer
    from pksk.values import WireItem

__all__ = ["Write", "compiled_writer"]

Write = Callable[[Any], "WireItem"]

# When a value is stored as it is, and what then stands in the item, by the type that a field is declared to have: {v}
# is the value, bound where {get} stands.
_TEXT = ("type({get}) is str and ({v}.isascii() or {v}.encode())", "{{'S': {v}}}")
_WHOLE = ("type({get}) is int and INT_ABOVE < {v} < INT_BELOW", "{{'N': str({v})}}")
_BOOL = ("type({get}) is bool", "{{'BOOL': {v}}}")
_BY_TYPE = {
    "str": _TEXT,
    "int": _WHOLE,
    "bool": _BOOL,
    "decimal": ("type({get}) is Decimal", "{{'N': decimal_text({v})}}"),
    "date": ("type({get}) is date", "{{'S': {v}.isoformat()}}"),
}
# And where only the type that it is stored as is known.
_BY_WIRE_TYPE = {"S": _TEXT, "N": _WHOLE, "BOOL": _BOOL}

# No character has more bytes: text of a fourth of a limit needs not be encoded to be measured.
_CHARACTER_BYTES = 4


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
        Decimal=Decimal,
        INT_ABOVE=INT_ABOVE,
        INT_BELOW=INT_BELOW,
        Unusual=Unusual,
        carefully=declaration.to_item_carefully,
        check=items.check,
        date=date,
        decimal_text=decimal_text,
        encode_value=encode_value,
        kind=declaration.entity,
        storable=storable,
    )
    return compiled("write", _lines(declaration, items, names), names)  # type: ignore[no-any-return]


def _lines(declaration: Declaration[Any], items: Items, names: Names) -> list[str]:
    return [
        "def write(entity):",
        "    try:",
        # An object of a subclass may find its values otherwise; what stands beside the fields is read back.
        "        if entity.__class__ is not kind or entity.__pydantic_extra__:",
        "            raise Unusual",
        "        values = entity.__dict__",
        *(
            f"        {line}"
            for line in (*_FieldSource(items, names).lines(), *key_source(declaration, names))
        ),
        "    except Exception:",
        "        return carefully(entity)",
        *(["    check(entity, item)"] if items.is_read_back else []),
        "    return item",
    ]


class _FieldSource:
    """The lines that write the fields."""

    def __init__(self, items: Items, names: Names) -> None:
        self.items, self.names = items, names

    def lines(self) -> list[str]:
        writers = self.items.writers
        always = list(takewhile(self._is_always_written, writers))
        lines = ["item = {", *(f"    {each.attribute!r}: {self._wire(each)}," for each in always), "}"]
        for each in writers[len(always) :]:
            if self._is_always_written(each):
                lines.append(f"item[{each.attribute!r}] = {self._wire(each)}")
            else:
                lines += self._unless_absent(each)
        return lines

    def _is_always_written(self, each: Writer) -> bool:
        return not (each.absent_is_none or each.is_set or each.attribute in self.items.checks)

    def _wire(self, each: Writer) -> str:
        """The expression of what the item holds for a field of which something is stored always."""
        value = f"values[{each.name!r}]"
        quick = self._quick(each, f"v := {value}")
        if quick is None:
            return f"encode_value({self._stored(each, value)}, 0)"
        test, result = quick
        return f"{result} if {test} else encode_value({self._stored(each, 'v')}, 0)"

    def _stored(self, each: Writer, value: str) -> str:
        store = self.names.new("store", each.store) if each.store else "storable"
        return f"{store}({value}, {each.path!r})"

    def _quick(self, each: Writer, get: str) -> tuple[str, str] | None:
        """When a value is stored as it is, and as what; None where that is not for its type to say."""
        schema = self.items.fields[each.name].schema
        if schema is None or each.store is not None or each.is_set:
            return None
        *_, innermost = skin(*schema)
        (kind, *more) = wire_types(*schema) or ("",)
        found = _BY_TYPE.get(innermost["type"]) or (None if more else _BY_WIRE_TYPE.get(kind))
        return found and (found[0].format(v="v", get=get), found[1].format(v="v"))

    def _unless_absent(self, each: Writer) -> list[str]:
        """The lines for a field of which nothing may be stored, or whose stored value is a key."""
        key = self.items.checks.get(each.attribute)
        there = "v is not None" if each.absent_is_none else "True"
        lines = [
            f"v = {self._stored(each, 'v')}",
            f"if {there} and (v is None or v):" if each.is_set else f"if {there}:",
            *([] if key is None else self._check(key)),
            f"    item[{each.attribute!r}] = encode_value(v, 0)",
        ]
        quick = self._quick(each, "v") if key is None else None
        if quick is not None:
            test, result = quick
            others = "elif v is not None:" if each.absent_is_none else "else:"
            quickly = [f"if {test}:", f"    item[{each.attribute!r}] = {result}", others]
            lines = [*quickly, *(f"    {line}" for line in lines)]
        return [f"v = values[{each.name!r}]", *lines]

    def _check(self, key: KeyField) -> list[str]:
        # Text that is there, and surely short enough, is what every key takes.
        short = (key.limit or 0) // _CHARACTER_BYTES
        quick = f"type(v) is str and 0 < len(v) <= {short}" if key.type == "S" else "False"
        return [f"    if not ({quick}):", f"        {self.names.new('check', key.check)}(v)"]
