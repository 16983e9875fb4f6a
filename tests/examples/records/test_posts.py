"""Posts: their collection must be there, their states follow each other, and they go with all their records."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from examples.records.catalogue import Post
from examples.records.errors import ChangedMeanwhile, InvalidInput, Missing
from examples.records.operations.catalogue import (
    BEFORE,
    add_collection,
    add_post,
    change_post,
    drop_post,
    drop_records,
    proceed,
)
from examples.records.operations.registers import add_household, add_record
from examples.records.registers import Record, RecordHousehold
from pksk import ReferenceMissing, Store


@pytest.fixture
def post(db: Store) -> Post:
    return add_post(db, add_collection(db, "Alabama", []).id, "1850")


def test_a_post_of_a_missing_collection_raises_an_error(db: Store) -> None:
    with pytest.raises(Missing) as caught:
        add_post(db, 99, "1850")

    assert (caught.value.kind, caught.value.key) == ("collection", "99")
    assert isinstance(caught.value.__cause__, ReferenceMissing)
    assert list(db.iter(Post.every())) == []


@pytest.mark.parametrize("name", ["", "  "])
def test_a_post_has_a_name(db: Store, post: Post, name: str) -> None:
    with pytest.raises(InvalidInput, match="A post needs a name"):
        add_post(db, post.collection_id, name)
    with pytest.raises(InvalidInput, match="A post needs a name"):
        change_post(db, post, name=name)

    assert list(db.iter(Post.every())) == [post]
    assert add_post(db, post.collection_id, "1860").id == post.id + 1


def test_a_post_that_moves_to_another_collection_is_listed_there(db: Store, post: Post) -> None:
    other = add_collection(db, "Georgia", [])

    moved = change_post(db, post, collection_id=other.id)

    assert list(db.iter(Post.of_collection(other.id))) == [moved]
    assert list(db.iter(Post.of_collection(post.collection_id))) == []
    with pytest.raises(Missing, match=r"There is no collection 999\."):
        change_post(db, moved, collection_id=999)
    with pytest.raises(ChangedMeanwhile):
        change_post(db, post, name="1851")


def test_a_post_goes_through_its_states_and_back(db: Store, post: Post) -> None:
    for status in ("Publication Requested", "Publishing", "Published", "Unpublishing", "Draft"):
        assert proceed(db, post.id, status).status == status

    assert {each for before in BEFORE.values() for each in before} == BEFORE.keys()


def test_a_state_that_does_not_follow_is_rejected(db: Store, post: Post) -> None:
    with pytest.raises(InvalidInput, match="is 'Draft', and cannot become 'Published'"):
        proceed(db, post.id, "Published")
    with pytest.raises(Missing):
        proceed(db, 999, "Publishing")


def test_one_of_many_concurrent_publishers_begins(db: Store, post: Post) -> None:
    proceed(db, post.id, "Publication Requested")

    def begin(_: int) -> bool:
        try:
            proceed(db, post.id, "Publishing")
        except InvalidInput:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(begin, range(16))) == 1


def test_deleting_a_post_deletes_its_records_and_households_and_no_others(db: Store, post: Post) -> None:
    other = add_post(db, post.collection_id, "1851")
    kept = add_record(db, other.id, {"given": "Ann"})
    gone = [add_record(db, post.id, {"given": "Bob"}).id for _ in range(30)]
    add_household(db, post.id, "1", gone[:3])
    add_household(db, other.id, "1", [kept.id])

    assert drop_post(db, post.id) == 30

    assert list(db.iter(Record.of_post(post.id))) == []
    assert list(db.iter(RecordHousehold.of_post(post.id))) == []
    assert list(db.iter(Record.of_post(other.id))) == [kept]
    assert [each.household for each in db.iter(RecordHousehold.of_post(other.id))] == ["1"]
    with pytest.raises(Missing):
        drop_post(db, post.id)
    assert drop_records(db, post.id) == 0
