"""What is there before a load: of a load that was interrupted only the rest is stored, and nothing is mixed with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from pksk import Entity, Store, Table

__all__ = ["OtherData", "There"]

# The table, and the values of its key.
_Key: TypeAlias = tuple[str, ...]
# The table, and what its items of one entity are told from others by.
_Kind: TypeAlias = tuple[str, str | None]


class OtherData(Exception):
    """A load of which something is missing, in tables that also have something else; nothing was stored."""

    def __init__(self, missing: int, found: _Key) -> None:
        table, *key = found
        super().__init__(
            f"{missing:,} items of this load are missing, and the table {table!r} has one that is not of it: "
            f"{' / '.join(key)}. They would be mixed. "
            "Fix: load as many --items as were begun here, or load into another --target."
        )


class There:
    """The items of some tables, by their keys."""

    def __init__(self, kinds: dict[_Key, _Kind]) -> None:
        self._kinds = kinds

    def __bool__(self) -> bool:
        return bool(self._kinds)

    @classmethod
    def read(cls, db: Store, tables: Iterable[Table], tell: Callable[[int], None]) -> There:
        """All that is there; `tell` hears after each page how much it is so far."""
        kinds: dict[_Key, _Kind] = {}
        for table in tables:
            for page in _pages(db, table):
                # What has no discriminator, where there should be one, is no entity: a counter, or a unique value.
                found = ((item, _kind(table, item)) for item in page)
                kinds |= {_key(table, item): kind for item, kind in found if kind is not None}
                tell(len(kinds))
        return cls(kinds)

    def missing(self, entities: Iterable[Entity]) -> Iterator[Entity]:
        """Those that are not there."""
        return (each for each in entities if _place(each)[0] not in self._kinds)

    def check(self, entities: Iterable[Entity]) -> int:
        """How many of these are there; refused if some are not, and there are others of their kinds besides."""
        others, kinds, missing = dict(self._kinds), set(), 0
        for each in entities:
            key, kind = _place(each)
            kinds.add(kind)
            missing += others.pop(key, None) is None
        found = next((key for key, kind in others.items() if kind in kinds), None)
        if missing and found is not None:
            raise OtherData(missing, found)
        return len(self._kinds) - len(others)


def _pages(db: Store, table: Table) -> Iterator[list[dict[str, Any]]]:
    wanted = [*table.key_attributes, *([table.discriminator] if table.discriminator else [])]
    names = {f"#{number}": name for number, name in enumerate(wanted)}
    request = {
        "TableName": table.name,
        "ConsistentRead": True,
        "ProjectionExpression": ", ".join(names),
        "ExpressionAttributeNames": names,
    }
    while True:
        answer = db.client.call("Scan", request)
        yield answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return
        request = request | {"ExclusiveStartKey": answer["LastEvaluatedKey"]}


def _place(entity: Entity) -> tuple[_Key, _Kind]:
    table, item = type(entity).__pksk__.table, entity.to_item()
    kind = _kind(table, item)
    assert kind is not None, f"{type(entity).__name__} has no discriminator"
    return _key(table, item), kind


def _key(table: Table, item: dict[str, Any]) -> _Key:
    return (table.name, *(str(value) for name in table.key_attributes for value in item[name].values()))


def _kind(table: Table, item: dict[str, Any]) -> _Kind | None:
    if table.discriminator is None:
        return table.name, None
    told = item.get(table.discriminator)
    return None if told is None else (table.name, str(told))
