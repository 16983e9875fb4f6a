"""Updates that ask for the version that was read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import pytest

from pksk import ConditionFailed, Entity, F, Key, NotFound, StaleVersion, Store, Table, Version
from tests.store.shop import named

pages = Table(named("pages"))


class Page(Entity, table=pages):
    id: str
    text: str = ""
    version: Annotated[int, Version()] = 0
    primary = Key("PAGE#{id}", "META")


@pytest.fixture
def tables() -> Iterable[Table]:
    return [pages]


CHANGE = Page.primary.update(id="1").set(text="new")


def test_an_update_of_the_version_that_was_read_is_done_and_raises_it(db: Store) -> None:
    page = db.create(Page(id="1"))

    changed = db.update(CHANGE.when(F.version == page.version))

    assert (changed.text, changed.version) == ("new", 2)


@pytest.mark.parametrize("further", [None, F.text == "old", F.text == "other"])
def test_an_update_of_an_older_version_is_stale_whatever_else_it_asks_for(db: Store, further: object) -> None:
    page = db.put(db.create(Page(id="1", text="old")))
    update = CHANGE.when(F.version == page.version - 1)

    with pytest.raises(StaleVersion) as caught:
        db.update(update if further is None else update.when(further))  # type: ignore[arg-type]

    assert caught.value.item == page


def test_of_several_conditions_the_one_that_fails_is_named(db: Store) -> None:
    page = db.create(Page(id="1", text="old"))

    with pytest.raises(ConditionFailed, match="the condition text = 'other' does not hold") as caught:
        db.update(CHANGE.when((F.version == page.version) & (F.text == "other")))

    assert not isinstance(caught.value, StaleVersion)
    assert caught.value.item == page


def test_a_delete_of_an_older_version_is_stale(db: Store) -> None:
    db.put(db.create(Page(id="1")))

    with pytest.raises(StaleVersion):
        db.delete(Page.primary.delete(id="1").when(F.version == 1))


def test_an_update_of_what_is_not_there_finds_nothing_whatever_version_it_asks_for(db: Store) -> None:
    with pytest.raises(NotFound) as caught:
        db.update(CHANGE.when(F.version == 1))

    assert caught.value.fix.endswith("upsert=True.")
