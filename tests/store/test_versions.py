"""Updates that ask for the version that was read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any

import pytest

from pksk import (
    ConditionFailed,
    Entity,
    F,
    InvalidValue,
    Key,
    NotFound,
    PkskError,
    Put,
    StaleVersion,
    Store,
    Table,
    TransactionFailed,
    Version,
)
from tests.store.doors import Door
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


def test_an_update_of_the_current_version_increments_it(db: Store) -> None:
    page = db.create(Page(id="1"))

    changed = db.update(CHANGE.when(F.version == page.version))

    assert (changed.text, changed.version) == ("new", 2)


def test_an_update_without_changes_raises_and_leaves_the_version(db: Store) -> None:
    page = db.create(Page(id="1"))

    for run in (db.update, db.transaction):
        with pytest.raises(InvalidValue, match=r"Page\.primary\.update: the update has no changes"):
            run(Page.primary.update(id="1"))

    assert db.get(Page, id="1") == page


@pytest.mark.parametrize("further", [None, F.text == "old", F.text == "other"])
def test_an_update_of_an_older_version_is_stale_before_other_conditions(db: Store, further: object) -> None:
    page = db.put(db.create(Page(id="1", text="old")))
    update = CHANGE.when(F.version == page.version - 1)

    with pytest.raises(StaleVersion) as caught:
        db.update(update if further is None else update.when(further))  # type: ignore[arg-type]

    assert caught.value.item == page


def test_the_error_names_the_failed_one_of_several_conditions(db: Store) -> None:
    page = db.create(Page(id="1", text="old"))

    with pytest.raises(ConditionFailed, match="the condition text = 'other' does not hold") as caught:
        db.update(CHANGE.when((F.version == page.version) & (F.text == "other")))

    assert not isinstance(caught.value, StaleVersion)
    assert caught.value.item == page


def test_a_delete_of_an_older_version_is_stale(db: Store) -> None:
    db.put(db.create(Page(id="1")))

    with pytest.raises(StaleVersion):
        db.delete(Page.primary.delete(id="1").when(F.version == 1))


@pytest.mark.parametrize("verb", ["create", "put", "delete"])
def test_a_version_without_a_stored_item_has_its_own_error(db: Store, verb: str) -> None:
    with pytest.raises(
        StaleVersion, match="version 5 is expected, but there is no item pk = 'PAGE#1'"
    ) as caught:
        getattr(db, verb)(Page(id="1", version=5))

    assert caught.value.code == "store-version-no-item"
    assert caught.value.item is None
    assert ("version=0" in caught.value.fix) is (verb != "delete")


def test_a_version_without_a_stored_item_has_its_own_error_in_a_transaction(db: Store) -> None:
    with pytest.raises(TransactionFailed) as caught:
        db.transaction(Put(Page(id="1", version=5)))

    assert caught.value.failures[0].code == "store-version-no-item"


def test_a_stale_version_in_the_first_write_of_a_store_raises_with_the_item(db: Store, door: Door) -> None:
    page = db.create(Page(id="1"))
    with pytest.raises(StaleVersion) as caught:
        door.open().put(Page(id="1", version=5))

    assert (caught.value.code, caught.value.item) == ("store-stale-version", page)


def test_an_update_with_a_version_of_a_missing_item_raises_not_found(db: Store) -> None:
    with pytest.raises(NotFound) as caught:
        db.update(CHANGE.when(F.version == 1))

    assert caught.value.fix.endswith("upsert=True.")


WITHOUT_VERSION = {"pk": {"S": "PAGE#1"}, "sk": {"S": "META"}, "id": {"S": "1"}, "type": {"S": "Page"}}
OLD: dict[str, dict[str, Any]] = {
    "none": WITHOUT_VERSION,
    "the first": {**WITHOUT_VERSION, "version": {"N": "0"}},
}
WRITES: dict[str, Callable[[Store, Page], Any]] = {
    "put": lambda db, page: db.put(page),
    "put when": lambda db, page: db.put(page, when=F.version == page.version),
    "put in a transaction": lambda db, page: db.transaction(Put(page)),
    "delete": lambda db, page: db.delete(page),
    "delete when": lambda db, page: db.delete(Page.primary.delete(id="1").when(F.version == page.version)),
    "move": lambda db, page: db.move(page, id="2"),
    "move in place": lambda db, page: db.move(page, text="new"),
    "update": lambda db, page: db.update(CHANGE.when(F.version == page.version)),
    "update when": lambda db, page: db.update(CHANGE.when((F.version == page.version) & (F.id == "1"))),
    "upsert": lambda db, page: db.update(CHANGE.when(F.version == page.version), upsert=True),
    "check": lambda db, page: db.transaction(
        Page.primary.check(id="1").when(F.version == page.version), Put(Page(id="3"))
    ),
}


@pytest.mark.parametrize("item", OLD.values(), ids=OLD)
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_an_item_that_is_older_than_its_version_field_has_the_first_version(
    db: Store, door: Door, item: dict[str, Any], write: Callable[[Store, Page], Any]
) -> None:
    door.call("PutItem", {"TableName": pages.name, "Item": item})
    page = db.get(Page.primary.get(id="1"))

    assert page == Page(id="1")
    write(db, page)


@pytest.mark.parametrize("name", ["delete", "delete when", "put when", "upsert"])
def test_the_first_version_does_not_match_a_missing_item(db: Store, name: str) -> None:
    with pytest.raises(StaleVersion) as caught:
        WRITES[name](db, Page(id="1"))

    assert caught.value.code == "store-version-no-item"


@pytest.mark.parametrize("name", WRITES)
def test_a_stale_first_version_raises_with_the_item(db: Store, name: str) -> None:
    page = db.put(db.create(Page(id="1", text="old")))
    with pytest.raises(PkskError) as caught:
        WRITES[name](db, page.model_copy(update={"version": 0}))
    of = caught.value.failures[0] if isinstance(caught.value, TransactionFailed) else caught.value

    assert isinstance(of, StaleVersion)
    assert (of.code, of.item) == ("store-stale-version", page)
