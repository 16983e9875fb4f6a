"""A table of songs, for tests of PartiQL."""

from __future__ import annotations

from typing import Any

import pytest

from pksk.client import ServiceError
from pksk.engine import Engine
from tests.engine.state.catalogues import defined, index, table

__all__ = ["ARN", "MALFORMED", "Item", "Music", "song"]

Item = dict[str, Any]

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/Music"
MALFORMED = "Statement wasn't well formed, can't be processed: "


class Music:
    """An engine with the table `Music` of songs by `Artist` and `Title`, and `Plain`, whose key is `pk` alone."""

    def __init__(self, *songs: Item, engine: Engine | None = None) -> None:
        self.engine = engine or Engine.open()
        included = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["Genre"]}
        self.engine.call(
            "CreateTable",
            table(
                "Artist",
                "Title",
                TableName="Music",
                AttributeDefinitions=defined("Artist", "Title", "Label", Awards="N"),
                GlobalSecondaryIndexes=[index("by-label", "Label", "Awards", Projection=included)],
                LocalSecondaryIndexes=[
                    index("by-awards", "Artist", "Awards", Projection={"ProjectionType": "KEYS_ONLY"})
                ],
            ),
        )
        self.engine.call("CreateTable", table("pk", TableName="Plain", AttributeDefinitions=defined("pk")))
        for one in songs:
            self.engine.call("PutItem", {"TableName": "Music", "Item": one})

    def call(self, operation: str, **request: Any) -> dict[str, Any]:
        return self.engine.call(operation, request)

    def execute(self, statement: str, *parameters: Item, **members: Any) -> dict[str, Any]:
        optional = {"Parameters": list(parameters)} if parameters else {}
        return self.call("ExecuteStatement", Statement=statement, **optional, **members)

    def items(self, statement: str, *parameters: Item, **members: Any) -> list[Item]:
        found: list[Item] = self.execute(statement, *parameters, **members)["Items"]
        return found

    def error(self, operation: str, **request: Any) -> ServiceError:
        with pytest.raises(ServiceError) as caught:
            self.engine.call(operation, request)
        return caught.value

    def error_of(self, statement: str, *parameters: Item, **members: Any) -> tuple[str, str | None]:
        """The code and the message of the error of a statement."""
        optional = {"Parameters": list(parameters)} if parameters else {}
        error = self.error("ExecuteStatement", Statement=statement, **optional, **members)
        return error.code, error.message

    def invalid(self, statement: str, *parameters: Item, **members: Any) -> str:
        """The message of a ValidationException."""
        code, message = self.error_of(statement, *parameters, **members)
        assert code == "ValidationException"
        assert message is not None
        return message

    def songs(self) -> list[Item]:
        found: list[Item] = self.call("Scan", TableName="Music")["Items"]
        return sorted(found, key=str)


def song(artist: str, title: str, **more: Any) -> Item:
    """A song; texts and numbers as Python has them, all else in DynamoDB's JSON."""
    attributes = {"Artist": artist, "Title": title, **more}
    return {name: _wire(value) for name, value in attributes.items()}


def _wire(value: Any) -> Item:
    if isinstance(value, dict):
        return value
    return {"S": value} if isinstance(value, str) else {"N": str(value)}
