"""Cases that were wrong once: each is small, and none comes up by chance."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import pytest

from pksk import (
    InvalidValue,
    KeyPair,
    PkskError,
    ScalarKey,
    Template,
    begins,
    between,
    compare,
    doc_id,
    gt,
    gte,
    lt,
    lte,
    parse_doc_id,
)
from pksk.keys import Operator, is_hashed_doc_id
from tests.keys.random_keys import Length

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


def test_number_and_binary_keys_stand_in_pairs() -> None:
    numbers = KeyPair(Template("{a}"), ScalarKey("n", int, role="sort"))
    binary = KeyPair(Template("{a}"), ScalarKey("b", bytes, role="sort"))

    assert numbers.match(*numbers.render({"a": "x", "n": 1})) == {"a": "x", "n": 1}
    assert numbers.match("x", Decimal("1")) == {"a": "x", "n": 1}
    assert compare(numbers, numbers).same.verdict == "possible"
    assert compare(numbers, binary).same.verdict == "never"
    assert compare(numbers, KeyPair(Template("{a}"), Template("{s}", role="sort"))).same.verdict == "never"
    assert compare(binary, binary).left_is_prefix.verdict == "possible"
    assert compare(numbers, numbers).left_is_prefix.verdict == "never"
    assert not ScalarKey("n", int).bounds({"n": 5}).may_contain_key_of(Template("{a}"))


def test_a_field_in_two_parts_that_give_it_whole_needs_no_filter() -> None:
    assert Template("{d:%Y}#{d:%m-%d}", d=date).bounds({"d": date(2025, 1, 2)}).exact
    assert Template("{cell[:-3]}#{cell[-3:]}").bounds({"cell": "gcpjf"}).exact


def test_every_part_says_whether_it_sorts() -> None:
    template = Template("{d:%Y}#{d}", d=date)

    assert (template.sorts(0), template.sorts(1)) == (False, True)


class Word(str):
    pass


def test_declared_lengths_hold_for_every_kind_of_text() -> None:
    for template in (
        Template("{x:*}", x=Annotated[str, Length(3)]),
        Template("{x}", x=Annotated[Word, Length(3)]),
    ):
        assert template(x="abc") == "abc"
        with pytest.raises(InvalidValue, match="key-length"):
            template(x="abcd")
        assert template.match("abcd") is None


def test_an_equality_given_as_an_operator_is_equality() -> None:
    assert str(Template("{a}").bounds({"a": Operator("eq", ("x",))})) == "= 'x'"
    assert str(ScalarKey("n", int).bounds({"n": Operator("eq", (5,))})) == "= 5"


IE = Enum("IE", {"A": 7}, type=int)
LONE = Enum("LONE", {"A": "\ud800"})

REFUSED: list[tuple[str, Any]] = [
    ("bounds-operator", lambda: Operator("like", ("x",))),
    ("template-slice", lambda: Template("{x[2:1]}")),
    ("template-slice", lambda: Template("{x[:0]}")),
    ("template-literal-escape", lambda: Template("A#{d:%Y$}", d=date)),
    ("template-choice", lambda: Template("{a}", a=LONE)),
    ("template-choice", lambda: Template("{a}", a=Literal[10**5000])),
    ("template-delimiter", lambda: Template("{a}#{b}", delimiter=5)),  # type: ignore[arg-type]
    ("template-type", lambda: Template("{a}", a=[str])),
    ("template-option", lambda: Template("{a}", {1: str})),  # type: ignore[dict-item]
    ("template-option", lambda: Template("{a}", ["a"])),  # type: ignore[arg-type]
    ("template-option", lambda: Template("{where}#{b}", where=str)),  # type: ignore[arg-type]
    ("template-option", lambda: ScalarKey("n", int, role="srot")),  # type: ignore[arg-type]
    ("template-option", lambda: ScalarKey("", int)),
    ("template-type", lambda: ScalarKey("x", float)),
    ("key-missing-part", lambda: ScalarKey("n", int).bounds({"n": None})),
    ("template-option", lambda: KeyPair("a", "b")),  # type: ignore[arg-type]
    ("key-wrong-type", lambda: Template("{a}").bounds(None)),  # type: ignore[arg-type]
    ("key-wrong-type", lambda: Template("{a}").prefix(["a"])),  # type: ignore[arg-type]
    ("key-wrong-type", lambda: ScalarKey("n", int).render(None)),  # type: ignore[arg-type]
    ("key-wrong-type", lambda: compare("a", Template("{a}"))),  # type: ignore[arg-type]
    ("key-surrogate", lambda: Template("{a}").bounds({"a": begins("\ud800")})),
    ("value-number-overflow", lambda: doc_id(10**5000)),
    ("value-number-overflow", lambda: ScalarKey("n", int).render({"n": 10**5000})),
    ("doc-id-invalid", lambda: parse_doc_id("%n1E999999")),
    (
        "bounds-backwards",
        lambda: Template("{b}", b=bytes).bounds({"b": between(memoryview(b"b"), memoryview(b"a"))}),
    ),
]


@pytest.mark.parametrize(("code", "attempt"), REFUSED)
def test_what_was_once_a_bare_error_or_accepted_is_refused_with_its_code(code: str, attempt: Any) -> None:
    with pytest.raises(PkskError) as caught:
        attempt()

    assert caught.value.code == code


def test_numbers_of_an_enum_are_numbers() -> None:
    assert doc_id(IE.A) == "%n7"  # type: ignore[arg-type]
    assert not is_hashed_doc_id(None)  # type: ignore[arg-type]


def test_large_choices_are_compared_in_little_work() -> None:
    make: Any = Enum
    many = make("Many", {f"V{number}": f"value-{number:06d}" for number in range(3000)})
    template = Template("X#{a}#{b}", a=many, b=str)
    states = len(template.language.arcs)

    assert compare(template, template).same.verdict == "possible"
    assert states < 20 * 3000
