"""Python source that writes the fields of an entity into its item."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from pksk.model.declaring.attributes import config_of
from pksk.model.storing.compiled import Names
from pksk.model.storing.sure_types import Sure, sure_type

if TYPE_CHECKING:
    from pksk.model.declaring.key_fields import KeyField
    from pksk.model.storing.items import Items
    from pksk.model.storing.writer import Writer

__all__ = ["field_source"]

# No character has more bytes: text of a fourth of a limit needs not be encoded to be measured.
_CHARACTER_BYTES = 4


def field_source(items: Items, names: Names) -> list[str]:
    """The lines that make the `item` of the `values` of fields; what is unusual raises an error."""
    return _FieldSource(items, names).lines()


class _FieldSource:
    def __init__(self, items: Items, names: Names) -> None:
        self.items, self.names = items, names
        self.config = config_of(items.entity)

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
        sure = self._sure(each, f"v := {value}")
        if sure is None:
            return f"encode_value({self._stored(each)}({value}), 0)"
        return f"{sure.wire} if {sure.test} else encode_value({self._stored(each)}(v), 0)"

    def _stored(self, each: Writer) -> str:
        return self.names.new("stored", each.stored)

    def _sure(self, each: Writer, get: str) -> Sure | None:
        """When a value is stored as it is, and as what; None where that is not for its type to say."""
        if each.store is not None or each.is_set:
            return None
        found = sure_type(self.items.fields[each.name], self.config, self.names)
        return found and Sure(found.test.format(v="v", get=get), found.wire.format(v="v"))

    def _unless_absent(self, each: Writer) -> list[str]:
        """The lines for a field of which nothing may be stored, or whose stored value is a key."""
        key = self.items.checks.get(each.attribute)
        lines = [
            f"if (v := {self._stored(each)}(v)) is not ABSENT:",
            *([] if key is None else self._check(key)),
            f"    item[{each.attribute!r}] = encode_value(v, 0)",
        ]
        sure = self._sure(each, "v") if key is None else None
        if sure is not None:
            others = "elif v is not None:" if each.absent_is_none else "else:"
            quickly = [f"if {sure.test}:", f"    item[{each.attribute!r}] = {sure.wire}", others]
            lines = [*quickly, *(f"    {line}" for line in lines)]
        return [f"v = values[{each.name!r}]", *lines]

    def _check(self, key: KeyField) -> list[str]:
        # Text that is there, and surely short enough, is what every key takes.
        short = (key.limit or 0) // _CHARACTER_BYTES
        quick = f"type(v) is str and 0 < len(v) <= {short}" if key.type == "S" else "False"
        return [f"    if not ({quick}):", f"        {self.names.new('check', key.check)}(v)"]
