"""Records: each with a check of its post."""

from __future__ import annotations

import pytest

from examples.records.catalogue import Post
from examples.records.comparisons import measure
from examples.records.errors import ChangedMeanwhile, Missing
from examples.records.operations.catalogue import add_collection, add_post
from examples.records.operations.registers import add_household, add_record, change_record, read_records
from examples.records.registers import Record, RecordHousehold
from pksk import Store


@pytest.fixture
def post(db: Store) -> Post:
    return add_post(db, add_collection(db, "Alabama", []).id, "1850")


def census(many: int) -> list[dict[str, str]]:
    return [{"given": f"Ann {number}", "household": str(number // 4)} for number in range(many)]


def test_a_record_of_a_missing_post_raises_an_error(db: Store) -> None:
    with pytest.raises(Missing, match=r"There is no post 99\."):
        add_record(db, 99, {"given": "Ann"})
    with pytest.raises(Missing, match=r"There is no post 99\."):
        add_household(db, 99, "1", [1])

    assert list(db.iter(RecordHousehold.of_post(99))) == []


def test_a_record_stays_in_the_index_after_every_change(db: Store, post: Post) -> None:
    record = add_record(db, post.id, {"given": "Ann"})
    for name in ("Anna", "Anne", "Hannah"):
        record = change_record(db, record, {"given": name})

    assert list(db.iter(Record.of_post(post.id))) == [record]
    assert record.data == {"given": "Hannah"}


def test_a_record_that_has_changed_meanwhile_is_not_overwritten(db: Store, post: Post) -> None:
    read = add_record(db, post.id, {"given": "Ann"})
    changed = change_record(db, read, {"given": "Anna"})

    with pytest.raises(ChangedMeanwhile) as caught:
        change_record(db, read, {"given": "Anne"})

    assert caught.value.stored == changed
    assert read_records(db, [read.id, 999]) == [changed]


def test_a_record_of_a_deleted_post_cannot_be_changed(db: Store, post: Post) -> None:
    read = add_record(db, post.id, {"given": "Ann"})
    db.delete(Post.drop(post.id))

    with pytest.raises(Missing, match=f"There is no post {post.id}."):
        change_record(db, read, {"given": "Anna"})


def test_only_workers_that_add_to_one_post_conflict() -> None:
    one_post, own_posts, register = measure(census(40), workers=4)

    assert one_post.conflicts > 0
    assert (own_posts.conflicts, register.conflicts) == (0, 0)
    assert one_post.requests == 2 * 40 + one_post.conflicts
    assert (one_post.records, own_posts.records, register.records) == (40, 40, 40)
    assert (one_post.units_each, own_posts.units_each) == (6, 6)
    assert register.units_each < 3
    assert register.requests < 10
