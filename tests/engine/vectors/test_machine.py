"""Random writes and searches against brute force, on both storages, with and without numpy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from pksk.client import ServiceError
from tests.conftest import LONG
from tests.engine.agreement import check_agreement

from .brute_force import DISTANCES, brute_force
from .pictures import Item, Pictures, picture

NAMES = st.sampled_from("abcdefghijkl")
# Halves add and multiply exactly, and often give equal scores.
VECTORS = st.tuples(*[st.integers(-4, 4).map(lambda n: n / 2 if n % 2 else n // 2)] * 2)
SHOPS, YEARS, ARTISTS = (
    st.none() | st.sampled_from(values) for values in (("x", "y"), (1, 2), ("kim", "lee"))
)
ITEMS = st.builds(
    lambda name, vector, shop, year, artist: picture(
        name,
        vector,
        **{
            key: value
            for key, value in (("shop", shop), ("year", year), ("artist", artist))
            if value is not None
        },
    ),
    NAMES,
    st.none() | VECTORS,
    SHOPS,
    YEARS,
    ARTISTS,
)


class Machine(RuleBasedStateMachine):
    """An engine beside a dict of the items that it should have."""

    in_a_file = False

    def __init__(self) -> None:
        super().__init__()
        self.items: dict[str, Item] = {}

    @initialize(shape=st.tuples(st.booleans(), st.booleans(), st.sampled_from(DISTANCES)))
    def opened(self, shape: tuple[bool, bool, str]) -> None:
        divided, filtered, distance = shape
        self.shape = {"divided": divided, "filtered": filtered, "distance": distance, "dimensions": 2}
        self.folder = TemporaryDirectory() if self.in_a_file else None
        self.path = ":memory:" if self.folder is None else str(Path(self.folder.name) / "pictures.db")
        self.pictures = Pictures.at(self.path, **self.shape)
        self.there = True

    def teardown(self) -> None:
        if hasattr(self, "pictures"):
            check_agreement(self.pictures.engine)
            self.pictures.engine.close()
            if self.folder is not None:
                self.folder.cleanup()

    @rule(item=ITEMS)
    def put(self, item: Item) -> None:
        self.pictures.put(item)
        self.items[item["id"]["S"]] = item

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        self.pictures.call("DeleteItem", Key={"id": {"S": name}})
        self.items.pop(name, None)

    @rule(name=NAMES, removed=st.sampled_from(["v", "shop", "year"]))
    def remove(self, name: str, removed: str) -> None:
        self.pictures.call(
            "UpdateItem",
            Key={"id": {"S": name}},
            UpdateExpression="REMOVE #r",
            ExpressionAttributeNames={"#r": removed},
        )
        if name in self.items:
            self.items[name].pop(removed, None)

    @rule(items=st.lists(ITEMS, max_size=5, unique_by=lambda item: item["id"]["S"]), fails=st.booleans())
    def transact(self, items: list[Item], fails: bool) -> None:
        actions: list[dict[str, Any]] = [{"Put": {"TableName": "pictures", "Item": item}} for item in items]
        condition = "attribute_exists(id)" if fails else "attribute_not_exists(id)"
        never = {"TableName": "pictures", "Key": {"id": {"S": "never"}}, "ConditionExpression": condition}
        try:
            self.pictures.engine.call(
                "TransactWriteItems", {"TransactItems": [*actions, {"ConditionCheck": never}]}
            )
        except ServiceError as error:
            assert fails, error  # noqa: PT017  # it says why
        else:
            assert not fails
            self.items.update((item["id"]["S"], item) for item in items)

    @rule(vector=VECTORS, count=st.integers(1, 6), shop=SHOPS, year=YEARS, artist=ARTISTS)
    def search(self, vector: Any, count: int, shop: Any, year: Any, artist: Any) -> None:
        if not self.there:
            return
        wanted = {"shop": shop or "x"} if self.shape["divided"] else {}
        if self.shape["filtered"]:
            wanted |= {k: v for k, v in (("year", year), ("artist", artist)) if v is not None}

        expected = brute_force(str(self.shape["distance"]), vector, self._candidates(wanted), count)
        assert self.pictures.search(vector, count, **wanted) == expected

    def _candidates(self, wanted: dict[str, Any]) -> Iterator[tuple[str, list[float]]]:
        """The items that are in the index and pass, in the order of a scan."""
        for item in self.pictures.scanned():
            values = {name: next(iter(value.values())) for name, value in item.items() if name != "v"}
            if "v" in item and all(values.get(name) == str(value) for name, value in wanted.items()):
                yield values["id"], [float(number["N"]) for number in item["v"]["L"]]

    @rule()
    def add_or_remove_the_index(self) -> None:
        update = {"Delete": {"IndexName": "near"}} if self.there else {"Create": self.pictures.index}
        definitions = self.pictures.definitions
        if definitions and not self.there:
            self.pictures.call("UpdateTable", AttributeDefinitions=definitions, VectorIndexUpdates=[update])
        else:
            self.pictures.call("UpdateTable", VectorIndexUpdates=[update])
        self.there = not self.there

    @rule()
    def open_again(self) -> None:
        if self.in_a_file:
            self.pictures.engine.close()
            self.pictures = Pictures.at(self.path, create=False, **self.shape)

    @invariant()
    def has_its_items(self) -> None:
        if hasattr(self, "pictures"):
            assert {item["id"]["S"]: item for item in self.pictures.scanned()} == self.items


@pytest.mark.parametrize("in_a_file", [False, True])
def test_searches_find_the_same_as_comparing_every_vector(in_a_file: bool, arithmetic: str) -> None:
    machine = type("Stored", (Machine,), {"in_a_file": in_a_file})
    examples = 500 if LONG else 12
    run_state_machine_as_test(
        machine, settings=settings(max_examples=examples, stateful_step_count=25, deadline=None)
    )


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("divided", [False, True])
def test_searches_of_many_vectors_agree_while_they_change(
    distance: str, divided: bool, arithmetic: str
) -> None:
    random = Random(3)
    pictures = Pictures(distance=distance, divided=divided, filtered=True, dimensions=8)
    stored: dict[str, tuple[list[float], str, int]] = {}
    for step in range(300):
        name = f"{random.randrange(150):03}"
        if step % 5 == 4 and name in stored:
            pictures.call("DeleteItem", Key={"id": {"S": name}})
            del stored[name]
        else:
            vector = [random.gauss(0, 1) for _ in range(8)]
            shop, year = random.choice("xy"), random.randrange(3)
            pictures.put(picture(name, vector, shop=shop, year=year))
            stored[name] = vector, shop, year
        if step % 50 == 49:
            query = [random.gauss(0, 1) for _ in range(8)]
            wanted: dict[str, Any] = {"shop": "x", "year": 1} if divided else {"year": 1}
            candidates = [
                (name, vector)
                for name, (vector, shop, year) in stored.items()
                if year == 1 and (shop == "x" or not divided)
            ]

            expected = brute_force(distance, query, candidates, 7)
            found = pictures.search(query, 7, **wanted)
            assert [name for name, _ in found] == [name for name, _ in expected]
            assert [each for _, each in found] == pytest.approx([each for _, each in expected], rel=1e-12)
