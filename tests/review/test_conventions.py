"""Conventions: a table names the rules that it follows, and only existing ones."""

from __future__ import annotations

import copy
from typing import Any, get_args

import pytest

from pksk import PkskError, Table
from pksk.review import RULES
from pksk.schema.settings import Convention


def test_every_convention_is_a_rule() -> None:
    assert set(get_args(Convention)) <= {each.code for each in RULES}


def test_a_table_shows_its_conventions_and_keeps_them_in_copies() -> None:
    parks = Table("parks", conventions=["schema-name-first", "schema-name-first"])

    assert parks.conventions == ("schema-name-first",)
    assert repr(parks) == "Table('parks', conventions=['schema-name-first'])"
    assert copy.deepcopy(parks).conventions == parks.conventions


def test_conventions_do_not_make_tables_differ() -> None:
    parks = Table("parks", conventions=["schema-name-first"])

    assert parks == Table("parks")
    assert "schema-name-first" not in str(parks.create_request())


@pytest.mark.parametrize(
    ("conventions", "message"),
    [
        (
            ["schema-name"],
            "conventions='schema-name' is not valid.*\\n.*\\n.*did you mean 'schema-name-first'",
        ),
        ("schema-name-first", "conventions='schema-name-first' is not a list of conventions"),
        (5, "conventions=5 is not a list of conventions"),
        ([5], "conventions=5 is not valid"),
    ],
)
def test_an_unknown_convention_is_rejected(conventions: Any, message: str) -> None:
    with pytest.raises(PkskError, match=message) as caught:
        Table("parks", conventions=conventions)

    assert caught.value.code == "schema-option"
