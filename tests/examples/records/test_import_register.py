"""Registers: stored as a whole or not at all, and begun again after an interruption."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from examples.records.catalogue import Post
from examples.records.errors import AlreadyImported, ImportRunning, InvalidInput, Missing
from examples.records.operations.catalogue import add_collection, add_post, drop_post
from examples.records.operations.registers import add_household, import_register
from examples.records.registers import Record, RecordHousehold
from examples.records.tables import ids
from pksk import Store, connect


@pytest.fixture
def post(db: Store) -> Post:
    return add_post(db, add_collection(db, "Alabama", []).id, "1850")


def census(many: int) -> list[dict[str, str]]:
    return [{"given": f"Ann {number}", "household": str(number // 4)} for number in range(many)]


def stored_records(db: Store, post: Post) -> list[Record]:
    return sorted(db.iter(Record.of_post(post.id)), key=lambda each: each.id)


class Interrupting:
    """A client that stops the program at its n-th write of a batch, before or after it is done."""

    def __init__(self, db: Store, at: int, *, before: bool, then: Callable[[], object] | None = None) -> None:
        self._client, self._left, self._before, self._then = db.client, at, before, then

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        self._left -= operation == "BatchWriteItem"
        stop = operation == "BatchWriteItem" and self._left == 0
        if stop and self._then is not None:
            self._then()
        elif stop and self._before:
            raise KeyboardInterrupt
        answer: dict[str, Any] = self._client.call(operation, request)
        if stop and self._then is None:
            raise KeyboardInterrupt
        return answer


def test_a_register_takes_one_block_of_numbers_and_keeps_the_order_of_its_lines(
    db: Store, post: Post
) -> None:
    last = db.next(ids)

    assert import_register(db, post.id, census(60)) == 60

    assert [(each.id, each.data) for each in stored_records(db, post)] == list(
        enumerate(census(60), last + 1)
    )
    assert db.next(ids) == last + 61
    households = {each.household: each.record_ids for each in db.iter(RecordHousehold.of_post(post.id))}
    assert households["2"] == [last + number for number in range(9, 13)]
    assert len(households) == 15


def test_a_large_register_takes_several_blocks(
    db: Store, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("examples.records.operations.registers._BLOCK", 7)

    import_register(db, post.id, census(24))

    assert [each.data for each in stored_records(db, post)] == census(24)


def test_a_second_register_adds_to_the_households_of_the_first(db: Store, post: Post) -> None:
    import_register(db, post.id, census(4))
    import_register(db, post.id, [each | {"given": "Bob"} for each in census(4)])

    (household,) = db.iter(RecordHousehold.of_post(post.id))
    assert household.record_ids == [each.id for each in stored_records(db, post)]
    assert len(household.record_ids) == 8


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("at", [1, 2, 3, 4])
def test_an_interrupted_import_is_completed_by_the_same_call(
    db: Store, post: Post, at: int, before: bool
) -> None:
    with connect(Interrupting(db, at, before=before)) as broken, pytest.raises(KeyboardInterrupt):
        import_register(broken, post.id, census(60))

    import_register(db, post.id, census(60))

    records = stored_records(db, post)
    assert [each.data for each in records] == census(60)
    assert [each.id for each in records] == list(range(records[0].id, records[0].id + 60))
    households = [one for each in db.iter(RecordHousehold.of_post(post.id)) for one in each.record_ids]
    assert sorted(households) == [each.id for each in records]
    assert db.get(Post.one(post.id)).importing is None  # type: ignore[union-attr]


@pytest.mark.parametrize("stops", [1, 2, 3, 4])
def test_another_register_of_the_same_length_is_rejected_until_the_first_is_complete(
    db: Store, post: Post, stops: int
) -> None:
    other = [each | {"given": "Bob"} for each in census(60)]
    with connect(Interrupting(db, stops, before=False)) as broken, pytest.raises(KeyboardInterrupt):
        import_register(broken, post.id, census(60))
    half = stored_records(db, post)

    with pytest.raises(ImportRunning, match=r"import that register again to end it") as caught:
        import_register(db, post.id, other)

    assert (caught.value.post_id, caught.value.lines) == (post.id, 60)
    assert stored_records(db, post) == half
    import_register(db, post.id, census(60))
    import_register(db, post.id, other)
    assert [each.data for each in stored_records(db, post)] == census(60) + other


def beginning(db: Store, post: Post, lines: list[dict[str, str]]) -> None:
    """Begin to import, and stop before the first record is stored."""
    with connect(Interrupting(db, 1, before=True)) as broken, pytest.raises(KeyboardInterrupt):
        import_register(broken, post.id, lines)


class Meanwhile:
    """A client that does something before the first update of a post."""

    def __init__(self, db: Store, then: Callable[[], object], at: int = 1) -> None:
        self._client, self._then, self._left = db.client, then, at

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        if operation == "UpdateItem" and request["Key"]["sk"] == {"S": "post"}:
            self._left -= 1
            if self._left == 0:
                self._then()
        answer: dict[str, Any] = self._client.call(operation, request)
        return answer


def test_the_second_of_two_concurrent_imports_is_rejected(db: Store, post: Post) -> None:
    faster = Meanwhile(db, lambda: beginning(db, post, census(1)))

    with connect(faster) as late, pytest.raises(ImportRunning, match=r"\(lines: 1\)"):
        import_register(late, post.id, census(3))

    assert stored_records(db, post) == []


def test_concurrent_imports_of_the_same_register_store_it_once(db: Store, post: Post) -> None:
    with connect(Meanwhile(db, lambda: beginning(db, post, census(6)))) as late:
        assert import_register(late, post.id, census(6)) == 6

    assert [each.data for each in stored_records(db, post)] == census(6)


def test_ending_an_import_does_not_end_another_one(db: Store, post: Post) -> None:
    def others() -> None:
        import_register(db, post.id, census(6))
        beginning(db, post, census(7))

    with connect(Meanwhile(db, others, at=2)) as late:
        import_register(late, post.id, census(6))

    assert db.get(Post.one(post.id)).importing is not None  # type: ignore[union-attr]


def test_a_register_that_was_imported_before_is_rejected_and_changes_nothing(db: Store, post: Post) -> None:
    import_register(db, post.id, census(6))
    import_register(db, post.id, census(7))
    there, last = stored_records(db, post), db.next(ids)

    for lines in (census(6), census(7)):
        with pytest.raises(AlreadyImported, match="has these lines already") as caught:
            import_register(db, post.id, lines)

    assert caught.value.post_id == post.id
    assert (stored_records(db, post), db.next(ids)) == (there, last + 1)
    other = add_post(db, post.collection_id, "1850, again")
    assert import_register(db, other.id, census(6)) == 6


def test_an_import_that_others_completed_meanwhile_is_rejected(db: Store, post: Post) -> None:
    faster = Meanwhile(db, lambda: import_register(db, post.id, census(6)))

    with connect(faster) as late, pytest.raises(AlreadyImported):
        import_register(late, post.id, census(6))

    assert [each.data for each in stored_records(db, post)] == census(6)


def test_a_post_that_is_dropped_during_an_import_leaves_no_record(db: Store, post: Post) -> None:
    dropping = Interrupting(db, 2, before=True, then=lambda: drop_post(db, post.id))

    with connect(dropping) as unlucky, pytest.raises(Missing, match=f"There is no post {post.id}."):
        import_register(unlucky, post.id, census(60))

    assert stored_records(db, post) == []
    assert list(db.iter(RecordHousehold.of_post(post.id))) == []


def test_a_register_for_a_missing_post_draws_no_number(db: Store) -> None:
    with pytest.raises(Missing):
        import_register(db, 99, census(3))

    assert db.next(ids) == 1


BAD: dict[str, tuple[list[dict[str, Any]], str]] = {
    "no lines": ([], "has no lines"),
    "an empty household": ([{"given": "Ann"}, {"given": "Bob", "household": ""}], "The household ''"),
    "a household too long for a key": ([{"household": "1" * 2000}], "The household '1111"),
    "a record too large for an item": ([{"given": "Ann"}, {"given": "A" * 410_000}], "Line 2 of the"),
    "half a character": ([{"given": "Ann"}, {"given": "\ud800"}], "Line 2 of the"),
    "a column without a name": ([{"": "Ann"}], "Line 1 of the"),
    "a value that is no text": ([{"given": "Ann"}, {"given": None}], "Line 2 of the"),
    "a household of too many": ([{"household": "1"}] * 60_000, "The household '1'"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_register_that_cannot_be_stored_as_a_whole_is_rejected_before_anything_is_written(
    db: Store, post: Post, what: str
) -> None:
    lines, reason = BAD[what]
    last = db.next(ids)

    with pytest.raises(InvalidInput, match=reason):
        import_register(db, post.id, lines)

    assert stored_records(db, post) == []
    assert list(db.iter(RecordHousehold.of_post(post.id))) == []
    assert db.get(Post.one(post.id)) == post
    assert db.next(ids) == last + 1


def test_a_household_that_would_be_too_large_is_rejected_before_anything_is_written(
    db: Store, post: Post
) -> None:
    before = add_household(db, post.id, "1", range(1_000_000, 1_069_420))

    with pytest.raises(InvalidInput, match="The household '1' of the register cannot be stored"):
        import_register(db, post.id, [{"household": "1"}] * 100)

    assert stored_records(db, post) == []
    assert db.get(RecordHousehold.one(post.id, "1")) == before
    assert db.get(Post.one(post.id)) == post
