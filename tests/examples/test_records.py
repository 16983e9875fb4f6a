"""The design of the records system: queries that it cannot serve, and mistakes that it rules out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from examples.records.catalogue import Category, Collection, Post, add_collection, collection_with_links
from examples.records.people import User
from examples.records.places import NameVariants, Place, PlaceWord
from examples.records.registers import Record, RecordHousehold, add_household, change_record
from examples.records.tables import ids, records
from pksk import begins, gt
from tests.examples.example_requests import error_code

REJECTED: dict[str, tuple[str, Callable[[], object]]] = {
    "all records, whatever their post": ("plan-missing-part", Record.by_post),
    "places by one letter, where a partition takes two": (
        "plan-short-start",
        lambda: Place.by_name(folded=begins("v")),
    ),
    "all places, of every two letters": ("plan-missing-part", Place.by_name),
    "places by one plain letter": (
        "plan-short-start",
        lambda: Place.by_plain_name(plain_name=begins("v")),
    ),
    "a place by its id alone, as one item": ("key-missing-part", lambda: Place.primary.get(id=1500)),
    "a record by its id alone, as one item": ("key-missing-part", lambda: Record.primary.get(id=1001)),
    "posts from a collection on, since 10 sorts before 9": (
        "bounds-unordered",
        lambda: Post.by_kind(collection_id=gt(9)).plan,
    ),
    "all words, which are not in the index": ("where-no-index", lambda: PlaceWord.where(ids={1})),
    "all variants of names, which are not in the index": (
        "where-no-index",
        lambda: NameVariants.where(kind="surnameVariants"),
    ),
    "a user by login as one item, since an index has no GetItem": (
        "plan-get-index",
        lambda: User.by_login.get(login="iss=a&sub=b"),
    ),
    "another post for a record, which is part of its key": (
        "write-key-field",
        lambda: Record.primary.update(id=1001, post_id=31).set(post_id=32),
    ),
    "a collection in a hundred categories, which is more than a transaction takes": (
        "write-transaction-size",
        lambda: add_collection(Collection(id=1, name="all", categories=list(range(100)))),
    ),
}


@pytest.mark.parametrize("what", REJECTED)
def test_a_query_that_no_key_can_serve_is_rejected(what: str) -> None:
    code, call = REJECTED[what]

    assert error_code(call) == code


def test_a_collection_and_its_links_are_one_request_without_a_filter() -> None:
    plan = collection_with_links(7).plan

    assert len(plan.requests) == 1
    assert "FilterExpression" not in plan.requests[0]


def test_a_list_of_collections_contains_no_links() -> None:
    plan = Collection.every().plan

    assert plan.requests[0]["ExpressionAttributeValues"] == {":v0": {"S": "collection"}}
    assert plan.filters_after_reading == ()


def test_a_search_for_places_reads_the_partition_of_two_letters_in_each_index() -> None:
    plans = [query.plan for query in Place.beginning("Vancouver")]

    assert all(plan.exact for plan in plans)
    for plan in plans:
        assert plan.requests[0]["ExpressionAttributeValues"] == {
            ":v0": {"S": "place#va"},
            ":v1": {"S": "vancouver"},
        }


def test_a_changed_name_changes_the_key_in_the_index() -> None:
    request = Category.primary.update(id=3).set(name="Deaths").request

    assert request["UpdateExpression"] == "SET #n0 = :v0, altSort = :v0"


def test_a_block_of_numbers_is_one_addition() -> None:
    request = ids.take(500).request

    assert request["UpdateExpression"] == "ADD sequenceValue :v0"
    assert request["ExpressionAttributeValues"] == {":v0": {"N": "500"}}


def test_a_record_without_an_update_time_is_changed_only_if_it_still_has_none() -> None:
    put = change_record(Record(id=1, post_id=2)).request["TransactItems"][1]["Put"]

    assert "attribute_not_exists(last_update_time)" in put["ConditionExpression"]


def test_a_household_checks_its_post() -> None:
    made = add_household(RecordHousehold(post_id=31, household="12-4"))

    assert [list(each) for each in made.request["TransactItems"]] == [["ConditionCheck"], ["Put"]]


def test_the_table_has_the_capacity_of_a_small_site() -> None:
    assert records.create_request()["ProvisionedThroughput"] == {
        "ReadCapacityUnits": 5,
        "WriteCapacityUnits": 5,
    }
