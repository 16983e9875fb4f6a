"""Ranges of keys: what a condition on the key returns, and what it leaves to a filter."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from pksk import (
    ScalarKey,
    Template,
    between,
    compare,
    gt,
    gte,
    lt,
    lte,
)
from pksk.keys import Operator

NEW_YORK = ZoneInfo("America/New_York")


TWICE = [
    datetime(2025, 11, 2, hour, minute, tzinfo=NEW_YORK, fold=fold)
    for hour, minute, fold in ((0, 59, 0), (1, 30, 0), (1, 59, 0), (1, 30, 1), (1, 59, 1), (2, 0, 0))
]


@pytest.mark.parametrize(
    "text", ["E#{t}", "E#{t:%Y-%m-%dT%H:%M:%S.%fZ}", "E#{t:%Y-%m-%dT%H}", "E#{t:%Y-%m-%d}"]
)
@pytest.mark.parametrize("operator", [lt, lte, gt, gte])
def test_a_range_is_right_in_the_hour_that_a_zone_has_twice(text: str, operator: Any) -> None:
    template = Template(text, t=datetime, role="sort")
    for value in TWICE:
        found = template.bounds({"t": operator(value)})
        for row in TWICE:
            inside = found.contains(template(t=row)) and all(
                each.accepts({"t": row}) for each in found.filters
            )
            asked = operator(value.astimezone(UTC)).accepts(row.astimezone(UTC))

            assert inside == asked, (value, row)


def test_one_instant_in_two_zones_passes_a_filter_for_it() -> None:
    template = Template("E#{t:%Y-%m-%d}", t=datetime)
    found = template.bounds({"t": TWICE[3]})

    assert found.filters[0].accepts({"t": TWICE[3].astimezone(UTC)})
    assert not found.filters[0].accepts({"t": datetime(2025, 11, 2, 1, 30)})


def test_a_bound_that_no_key_can_reach_holds_no_row_of_another_parent() -> None:
    template = Template("{a}#{b}", role="sort")
    found = template.bounds({"a": "k" * 100, "b": between("z" * 950, "z" * 950)})

    assert not found.contains(template(a="m", b="z" * 950))


SPECS = [
    "%Y-%m-%d-W%V", "%Y-%j-%V", "%Y-W%V", "%G", "%G-%Y", "%Y-%G", "%m-%j", "%V", "%G-%m-%d", "%G-W%V", "%j", "%d", "%m",
]  # fmt: skip


@pytest.mark.parametrize("spec", SPECS)
def test_every_format_of_a_day_matches_what_it_wrote(spec: str) -> None:
    template = Template(f"{{d:{spec}}}", d=date)
    for days in range(0, 1500, 7):
        day = date(2019, 12, 20) + timedelta(days=days)
        found = template.match(template(d=day))

        assert found == ({} if template.lossy_fields else {"d": day})
        assert compare(template, Template(template(d=day).replace("{", "{{"))).same.verdict == "possible"


@pytest.mark.parametrize("spec", ["%G", "%G-W%V", "%Y", "%Y-%m"])
def test_a_range_over_a_grain_holds_exactly_the_days_asked_for(spec: str) -> None:
    template = Template(f"{{d:{spec}}}", d=date, role="sort")
    days = [date(2019, 12, 20) + timedelta(days=days) for days in range(0, 800, 5)]
    for value in days[::7]:
        for operator in (lt, lte, gt, gte):
            found = template.bounds({"d": operator(value)})
            inside = [day for day in days if found.contains(template(d=day))]

            assert [d for d in inside if all(f.accepts({"d": d}) for f in found.filters)] == [
                d for d in days if operator(value).accepts(d)
            ]


def test_no_bound_is_empty() -> None:
    for operator in (gt(""), gte(""), lt("b"), lte("b"), between("", "b")):
        found = Template("{x[0:2]}#{y}").bounds({"x": operator})

        assert found.lower != ""
        assert found.upper != ""


def test_an_equality_given_as_an_operator_is_equality() -> None:
    assert str(Template("{a}").bounds({"a": Operator("eq", ("x",))})) == "= 'x'"
    assert str(ScalarKey("n", int).bounds({"n": Operator("eq", (5,))})) == "= 5"
