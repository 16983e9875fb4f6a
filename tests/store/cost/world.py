"""One random design on an engine, with what is stored in it at any time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from random import Random
from typing import Any

from examples.tour.price_check import unfiltered
from pksk import AlreadyExists, Engine, Store, StoreError, connect
from pksk.capacity import Cost
from pksk.errors import PkskError
from pksk.schema import Table
from tests.store.cost.designs import Row, entities_of, table_of, values_of

__all__ = ["World", "at_most"]

Item = dict[str, Any]


class World:
    """A table with items of random entities, behind a store."""

    def __init__(self, random: Random, items: int) -> None:
        self.random = random
        self.table: Table = table_of(random)
        self.entities = entities_of(random, self.table)
        self.engine = Engine.open()
        self.store: Store = connect(self.engine)
        self.store.create_tables(self.table)
        self.compared = 0
        self._rows: list[Row] | None = None
        for _ in range(items if self.entities else 0):
            self.store.put(self.entity())
        if self.entities:
            # Until a service was seen to return items with failed conditions, such a failure may cost a read.
            with suppress(AlreadyExists):
                self.store.create(self.stored()[0])

    def entity(self) -> Row:
        """A new entity, whose key may be taken."""
        while True:
            try:
                made = self.random.choice(self.entities)(**values_of(self.random))
                made.to_item()
            except PkskError:
                continue
            return made

    def stored(self) -> list[Row]:
        """All that is stored, as entities."""
        if self._rows is None:
            self._rows = [each for entity in self.entities for each in self.store.scan(entity.scan())]
        return self._rows

    def item(self, key: Mapping[str, Any]) -> Item | None:
        """The item under a key, as it is stored."""
        found: Item | None = self.engine.call(
            "GetItem", {"TableName": self.table.name, "Key": dict(key), "ConsistentRead": True}
        ).get("Item")
        return found

    def evaluated(self, request: Mapping[str, Any]) -> list[Item]:
        """The items that a query or scan looks at, whatever it filters, projects or is limited to."""
        operation = "Query" if "KeyConditionExpression" in request else "Scan"
        kept = {name: value for name, value in unfiltered(request).items() if name != "Limit"}
        found: list[Item] = []
        while True:
            answer = self.engine.call(operation, kept)
            rows = [{name: row[name] for name in self.table.key_attributes} for row in answer["Items"]]
            found += [item for row in rows if (item := self.item(row)) is not None]
            if "LastEvaluatedKey" not in answer:
                return found
            kept = {**kept, "ExclusiveStartKey": answer["LastEvaluatedKey"]}

    def compare(self, request: Any, images: list[Any], call: Callable[[], Any]) -> None:
        """Price a request, run it, and hold the two figures to each other."""
        try:
            priced = request.price(*images)
        except PkskError:
            return
        self._rows = None
        with self.store.meter() as meter:
            try:
                call()
            except StoreError:
                assert priced.at_most, (request, priced)
        consumed = meter.consumed
        if priced.at_most:
            assert at_most(consumed, priced), (request, consumed, priced)
        else:
            assert consumed == priced, (request, consumed, priced)
        self.compared += 1


def at_most(consumed: Cost, priced: Cost) -> bool:
    """Whether no table and no index has consumed more than is priced."""
    return all(
        charge.read <= priced.charge_of(charge.table, charge.index).read
        and charge.write <= priced.charge_of(charge.table, charge.index).write
        for charge in consumed.charges
    )
