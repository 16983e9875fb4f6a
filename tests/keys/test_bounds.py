"""Ranges of keys: what a condition on the key returns, and what it leaves to a filter."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import pytest
from annotated_types import Len
from hypothesis import given
from hypothesis import strategies as st

from pksk import ScalarKey, Template, between, compare, gt, gte, lt, lte
from pksk.errors import InvalidValue, PkskError
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
            accepted = operator(value.astimezone(UTC)).accepts(row.astimezone(UTC))

            assert inside == accepted, (value, row)


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
        if days % 9 == 0:
            literal = Template(template(d=day).replace("{", "{{"))
            assert compare(template, literal).same.verdict == "possible"


@pytest.mark.parametrize("spec", ["%G", "%G-W%V", "%Y", "%Y-%m"])
def test_a_range_of_a_date_bucket_holds_exactly_its_days(spec: str) -> None:
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


@pytest.mark.parametrize(
    ("text", "operator"),
    [("{x[0:2]}", gte("")), ("{x}", lte("\U0010ffff" * 600))],
    ids=["from the empty text", "to the last character"],
)
def test_a_range_without_ends_has_no_key_condition(text: str, operator: Operator) -> None:
    found = Template(text, role="sort").bounds({"x": operator})

    assert (found.condition, found.lower, found.upper) == ("all", None, None)
    assert [each.operator for each in found.filters] == [operator]


_LONG = st.text("ab#$: ", min_size=3, max_size=5)


@pytest.mark.parametrize("text", ["A#{name}", "{name}#{n}", "{name}::{n}", "N#{name:.2}", "N#{name:.4}#{n}"])
@given(
    names=st.lists(_LONG, max_size=8), bounds=st.lists(st.text("ab#: ", max_size=4), min_size=2, max_size=2)
)
@pytest.mark.parametrize("operator", [lt, lte, gt, gte, between])
def test_a_bound_may_be_shorter_than_every_value(
    text: str, operator: Any, names: list[str], bounds: list[str]
) -> None:
    kinds: dict[str, Any] = {"name": Annotated[str, Len(3, 5)], "n": int}
    template = Template(
        text, {name: kind for name, kind in kinds.items() if f"{{{name}" in text}, role="sort"
    )
    wanted = operator(*sorted(bounds)) if operator is between else operator(bounds[0])
    found = template.bounds({"name": wanted})

    for name in names:
        values = {"name": name, "n": 1}
        inside = found.contains(template.render({field: values[field] for field in template.fields}))
        left = all(each.accepts(values) for each in found.filters)

        assert (inside and left) == wanted.accepts(name), (found, name)


NUMBERS: dict[str, tuple[Any, Any]] = {
    "{n:02d}": (int, st.integers(-130, 130)),
    "N#{n:02d}#{x}": (int, st.integers(-130, 130) | st.integers(-(10**500), 10**500)),
    "{n:03.1f}": (
        Decimal,
        st.decimals(-20, 20, places=2) | st.decimals(allow_nan=False, allow_infinity=False),
    ),
    "N#{n:04.2f}": (Decimal, st.integers(-20, 20) | st.decimals(-11, 11, places=4)),
}


@pytest.mark.parametrize("text", NUMBERS)
@pytest.mark.parametrize("operator", [lt, lte, gt, gte, between])
@given(data=st.data())
def test_an_end_of_numbers_may_be_wider_or_finer_than_the_key(
    text: str, operator: Any, data: st.DataObject
) -> None:
    kind, numbers = NUMBERS[text]
    template = Template(text, {"n": kind} | ({"x": int} if "{x}" in text else {}), role="sort")
    ends = sorted(data.draw(st.lists(numbers, min_size=2, max_size=2)))
    wanted = operator(*ends) if operator is between else operator(ends[0])
    scale = {int: 1, Decimal: 10 if ".1" in text else 100}[kind]
    rows = [kind(n) / scale if scale > 1 else n for n in range(-99, 100)]
    accepted = [row for row in rows if wanted.accepts(row)]
    try:
        found = template.bounds({"n": wanted})
    except PkskError:
        assert not accepted
        return

    assert found.exact
    assert [
        row
        for row in rows
        if found.contains(template.render({"n": row, "x": 1} if "{x}" in text else {"n": row}))
    ] == accepted


def test_a_range_without_any_number_of_the_key_raises() -> None:
    for text, kind, operator, code in (
        ("{n:04d}", int, gt(10_000), "key-number-too-wide"),
        ("{n:04d}", int, lte(-10_000), "key-number-too-wide"),
        ("{n:06.2f}", Decimal, between(Decimal("1.231"), Decimal("1.239")), "key-number-scale"),
    ):
        with pytest.raises(InvalidValue) as caught:
            Template(text, n=kind, role="sort").bounds({"n": operator})

        assert caught.value.code == code


CODE = Annotated[str, Len(2, 2)]
AROUND_SURROGATES = ["a\ud7ff", "a\ue000", "a\U0010ffff", "b\x00", "\x00\x00", "\U0010ffff\U0010ffff"]


@pytest.mark.parametrize("operator", [lt, lte, gt, gte])
@pytest.mark.parametrize("value", AROUND_SURROGATES)
def test_a_range_of_codes_is_right_beside_the_surrogates_and_at_both_ends(value: str, operator: Any) -> None:
    template = Template("E#{code}", code=CODE, role="sort")
    found = template.bounds({"code": operator(value)})

    for row in AROUND_SURROGATES:
        assert found.contains(template(code=row)) == operator(value).accepts(row), row
    assert not found.filters
