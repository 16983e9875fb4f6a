"""Consumers on a server that is not ours, which `.ci/run` names in PKSK_ENDPOINT."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pksk import ConsumerStale, Store, connect
from tests.changes.shop import Order, fill, shop
from tests.store.doors import ENDPOINT, LAGGING

pytestmark = pytest.mark.skipif(
    ENDPOINT in ("", LAGGING), reason="PKSK_ENDPOINT is not set: .ci/run runs this on ExtendDB"
)


@pytest.fixture
def server() -> Iterator[Store]:
    """A store on the server, with an empty table and no consumers."""
    with connect(ENDPOINT) as db:
        for name in ("shop", "pksk-changes"):
            if name in db.client.call("ListTables", {})["TableNames"]:
                db.drop_tables(name)
        db.create_tables(shop)
        yield db
        db.drop_tables("shop")


def numbers(db: Store) -> list[int]:
    return sorted(each.new.number for each in db.changes(Order, consumer="audit") if each.new)


# One test, as workers that run tests at the same time would share the tables.
def test_a_consumer_goes_on_notices_that_its_stream_was_disabled_and_rebuilds(server: Store) -> None:
    fill(server, 30)
    first = numbers(server)
    fill(server, 5, first=30)
    second = numbers(server)
    workers = server.changes(Order, consumer="audit").status().workers
    _enable_stream(server, enabled=False)
    fill(server, 1, first=35)
    with pytest.raises(ConsumerStale, match="the stream was disabled"):
        numbers(server)
    _enable_stream(server, enabled=True)
    seen: list[Any] = []
    server.changes(Order, consumer="audit").rebuild(seen.extend)

    assert (first, second, workers) == (list(range(30)), list(range(30, 35)), 0)
    assert sorted(each.new.number for each in seen) == list(range(36))
    assert set(numbers(server)) <= set(range(36))


def _enable_stream(server: Store, *, enabled: bool) -> None:
    specification: dict[str, Any] = {"StreamEnabled": enabled}
    if enabled:
        specification["StreamViewType"] = "NEW_AND_OLD_IMAGES"
    server.client.call("UpdateTable", {"TableName": "shop", "StreamSpecification": specification})
