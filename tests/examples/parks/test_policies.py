"""Policies: versions without gaps and the latest of them, also with concurrent publishers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from examples.parks.operations.policies import new_policy, publish
from examples.parks.policies import LatestPolicy, PolicyVersion, publish_version
from examples.parks.tables import reference
from pksk import Delays, Engine, Store, TransactionFailed, connect
from tests.examples.parks.conftest import Meanwhile


def versions(db: Store, number: int) -> list[int]:
    return sorted(each.version for each in db.run(PolicyVersion.of_policy("fee", number)))


def test_a_new_policy_has_its_first_version_as_its_latest(db: Store) -> None:
    first = new_policy(db, "fee", {"adult": "10.00"})
    second = new_policy(db, "fee", {"adult": "11.00"})

    assert (first.policy_id, first.version, second.policy_id) == (1, 1, 2)
    assert db.get(LatestPolicy.one("fee", 1)) == LatestPolicy(**first.model_dump())


def test_a_new_policy_skips_a_number_that_was_assigned_by_hand(db: Store) -> None:
    by_hand = [publish(db, "fee", number, {"by": "hand"}) for number in (1, 2, 9)]

    made = new_policy(db, "fee", {"by": "ann"})

    assert (made.policy_id, made.version) == (10, 1)
    assert [db.get(LatestPolicy.one("fee", each.policy_id)) for each in by_hand] == [
        LatestPolicy(**each.model_dump()) for each in by_hand
    ]
    assert versions(db, 1) == [1]


def test_a_new_policy_skips_numbers_that_are_not_in_the_index_yet() -> None:
    with Engine.open(delays=Delays(global_index=3600)) as engine, connect(engine) as db:
        db.create_tables(reference)
        for number in (1, 2, 3, 4):
            publish(db, "fee", number, {"by": "hand"})

        assert new_policy(db, "fee", {"by": "ann"}).policy_id == 5


def test_the_latest_policy_is_a_copy_of_each_new_version(db: Store) -> None:
    new_policy(db, "fee", {"adult": "10.00"})
    third = [publish(db, "fee", 1, {"adult": f"{price}.00"}) for price in (11, 12)][-1]

    latest = db.get(LatestPolicy.one("fee", 1))

    assert versions(db, 1) == [1, 2, 3]
    assert latest == LatestPolicy(**third.model_dump())
    assert db.run(LatestPolicy.of_type("fee")) == [latest]


def test_versions_that_are_published_concurrently_get_successive_numbers(db: Store) -> None:
    def one(number: int) -> int:
        return publish(db, "fee", 1, {"by": str(number)}).version

    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(one, range(24)))

    assert sorted(made) == versions(db, 1) == list(range(1, 25))
    latest = db.get(LatestPolicy.one("fee", 1))
    assert latest is not None
    assert (latest.version, latest.rules) == (24, {"by": str(made.index(24))})


@pytest.mark.parametrize("version", [1, 3])
def test_a_version_that_does_not_follow_the_latest_is_rejected(db: Store, version: int) -> None:
    first = new_policy(db, "fee", {"adult": "10.00"})

    with pytest.raises(TransactionFailed):
        db.run(publish_version(first.model_copy(update={"version": version})))

    assert versions(db, 1) == [1]


def test_the_second_publisher_publishes_the_next_version(db: Store) -> None:
    new_policy(db, "fee", {"adult": "10.00"})

    with connect(db.client, hooks=[Meanwhile(lambda: publish(db, "fee", 1, {"by": "ann"}))]) as other:
        assert publish(other, "fee", 1, {"by": "bob"}).version == 3

    assert versions(db, 1) == [1, 2, 3]
