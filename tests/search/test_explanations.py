"""Every example in the explanations raises the error that it explains."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from pksk import Entity, Key, Table, connect
from pksk.errors import PkskError
from pksk.search import (
    EmbeddedSink,
    FailedItem,
    ItemWrite,
    Keyword,
    Number,
    SearchDocument,
    SearchIndex,
    Sync,
    Text,
)
from tests.cli.run_pksk import pksk
from tests.model.explanation_examples import examples_of, run_example
from tests.search.places import Campsite, Park, places, reference

EXAMPLES = {code: example for code, example in examples_of("search").items() if example}


class Order(Entity, table=Table("orders", stream=True)):
    """An entity without a search document."""

    id: str
    primary = Key("ORDER#{id}", "META")


class ParkWithTextStatus(Entity, table=Table("parks", stream=True)):
    """One of two entities whose fields differ."""

    id: str
    status: str
    primary = Key("PARK#{id}", "META")
    search = SearchDocument({"status": Text()})


class TrailWithKeywordStatus(Entity, table=Table("trails", stream=True)):
    """The other one."""

    id: str
    status: str
    primary = Key("TRAIL#{id}", "META")
    search = SearchDocument({"status": Keyword()})


class ParkWithoutStream(Entity, table=Table("still")):
    """An entity of a table without a stream."""

    id: str
    primary = Key("PARK#{id}", "META")
    search = SearchDocument({"id": Keyword()})


class Day(Entity, table=Table("days", stream=True)):
    """An entity whose key has only the year of its date."""

    id: str
    day: date
    primary = Key("DAY#{id}", "{day:%Y}", one_per_bucket=("day",))
    search = SearchDocument({"id": Keyword()})


@pytest.mark.parametrize("code", [code for code in EXAMPLES if code != "sync-target"])
def test_an_example_raises_the_error_that_it_explains(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    EmbeddedSink(SearchIndex("trails", Park, Campsite), "trails.search.db").close()
    days = SearchIndex("days", Day)
    with connect("pksk.db") as db, EmbeddedSink(places) as sink, EmbeddedSink(days) as day_sink:
        db.create_tables(reference)
        day_sink.apply([ItemWrite(days.documents_of(Day(id="1", day=date(2026, 5, 6))))])
        names: dict[str, Any] = {
            "EmbeddedSink": EmbeddedSink, "Number": Number, "Order": Order, "Park": Park,
            "ParkWithTextStatus": ParkWithTextStatus, "ParkWithoutStream": ParkWithoutStream,
            "SearchDocument": SearchDocument, "SearchIndex": SearchIndex, "Sync": Sync, "Text": Text,
            "TrailWithKeywordStatus": TrailWithKeywordStatus, "db": db, "places": places, "sink": sink,
            "hits": day_sink.search(days.search()), "shop": Table("shop"), "sync": Sync(db, places, sink),
            "letter_of_another_index": FailedItem("ORDER#1", "orders", {}, 1, "no", 1),
        }  # fmt: skip

        with pytest.raises(PkskError) as caught:
            run_example(EXAMPLES[code], code, names)

    assert caught.value.code == code


def test_a_command_without_an_index_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.py").write_text("")

    assert "pksk explain sync-target" in pksk(*EXAMPLES["sync-target"].split()[1:]).err
