"""Whether templates can meet: proved, with examples that are true."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest

from pksk import KeyPair, Template, compare
from tests.keys.random_keys import Length

SAME: list[tuple[Template, Template, str]] = [
    (Template("ORDER#{id}"), Template("ORDER#{id}#{line}"), "never"),
    (Template("ORDER#{id}"), Template("ORDERLINE#{id}"), "never"),
    (Template("collection"), Template("collection_{kind}"), "never"),
    (Template("{id}"), Template("ORDER#{id}"), "never"),
    (Template("{id}", codec="raw"), Template("ORDER#{id}"), "possible"),
    (Template("ORDER#{rest:*}"), Template("ORDER#{id}#{line}"), "possible"),
    (Template("A#{id}"), Template("B#{id}"), "never"),
    (Template("A#{n:06d}", n=int), Template("A#{n:04d}", n=int), "never"),
    (Template("A#{n:06d}", n=int), Template("A#{n}", n=int), "possible"),
    (Template("{day}", day=date), Template("{at:%Y-%m}", at=date), "never"),
    (Template("{day}", day=date), Template("{name}"), "possible"),
    (Template("{day}", day=date), Template("{k}", k=Literal["2025-02-30"]), "never"),
    (Template("{day}", day=date), Template("{k}", k=Literal["2025-02-28"]), "possible"),
    (Template("{id}", id=UUID), Template("{id}", id="ULID"), "never"),
    (Template("{id}", id=UUID), Template("{name}"), "possible"),
    (Template("{p}", p=Decimal), Template("{n}", n=int), "possible"),
    (Template("{a}::{b}"), Template("{a}#{b}"), "possible"),
    (Template("x::{a}"), Template("x::{a}::{b}"), "never"),
    (Template("x::{a}", codec="raw"), Template("x::{a}::{b}", codec="raw"), "possible"),
    (Template("{a}#{a}"), Template("x#y"), "never"),
    (Template("{a}#{a}"), Template("x#x"), "possible"),
    (Template("settings"), Template("settings"), "possible"),
    (Template("settings"), Template("setting"), "never"),
    (Template("{kind}", kind=Literal["a", "b"]), Template("{kind}", kind=Literal["b", "c"]), "possible"),
    (Template("{on:true/false}"), Template("{n}", n=int), "never"),
    (Template("{raw}", raw=bytes), Template("{n:03d}", n=int), "never"),
    (Template("{raw}", raw=bytes), Template("{n:04d}", n=int), "possible"),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right", "verdict"), SAME)
def test_whether_two_templates_can_render_the_same_key_is_known(
    left: Template, right: Template, verdict: str
) -> None:
    for first, second in ((left, right), (right, left)):
        found = compare(first, second).same

        assert found.verdict == verdict
        if found.verdict == "possible":
            assert first.render(found.left_values or {}) == second.render(found.right_values or {})


def test_a_prefix_of_another_template_is_shown_by_an_example() -> None:
    comparison = compare(Template("collection#{id}"), Template("collection#{id}#{category}"))

    assert comparison.disjoint
    assert comparison.right_is_prefix.verdict == "never"
    assert str(comparison.left_is_prefix) == (
        "possible: id='a' gives 'collection#a', id='a', category='a' gives 'collection#a#a'"
    )


def pair(partition: str, sort: str, **types: Any) -> KeyPair:
    given = types or None
    return KeyPair(Template(partition, given), Template(sort, given, role="sort"))


PAIRS: list[tuple[KeyPair, KeyPair, str]] = [
    (pair("{id}", "category"), pair("{id}", "collection"), "never"),
    (pair("{id}", "category"), pair("{id}", "{kind}"), "possible"),
    (pair("USER#{id}", "{at}"), pair("ORG#{id}", "{at}"), "never"),
    (pair("USER#{id}", "ORDER#{id}"), pair("USER#{id}", "ORDER#{n}"), "possible"),
    (pair("A#{id}", "{id}"), pair("A#x", "y"), "never"),
    (pair("A#{id}", "{id}"), pair("A#x", "x"), "possible"),
    (pair("{cell[:-3]}", "{cell[-3:]}"), pair("{a}", "{b}"), "possible"),
    (KeyPair(Template("{id}")), pair("{id}", "x"), "never"),
    (KeyPair(Template("{id}")), KeyPair(Template("USER")), "possible"),
]


@pytest.mark.parametrize(("left", "right", "verdict"), PAIRS)
def test_whether_two_pairs_can_render_the_same_keys_is_known(
    left: KeyPair, right: KeyPair, verdict: str
) -> None:
    for first, second in ((left, right), (right, left)):
        found = compare(first, second).same

        assert found.verdict == verdict
        if found.verdict == "possible":
            assert first.render(found.left_values or {}) == second.render(found.right_values or {})


def test_an_undecided_comparison_is_reported_as_undecided() -> None:
    left = Template("{a}#{a}#{b}", codec="raw")
    right = Template("{x:03d}#{y:04d}#{z}", x=int, y=int, z=str)

    assert compare(left, right).same.verdict == "may"


MEETINGS: list[tuple[Any, Any, dict[str, Any]]] = [
    (Template("X#{d:%m}#{d:%d}", d=date), Template("X#02#29"), {"d": date(2024, 2, 29)}),
    (Template("{a[:2]}#{a[2:4]}"), Template("xy#zw"), {"a": "xyzw"}),
    (Template("{a[:2]}#{a[-2:]}"), Template("xy#yz"), {"a": "xyz"}),
    (Template("{t:%Y-%m-%d}#{t:%H}", t=datetime), Template("2025-01-01#13"), {"t": datetime(2025, 1, 1, 13)}),
    (Template("{a[:2]}", a=Annotated[str, Length(5)]), Template("xy"), {"a": "xyzzz"}),
    (Template("{d:%Y-W%V}", d=date), Template("2021-W09"), {"d": date(2021, 3, 3)}),
    (Template("{d:%G}#{d:%m}", d=date), Template("2021#01"), {"d": date(2021, 1, 9)}),
]


@pytest.mark.parametrize(("left", "right", "values"), MEETINGS)
def test_a_collision_of_pieces_of_a_field_is_found(
    left: Template, right: Template, values: dict[str, Any]
) -> None:
    assert left.render(values) == right.render({})
    assert compare(left, right).same.verdict == "possible"


def test_a_collision_of_pieces_in_two_keys_is_found() -> None:
    times = KeyPair(Template("{t:%Y-%m-%d}", t=datetime), Template("{t:%H}", t=datetime, role="sort"))

    assert (
        compare(times, KeyPair(Template("2025-01-01"), Template("13", role="sort"))).same.verdict
        == "possible"
    )


def test_large_choices_are_compared_in_little_work() -> None:
    make: Any = Enum
    many = make("Many", {f"V{number}": f"value-{number:06d}" for number in range(3000)})
    template = Template("X#{a}#{b}", a=many, b=str)
    states = len(template.language.arcs)

    assert compare(template, template).same.verdict == "possible"
    assert states < 20 * 3000
