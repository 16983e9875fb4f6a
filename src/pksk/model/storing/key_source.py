"""Python source that writes the keys of an entity into its item, beside the fields that stand there already."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pksk.keys import ScalarKey
from pksk.model.storing.compiled import Names
from pksk.model.storing.expiry import whole_second

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity_key import EntityKey

__all__ = ["key_source"]


def key_source(declaration: Declaration[Any], names: Names) -> list[str]:
    """The lines that write every key attribute and the discriminator.

    They find the fields in `values` and in the `item`, and an object of the class in `entity`.
    """
    return _KeySource(declaration, names).lines()


class _KeySource:
    def __init__(self, declaration: Declaration[Any], names: Names) -> None:
        self.declaration, self.names = declaration, names
        self.keys = list(declaration.keys.values())
        written = [part.attribute for key in self.keys for part in key.parts]
        # Where keys write one attribute, or a field is one, or a condition looks at the fields alone: all keys first.
        self.apart = (
            len(set(written)) < len(written)
            or bool(declaration.field_keys)
            or any(key.when is not None for key in self.keys)
        )
        # Computed fields are no values of the object, a shard is to see the sources of keys alone, and of the time at
        # which an item ends its second counts.
        stored = {name for name, each in declaration.fields.items() if not each.computed}
        self.looked_up = (
            any(key.shard for key in self.keys)
            or not stored.issuperset(declaration.key_sources)
            or bool(declaration.ending_sources)
        )
        self.sources = "sources" if self.looked_up else "values"

    def lines(self) -> list[str]:
        lines = self._source_values() if self.looked_up else []
        lines += ["keys = {}"] if self.apart else self._discriminator()
        for key in self.keys:
            lines += self._key(key)
        if self.apart:
            lines += [*self._discriminator(), *self._doubts(), "item.update(keys)"]
        return lines

    def _source_values(self) -> list[str]:
        pairs = [f"{name!r}: getattr(entity, {name!r})" for name in self.declaration.key_sources]
        whole = self.names.new("whole", whole_second) if self.declaration.ending_sources else ""
        return [
            f"sources = {{{', '.join(pairs)}}}",
            *(f"sources[{name!r}] = {whole}(sources[{name!r}])" for name in self.declaration.ending_sources),
        ]

    def _discriminator(self) -> list[str]:
        name = self.declaration.table.discriminator
        return [f"item[{name!r}] = {{'S': {self.declaration.tag!r}}}"] if name else []

    def _key(self, key: EntityKey) -> list[str]:
        lines = self._sharded(key) if key.shard else self._attributes(key)
        if key.index is None or not lines:
            return lines
        tests = [f"{self.sources}[{name!r}] is not None" for name in key.fields]
        if key.when is not None:
            tests.append(f"{self.names.new('wants', partial(self.declaration.wants, key))}(item)")
        return [f"if {' and '.join(tests) or 'True'}:", *(f"    {line}" for line in lines)]

    def _sharded(self, key: EntityKey) -> list[str]:
        render = self.names.new("render", key.render)
        target = "keys" if self.apart else "item"
        return [
            f"for n, v in {render}(sources).items():",
            f"    {target}.setdefault(n, encode_value(v, 0))",
        ]

    def _attributes(self, key: EntityKey) -> list[str]:
        lines = []
        for part in key.parts:
            rendered = f"{self.names.new('render', part.writer.render)}({self.sources})"
            scalar = isinstance(part.writer, ScalarKey)
            wire = f"encode_value({rendered}, 0)" if scalar else f"{{'S': {rendered}}}"
            # What the table's own key has written stays, and its key comes first.
            put = f"keys.setdefault({part.attribute!r}, {wire})"
            lines.append(put if self.apart else f"item[{part.attribute!r}] = {wire}")
        return lines

    def _doubts(self) -> list[str]:
        """A field that a key writes otherwise than it is stored must be read back, as the careful way does."""
        return [
            line
            for name in self.declaration.field_keys
            for line in (
                f"if {name!r} in keys and {name!r} in item and item[{name!r}] != keys[{name!r}]:",
                "    raise Unusual",
            )
        ]
