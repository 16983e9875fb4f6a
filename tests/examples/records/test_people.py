"""Signing in: one user for each login, also with concurrent requests and a lagging index."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from examples.records.errors import ChangedMeanwhile, InvalidInput, Missing
from examples.records.operations.people import change_settings, sign_in
from examples.records.people import Settings, User, login_of
from examples.records.tables import records
from pksk import Clock, Delays, Engine, Store, connect


@pytest.fixture
def lagging_store() -> Iterator[Store]:
    """A store whose index does not know of anything before an hour is over."""
    clock = Clock(1_767_225_600)
    with (
        Engine.open(conflicts=True, delays=Delays(global_index=3600), clock=clock) as engine,
        connect(engine) as db,
    ):
        db.create_tables(records)
        yield db


def users(db: Store) -> list[User]:
    return list(db.scan(User.scan()))


def test_signing_in_again_returns_the_same_user(db: Store) -> None:
    first = sign_in(db, "https://a.org/", "ann", "ann@example.org")

    assert sign_in(db, "https://a.org/", "ann") == first
    assert sign_in(db, "https://b.org/", "ann") != first
    assert len(users(db)) == 2


def test_a_new_user_is_found_before_the_index_has_them(lagging_store: Store) -> None:
    first = sign_in(lagging_store, "https://a.org/", "ann")

    assert lagging_store.first(User.logged_in("https://a.org/", "ann")) is None
    assert sign_in(lagging_store, "https://a.org/", "ann") == first
    assert users(lagging_store) == [first]


def test_concurrent_sign_ins_create_one_user(lagging_store: Store) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: sign_in(lagging_store, "https://a.org/", "ann").id, range(16)))

    assert len(set(found)) == 1
    assert [each.id for each in users(lagging_store)] == found[:1]


@pytest.mark.parametrize(
    ("one", "other"),
    [(("a", "b&sub=c"), ("a&sub=b", "c")), (("a=b", "c"), ("a", "b=c")), (("a b", "c"), ("a+b", "c"))],
)
def test_different_logins_are_never_encoded_alike(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert login_of(*one) != login_of(*other)


@pytest.mark.parametrize(
    ("issuer", "subject"),
    [("", ""), ("https://a.org/", ""), ("", "ann"), (" ", "ann"), ("https://a.org/", "\t")],
)
def test_a_login_without_an_issuer_or_a_subject_is_rejected(db: Store, issuer: str, subject: str) -> None:
    with pytest.raises(InvalidInput, match="A login has an issuer and a subject"):
        sign_in(db, issuer, subject)

    assert users(db) == []


def test_settings_can_be_changed_only_in_their_current_version(db: Store) -> None:
    with pytest.raises(Missing):
        change_settings(db, Settings(name="general"), title="Registers")
    read = db.create(Settings(name="general", values={"title": "Old", "language": "en"}))

    changed = change_settings(db, read, title="New")

    assert changed.values == {"title": "New", "language": "en"}
    with pytest.raises(ChangedMeanwhile):
        change_settings(db, read, title="Other")
    assert db.get(Settings.one()) == changed
