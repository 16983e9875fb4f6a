"""Random writes and moves of the clock against a dict: items, index entries and stream records."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from pksk.client import ServiceError

from .sessions import NAME, START, Sessions

FIVE_YEARS = 5 * 365 * 24 * 3600
SERVICE = {"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"}
Item = dict[str, dict[str, Any]]

names = st.sampled_from("abcdef")
seconds = st.one_of(
    st.integers(-5, 20), st.sampled_from([-FIVE_YEARS - 10, -FIVE_YEARS + 10, 10**10, 10**20])
)
untils = st.one_of(
    seconds.map(lambda second: {"N": str(START + second)}),
    st.sampled_from([{"S": str(START)}, {"N": f"{START}.5"}, {"NS": [str(START)]}, {"NULL": True}]),
    st.none(),
)
users = st.none() | st.sampled_from(["ann", "bob"])


class ExpiryMachine(RuleBasedStateMachine):
    """After every rule expired items are swept, and the others are compared with the model."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.sessions = Sessions(self.path())
        self.items: dict[str, Item] = {}
        self.enabled = True
        # The expected stream records: events by name, and whether the service made them.
        self.events: dict[str, list[tuple[str, bool]]] = {}
        self.expired = 0

    def path(self) -> Path | str:
        return ":memory:"

    def teardown(self) -> None:
        records: dict[str, list[tuple[str, bool]]] = {}
        for record in self.sessions.records():
            identity = record.get("userIdentity")
            assert identity in (None, SERVICE)
            name = record["dynamodb"]["Keys"]["pk"]["S"]
            records.setdefault(name, []).append((record["eventName"], identity is not None))
        self.sessions.engine.close()
        self.folder.cleanup()
        assert records == self.events

    @rule(name=names, until=untils, user=users)
    def put(self, name: str, until: Any, user: str | None) -> None:
        item = _item(name, until, user)
        self.sessions.call("PutItem", {"Item": item})
        self.became(name, item)

    @rule(name=names, until=untils)
    def extend(self, name: str, until: Any) -> None:
        request: dict[str, Any] = {"Key": _key(name), "ExpressionAttributeNames": {"#u": "until"}}
        if until is None:
            request["UpdateExpression"] = "REMOVE #u"
        else:
            request |= {"UpdateExpression": "SET #u = :u", "ExpressionAttributeValues": {":u": until}}
        self.sessions.call("UpdateItem", request)
        new = {**self.items.get(name, _key(name)), "until": until}
        if until is None:
            del new["until"]
        if until is not None or name in self.items:
            self.became(name, new)

    @rule(name=names)
    def delete(self, name: str) -> None:
        self.sessions.call("DeleteItem", {"Key": _key(name)})
        self.became(name, None)

    @rule(chosen=st.dictionaries(names, untils, min_size=1), fails=st.booleans())
    def transact(self, chosen: dict[str, Any], fails: bool) -> None:
        actions: list[dict[str, Any]] = [
            {"Put": {"TableName": NAME, "Item": _item(name, until)}} for name, until in chosen.items()
        ]
        if fails:
            check = {"TableName": NAME, "Key": _key("none"), "ConditionExpression": "attribute_exists(pk)"}
            with pytest.raises(ServiceError):
                self.sessions.engine.call(
                    "TransactWriteItems", {"TransactItems": [*actions, {"ConditionCheck": check}]}
                )
            return
        self.sessions.engine.call("TransactWriteItems", {"TransactItems": actions})
        for name, until in chosen.items():
            self.became(name, _item(name, until))

    @rule(by=st.sampled_from([0, 1, 2, 5, 20, -3]))
    def move(self, by: int) -> None:
        self.sessions.clock.advance(by)

    @rule()
    def switch(self) -> None:
        self.enabled = not self.enabled
        self.sessions.enable(enabled=self.enabled)

    @invariant()
    def only_what_lives_is_left(self) -> None:
        now = self.sessions.clock()
        gone = [name for name, item in self.items.items() if self.enabled and _is_over(item, now)]
        for name in gone:
            self.became(name, None, by_service=True)

        assert self.sessions.engine.expire() == len(gone)
        assert self.sessions.items() == sorted(self.items.values(), key=repr)
        indexed = [item for item in self.items.values() if "user" in item]
        assert self.sessions.items("by-user") == sorted(indexed, key=repr)
        expected = sum(_seconds(item) is not None for item in self.items.values()) if self.enabled else 0
        assert len(self.sessions.expiry_rows()) == expected

    def became(self, name: str, item: Item | None, *, by_service: bool = False) -> None:
        old = self.items.pop(name, None)
        if item is not None:
            self.items[name] = item
        if old != item:
            event = "INSERT" if old is None else "REMOVE" if item is None else "MODIFY"
            self.events.setdefault(name, []).append((event, by_service))


class FileMachine(ExpiryMachine):
    """The same in a file, which is closed and opened again."""

    def path(self) -> Path | str:
        return Path(self.folder.name) / "tables.db"

    @precondition(lambda self: self.items)
    @rule()
    def reopen(self) -> None:
        self.sessions.reopen()


def _key(name: str) -> Item:
    return {"pk": {"S": name}, "sk": {"S": "1"}}


def _item(name: str, until: Any, user: str | None = None) -> Item:
    item = _key(name)
    if until is not None:
        item["until"] = until
    return item if user is None else {**item, "user": {"S": user}}


def _seconds(item: Item) -> int | None:
    text = item.get("until", {}).get("N")
    return int(text) if text is not None and "." not in text and len(text) < 19 else None


def _is_over(item: Item, now: float) -> bool:
    second = _seconds(item)
    return second is not None and now - FIVE_YEARS <= second <= now


@pytest.mark.parametrize("machine", [ExpiryMachine, FileMachine])
def test_items_are_deleted_exactly_when_they_expire(machine: type[ExpiryMachine]) -> None:
    few = settings(max_examples=settings().max_examples // 4, stateful_step_count=12)

    run_state_machine_as_test(machine, settings=few)
