"""The index: which items are in it, and which are left out by having no sort key for it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pksk import Store

from ...tour import Tour
from ..people import User
from ..table import records
from .known import Known

__all__ = ["counted", "index"]

_INDEX = "gsi_sk_altSort"


def index(tour: Tour, known: Known) -> None:
    """Count the items of each kind, in the table and in the index."""
    tour.section("The index: whatever has no altSort is not in it, and costs nothing there")
    items = [each.to_item() for each in known.everything]
    in_table = Counter(_kind(each) for each in items) + Counter(sequence=1, unique=len(known.of(User)))
    in_index = Counter(_kind(each) for each in items if "altSort" in each)
    found = tour.call("Items by kind, in the table and in the index", counted, (in_table, in_index))
    rows = [(kind, f"{many:,}", f"{found[1][kind]:,}") for kind, many in sorted(found[0].items())]
    tour.table(["kind", "in the table", "in the index"], rows, right=(1, 2))


def counted(db: Store) -> tuple[Counter[str], Counter[str]]:
    """The items of each kind: all that the table has, and those that are in the index."""
    return Counter(map(_kind, _rows(db))), Counter(map(_kind, _rows(db, IndexName=_INDEX)))


def _rows(db: Store, **more: Any) -> list[dict[str, Any]]:
    """All items, past the store: it reads entities, and never an index as a whole."""
    found: list[dict[str, Any]] = []
    request = {"TableName": records.name, "ProjectionExpression": "sk", **more}
    while True:
        answer = db.client.call("Scan", request)
        found += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return found
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def _kind(item: dict[str, Any]) -> str:
    kind: str = item["sk"]["S"].split("#")[0]
    return kind
