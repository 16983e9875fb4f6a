"""Key conditions on indexes with keys of several attributes."""

from __future__ import annotations

from typing import Any, Final

import pytest

from .shelf import Shelf, sorts, text


def tournament() -> Shelf:
    shelf = Shelf("id:S", "")
    shelf.index("matches", "cup:S region:S", "round:N court:S", keeps=[])
    shelf.put(
        *(
            {**text(id=f"{number}{court}", cup="c", region="r", court=court), "round": {"N": str(number)}}
            for number in (1, 2, 10)
            for court in "ab"
        )
    )
    return shelf


VALUES: Final = {":c": {"S": "c"}, ":r": {"S": "r"}, ":n": {"N": "2"}, ":k": {"S": "b"}}


def matches(condition: str) -> dict[str, Any]:
    used = {name: value for name, value in VALUES.items() if name in condition}
    names = {name: name[1:] for name in ("#region", "#round") if name in condition}
    rest = {"ExpressionAttributeNames": names} if names else {}
    return tournament().query(condition, used, IndexName="matches", **rest)


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("", ["1a", "1b", "2a", "2b", "10a", "10b"]),
        (" AND #round = :n", ["2a", "2b"]),
        (" AND #round > :n", ["10a", "10b"]),
        (" AND #round <= :n", ["1a", "1b", "2a", "2b"]),
        (" AND #round = :n AND court >= :k", ["2b"]),
        (" AND #round = :n AND begins_with(court, :k)", ["2b"]),
        (" AND #round = :n AND court < :k", ["2a"]),
    ],
)
def test_keys_of_several_attributes_are_queried_from_the_left(condition: str, found: list[str]) -> None:
    answer = matches(f"cup = :c AND #region = :r{condition}")

    assert sorts(answer, "id") == found


def test_the_last_evaluated_key_of_an_index_names_every_attribute_of_both_keys() -> None:
    answer = tournament().query(
        "cup = :c AND #region = :r",
        {":c": {"S": "c"}, ":r": {"S": "r"}},
        IndexName="matches",
        Limit=1,
        ExpressionAttributeNames={"#region": "region"},
    )

    assert answer["LastEvaluatedKey"].keys() == {"cup", "region", "round", "court", "id"}
