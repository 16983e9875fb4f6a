"""Keys with when=: conditions on stored fields leave items out of the index; others are rejected."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from pydantic import computed_field

from pksk import GSI, DesignError, Entity, F, Key, Table


def sparse(when: Any) -> type[Entity]:
    class Made(Entity, table=Table("made", indexes=[GSI("by-status", pk="g1", sk="g2")])):
        id: str
        status: str = "new"
        open: bool = False
        day: date = date(2025, 1, 1)
        note: str | None = None

        @computed_field
        def band(self) -> str:
            return "x"

        primary = Key("B#{id}", "META")
        by_status = Key("{status}", "{id}", index="by-status", when=when)

    return Made


@pytest.mark.parametrize(
    ("when", "problem", "fix"),
    [
        (F.opn == True, "names field 'opn', which Made does not declare", "did you mean 'open'?"),  # noqa: E712
        (F.band == "x", "names 'band', which is computed", "the fields that it is computed from"),
        ("open", "when='open' is not a condition", "F.open == True"),
        (F.open, "when=F.open is not a condition", "F.open == True, or F.open.exists()"),
        (True, "when=True is not a condition", "F.open == True"),
        (F.open == "yes", "when= cannot be evaluated", "value"),
    ],
)
def test_an_invalid_sparse_condition_raises_with_the_class(when: Any, problem: str, fix: str) -> None:
    with pytest.raises(DesignError) as caught:
        sparse(when)

    assert caught.value.code == "key-when"
    assert caught.value.problem.startswith("Made.by_status: ")
    assert problem in caught.value.problem
    assert fix in caught.value.fix


def test_the_key_of_the_table_has_no_condition() -> None:
    with pytest.raises(DesignError, match=r"^Made\.primary: when= is on the key of the table") as caught:

        class Made(Entity, table=Table("made")):
            id: str
            open: bool = True
            primary = Key("B#{id}", "META", when=F.open == True)  # noqa: E712

    assert caught.value.code == "key-when"


def test_a_condition_is_on_values_as_they_are_stored() -> None:
    made = sparse((F.day >= date(2025, 6, 1)) & (F.note == None))  # noqa: E711
    late, early, noted = (
        made.__pksk__.to_item(made(id="1", day=day, note=note))
        for day, note in ((date(2025, 7, 1), None), (date(2025, 5, 1), None), (date(2025, 7, 1), "x"))
    )

    assert "g1" in late
    assert "g1" not in early
    assert "g1" not in noted


@pytest.mark.parametrize("index", [{"pk": "status"}, {"pk": "status", "sk": "sk"}])
def test_a_sparse_condition_that_excludes_nothing_raises(index: dict[str, str]) -> None:
    with pytest.raises(
        DesignError, match=r"^Made\.by_status: when= has no effect on index 'by-status'"
    ) as caught:

        class Made(Entity, table=Table("made", indexes=[GSI("by-status", **index)])):
            id: str
            status: str
            open: bool = True
            primary = Key("B#{id}", "META")
            by_status = Key("{status}", index="by-status", when=F.open == True)  # noqa: E712

    assert caught.value.code == "key-when"
    assert "'status' is field 'status' itself" in caught.value.problem
    assert "Attribute(" in caught.value.fix


def test_one_attribute_of_its_own_is_enough_for_a_sparse_key() -> None:
    class Made(Entity, table=Table("made", indexes=[GSI("by-status", pk="status", sk="g2")])):
        id: str
        status: str
        open: bool = True
        primary = Key("B#{id}", "META")
        by_status = Key("{status}", "{id}", index="by-status", when=F.open == True)  # noqa: E712

    assert "g2" in Made.__pksk__.to_item(Made(id="1", status="a"))
    assert "g2" not in Made.__pksk__.to_item(Made(id="1", status="a", open=False))


@pytest.mark.parametrize("other", [None, F.open == False])  # noqa: E712
def test_two_keys_on_one_index_with_different_conditions_raise(other: Any) -> None:
    with pytest.raises(DesignError, match="is written by key") as caught:

        class Made(Entity, table=Table("made", indexes=[GSI("by-status", pk="g1", sk="g2")])):
            id: str
            status: str
            open: bool = True
            primary = Key("B#{id}", "META")
            opened = Key("{status}", "{id}", index="by-status", when=F.open == True)  # noqa: E712
            closed = Key("{status}", "{id}", index="by-status", when=other)

    assert caught.value.code == "entity-key-conflict"


def test_indexes_that_share_one_attribute_may_have_different_conditions() -> None:
    indexes = [GSI("opened", pk="g1", sk="g2"), GSI("noted", pk="g1", sk="g3")]

    class Made(Entity, table=Table("made", indexes=indexes)):
        id: str
        open: bool = True
        noted: bool = False
        primary = Key("B#{id}", "META")
        by_open = Key("X", "{id}", index="opened", when=F.open == True)  # noqa: E712
        by_note = Key("X", "{id}", index="noted", when=F.noted == True)  # noqa: E712

    item = Made.__pksk__.to_item(Made(id="1"))

    assert ("g1" in item, "g2" in item, "g3" in item) == (True, True, False)
