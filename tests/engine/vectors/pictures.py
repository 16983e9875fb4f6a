"""A table of pictures with a vector index, for tests of searches."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine import Engine
from tests.engine.state.catalogues import defined, table, vector
from tests.engine.state.catalogues import searched as schema

__all__ = ["NAME", "Item", "Pictures", "numbers", "picture", "searching"]

Item = dict[str, Any]
NAME = "pictures"


def numbers(vector: Sequence[float | str]) -> list[Item]:
    """A vector as a request has it."""
    return [{"N": str(number)} for number in vector]


def picture(name: str, vector: Sequence[float | str] | None = None, /, **attributes: str | int) -> Item:
    """An item with a vector, texts and whole numbers."""
    item: Item = {"id": {"S": name}}
    for attribute, value in attributes.items():
        item[attribute] = {"S": value} if isinstance(value, str) else {"N": str(value)}
    if vector is not None:
        item["v"] = {"L": numbers(vector)}
    return item


class Pictures:
    """An engine with the table `pictures`: `id` is its key, `near` its index over `v`.

    Where it is divided, that is by `shop`; filters are `year` (a number) and `artist`.
    """

    def __init__(
        self,
        engine: Engine | None = None,
        *,
        divided: bool = False,
        filtered: bool = False,
        dimensions: int = 3,
        distance: str = "EUCLIDEAN",
        create: bool = True,
        **members: Any,
    ) -> None:
        self.engine = engine or Engine.open()
        self.index = index(divided=divided, filtered=filtered, dimensions=dimensions, distance=distance)
        self.definitions = self._definitions(divided=divided, filtered=filtered)
        if create:
            request = table(
                "id",
                TableName=NAME,
                AttributeDefinitions=[*defined("id"), *self.definitions],
                VectorIndexes=[{**self.index, **members}],
            )
            self.engine.call("CreateTable", request)

    @staticmethod
    def _definitions(*, divided: bool, filtered: bool) -> list[dict[str, str]]:
        names = ("shop",) if divided else ()
        return [*defined(*names), *(defined("artist", year="N") if filtered else ())]

    @classmethod
    def at(cls, path: str | Path, **members: Any) -> Pictures:
        return cls(Engine.open(path, durable=False), **members)

    def call(self, operation: str, **members: Any) -> dict[str, Any]:
        return self.engine.call(operation, {"TableName": NAME, **members})

    def put(self, *items: Item) -> None:
        for item in items:
            self.call("PutItem", Item=item)

    def invalid(self, operation: str, **members: Any) -> str:
        """The message of a ValidationException."""
        with pytest.raises(ServiceError) as caught:
            self.call(operation, **members)
        assert caught.value.code == "ValidationException", caught.value
        assert caught.value.message is not None
        return caught.value.message

    def search(
        self, vector: Sequence[float | str], count: int = 10, **wanted: Any
    ) -> list[tuple[str, float]]:
        """The names of the pictures nearest to a vector with their scores, of those with given values."""
        found = self.call("SearchVectors", **searching(vector, count, **wanted))["SearchResults"]
        return [(result["Item"]["id"]["S"], result["Score"]) for result in found]

    def names(self, vector: Sequence[float | str], count: int = 10, **wanted: Any) -> list[str]:
        return [name for name, _ in self.search(vector, count, **wanted)]

    def described(self) -> dict[str, Any]:
        description: dict[str, Any] = self.call("DescribeTable")["Table"]
        return description

    def scanned(self) -> list[Item]:
        items: list[Item] = self.call("Scan", ConsistentRead=True)["Items"]
        return items


def index(*, divided: bool, filtered: bool, dimensions: int, distance: str) -> dict[str, Any]:
    """The vector index of pictures."""
    kinds = {"shop": "HASH"} if divided else {}
    if filtered:
        kinds.update(year="INLINE_FILTER", artist="INLINE_FILTER")
    return vector(
        "near",
        VectorAttribute={"AttributeName": "v"},
        Dimensions=dimensions,
        DistanceFunction=distance,
        **({"SearchSchema": schema(**kinds)} if kinds else {}),
    )


def searching(vector: Sequence[float | str], count: int = 10, **wanted: Any) -> dict[str, Any]:
    """A request for the nearest vectors; capitalised keywords are members of the request."""
    members = {name: value for name, value in wanted.items() if name[0].isupper()}
    values = {name: value for name, value in wanted.items() if name[0].islower()}
    if values:
        members["SearchConditionExpression"] = " AND ".join(f"#{name} = :{name}" for name in values)
        members["ExpressionAttributeNames"] = {f"#{name}": name for name in values}
        members["ExpressionAttributeValues"] = {
            f":{name}": {"S": value} if isinstance(value, str) else {"N": str(value)}
            for name, value in values.items()
        }
    return {"IndexName": "near", "SearchVector": numbers(vector), "TopK": count, **members}
