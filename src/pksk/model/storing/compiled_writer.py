"""Writes entities into items the quick way, by a function that is compiled for one entity."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from pksk.keys import ScalarKey
from pksk.model.declaring.wire_types import wire_types
from pksk.model.storing.compiled import compiled, is_plain_name
from pksk.model.storing.forms.core_schema import skin
from pksk.model.storing.storable import storable
from pksk.values.encode import INT_ABOVE, INT_BELOW, encode_value
from pksk.values.numbers import decimal_text

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.declaring.key_fields import KeyField
    from pksk.model.entity_key import EntityKey
    from pksk.model.storing.items import Items, Writer
    from pksk.values import WireItem

__all__ = ["Write", "compiled_writer"]

Write = Callable[[Any], "WireItem"]

# When a value {v} is stored as it is, and what then stands in the item: by the type that a field is declared to have.
_TEXT = ("type({v}) is str and ({v}.isascii() or {v}.encode())", "{{'S': {v}}}")
_WHOLE = ("type({v}) is int and INT_ABOVE < {v} < INT_BELOW", "{{'N': str({v})}}")
_BOOL = ("type({v}) is bool", "{{'BOOL': {v}}}")
_BY_TYPE = {
    "str": _TEXT,
    "int": _WHOLE,
    "bool": _BOOL,
    "decimal": ("type({v}) is Decimal", "{{'N': decimal_text({v})}}"),
    "date": ("type({v}) is date", "{{'S': {v}.isoformat()}}"),
}
# And where only the type that it is stored as is known.
_BY_WIRE_TYPE = {"S": _TEXT, "N": _WHOLE, "BOOL": _BOOL}

# No character has more bytes: text of a fourth of a limit needs not be encoded to be measured.
_CHARACTER_BYTES = 4


class Unusual(Exception):
    """Says that an entity is for the careful way."""


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
    return _Source(declaration, items).function()


class _Source:
    """The lines of the function, and the objects that they name."""

    def __init__(self, declaration: Declaration[Any], items: Items) -> None:
        self.declaration, self.items = declaration, items
        # Sources of keys that are computed, or of which a shard is made, are looked up by name; others stand in values.
        computed = [name for name in declaration.key_sources if name not in items.fields]
        self.sharded = any(key.shard for key in declaration.keys.values())
        self.sources = "sources" if computed or self.sharded else "values"
        self.names: dict[str, Any] = {
            "Decimal": Decimal,
            "INT_ABOVE": INT_ABOVE,
            "INT_BELOW": INT_BELOW,
            "Unusual": Unusual,
            "carefully": declaration.to_item_carefully,
            "check": items.check,
            "date": date,
            "decimal_text": decimal_text,
            "encode_value": encode_value,
            "kind": declaration.entity,
            "storable": storable,
        }

    def function(self) -> Write:
        lines = [*self._fields(), *self._keys()]
        source = [
            "def write(entity):",
            "    try:",
            # An object of a subclass may find its values otherwise; what stands beside the fields is read back.
            "        if entity.__class__ is not kind or entity.__pydantic_extra__:",
            "            raise Unusual",
            "        values = entity.__dict__",
            *(f"        {line}" for line in lines),
            "    except Exception:",
            "        return carefully(entity)",
            *(["    check(entity, item)"] if self.items.is_read_back else []),
            "    return item",
        ]
        return compiled("write", source, self.names)  # type: ignore[no-any-return]

    def _name(self, prefix: str, value: Any) -> str:
        name = f"{prefix}{len(self.names)}"
        self.names[name] = value
        return name

    def _fields(self) -> list[str]:
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
        quick = None if each.store else self._quick(each)
        if quick is None:
            return f"encode_value({self._stored(each, value)}, 0)"
        test, result = (text.format(v="v") for text in quick)
        bound = test.replace("type(v)", f"type(v := {value})", 1)
        return f"{result} if {bound} else encode_value({self._stored(each, 'v')}, 0)"

    def _stored(self, each: Writer, value: str) -> str:
        store = self._name("store", each.store) if each.store else "storable"
        return f"{store}({value}, {each.path!r})"

    def _quick(self, each: Writer) -> tuple[str, str] | None:
        schema = self.items.fields[each.name].schema
        if schema is None:
            return None
        *_, innermost = skin(*schema)
        (kind, *more) = wire_types(*schema) or ("",)
        return _BY_TYPE.get(innermost["type"]) or (None if more else _BY_WIRE_TYPE.get(kind))

    def _unless_absent(self, each: Writer) -> list[str]:
        """The lines for a field of which nothing may be stored, or whose stored value is a key."""
        key = self.items.checks.get(each.attribute)
        quick = self._quick(each) if each.store is None and not each.is_set and key is None else None
        there = "v is not None" if each.absent_is_none else "True"
        if each.is_set:
            there = f"{there} and (v is None or v)"
        lines = [
            f"v = {self._stored(each, 'v')}",
            f"if {there}:",
            *([] if key is None else self._check(key)),
            f"    item[{each.attribute!r}] = encode_value(v, 0)",
        ]
        if quick is not None:
            test, result = (text.format(v="v") for text in quick)
            others = "elif v is not None:" if each.absent_is_none else "else:"
            quickly = [f"if {test}:", f"    item[{each.attribute!r}] = {result}", others]
            lines = [*quickly, *(f"    {line}" for line in lines)]
        return [f"v = values[{each.name!r}]", *lines]

    def _check(self, key: KeyField) -> list[str]:
        # Text that is there, and surely short enough, is what every key takes.
        short = (key.limit or 0) // _CHARACTER_BYTES
        quick = f"type(v) is str and 0 < len(v) <= {short}" if key.type == "S" else "False"
        return [f"    if not ({quick}):", f"        {self._name('check', key.check)}(v)"]

    def _keys(self) -> list[str]:
        declaration = self.declaration
        keys = list(declaration.keys.values())
        written = [part.attribute for key in keys for part in key.parts]
        # Where keys write one attribute, or a field is one, or a condition looks at the fields alone: all keys first.
        apart = (
            len(set(written)) < len(written)
            or bool(declaration.field_keys)
            or any(key.when is not None for key in keys)
        )
        target = "keys" if apart else "item"
        lines = [*self._source_values(), *(["keys = {}"] if apart else self._discriminator())]
        for key in keys:
            lines += self._key(key, target)
        if apart:
            lines += [*self._discriminator(), *self._doubts(), "item.update(keys)"]
        return lines

    def _source_values(self) -> list[str]:
        if self.sources == "values":
            return []
        pairs = [f"{name!r}: getattr(entity, {name!r})" for name in self.declaration.key_sources]
        return [f"sources = {{{', '.join(pairs)}}}"]

    def _discriminator(self) -> list[str]:
        name = self.declaration.table.discriminator
        return [f"item[{name!r}] = {{'S': {self.declaration.tag!r}}}"] if name else []

    def _key(self, key: EntityKey, target: str) -> list[str]:
        lines = self._key_attributes(key, target)
        if key.index is None:
            return lines
        tests = [f"{self.sources}[{name!r}] is not None" for name in key.fields]
        if key.when is not None:
            tests.append(f"{self._name('wanted', partial(self.declaration.wants, key))}(item)")
        return (
            [f"if {' and '.join(tests)}:", *(f"    {line}" for line in lines)] if tests and lines else lines
        )

    def _key_attributes(self, key: EntityKey, target: str) -> list[str]:
        if key.shard:
            render = self._name("render", key.render)
            return [
                f"for n, v in {render}({self.sources}).items():",
                f"    {target}.setdefault(n, encode_value(v, 0))",
            ]
        lines = []
        for part in key.parts:
            rendered = f"{self._name('render', part.writer.render)}({self.sources})"
            wire = (
                f"encode_value({rendered}, 0)"
                if isinstance(part.writer, ScalarKey)
                else f"{{'S': {rendered}}}"
            )
            lines.append(
                f"item[{part.attribute!r}] = {wire}"
                if target == "item"
                else f"keys.setdefault({part.attribute!r}, {wire})"
            )
        return lines

    def _doubts(self) -> list[str]:
        """A field that a key writes otherwise than it is stored is read back."""
        return [
            line
            for name in self.declaration.field_keys
            for line in (
                f"if {name!r} in keys and {name!r} in item and item[{name!r}] != keys[{name!r}]:",
                "    raise Unusual",
            )
        ]
