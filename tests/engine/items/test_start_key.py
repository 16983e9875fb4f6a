"""ExclusiveStartKey: which start keys are valid."""

from __future__ import annotations

import pytest

from .shelf import PK, Item, Shelf, error_of, shelf_of, sorts, text


@pytest.mark.parametrize(
    "start",
    [
        {},
        text(pk="p"),
        text(sk="s"),
        text(pk="p", sk="s", extra="o"),
        {"pk": {"S": "p"}, "sk": {"N": "1"}},
        {"pk": {"S": "p"}, "sk": {"L": []}},
    ],
)
def test_a_start_key_that_does_not_match_the_key_is_rejected(start: Item) -> None:
    assert error_of(Shelf(), "pk = :p", PK, ExclusiveStartKey=start) == "The provided starting key is invalid"


def test_the_start_key_of_an_index_has_the_keys_of_index_and_table() -> None:
    shelf = Shelf()
    shelf.index("some", "g:S")
    start = text(pk="p", sk="s", g="p")

    assert shelf.query("g = :p", PK, IndexName="some", ExclusiveStartKey=start)["Count"] == 0
    for name in start:
        lacking = {other: value for other, value in start.items() if other != name}
        assert error_of(shelf, "g = :p", PK, IndexName="some", ExclusiveStartKey=lacking) == (
            "The provided starting key is invalid"
        )


def test_a_start_key_of_another_partition_is_rejected() -> None:
    assert error_of(Shelf(), "pk = :p", PK, ExclusiveStartKey=text(pk="q", sk="s")) == (
        "The provided starting key is outside query boundaries based on provided conditions"
    )


@pytest.mark.parametrize(
    ("condition", "sort", "forward"),
    [
        ("sk > :s", "m", True),
        ("sk > :s", "a", False),
        ("sk >= :s", "a", True),
        ("sk < :s", "m", True),
        ("sk <= :s", "z", True),
        ("sk = :s", "z", False),
        ("begins_with(sk, :s)", "z", True),
        ("sk BETWEEN :s AND :s", "z", True),
    ],
)
def test_a_start_key_outside_of_the_sort_condition_is_rejected(
    condition: str, sort: str, forward: bool
) -> None:
    values = {**PK, ":s": {"S": "m"}}
    start = text(pk="p", sk=sort)

    assert error_of(
        Shelf(), f"pk = :p AND {condition}", values, ExclusiveStartKey=start, ScanIndexForward=forward
    ) == ("The provided starting key does not match the range key predicate")


def test_a_start_key_need_not_be_the_key_of_an_item() -> None:
    shelf = shelf_of("a", "c", "e")

    assert sorts(shelf.query("pk = :p", PK, ExclusiveStartKey=text(pk="p", sk="b"))) == ["c", "e"]
    assert sorts(
        shelf.query("pk = :p", PK, ExclusiveStartKey=text(pk="p", sk="d"), ScanIndexForward=False)
    ) == ["c", "a"]
