"""What a template promises, by property and by example."""

from __future__ import annotations

import copy
import pickle
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import Annotated, Any, Literal, NewType
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ulid import ULID

from pksk import InvalidValue, KeyPair, ScalarKey, Template, begins, compare, gte, lt, lte
from tests.keys.random_keys import Length

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
DELIMITERS = st.sampled_from(["#", "::", "|", "_", "-", "##", "!", "[", "^"])


@given(DELIMITERS, TEXT, TEXT, TEXT)
@example("#", "a#b", "c", "d e")
@example("::", ":", ";", "::")
def test_text_of_any_kind_comes_back(delimiter: str, a: str, b: str, c: str) -> None:
    template = Template(f"{{a}}{delimiter}{{b}}{delimiter}{{c}}", delimiter=delimiter)

    assert template.match(template(a=a, b=b, c=c)) == {"a": a, "b": b, "c": c}


@given(TEXT, TEXT, TEXT, TEXT)
@example("a#b", "c", "a", "b#c")
def test_no_two_pairs_of_texts_share_a_key(a: str, b: str, c: str, d: str) -> None:
    template = Template("{left}#{right}")

    assert (template(left=a, right=b) == template(left=c, right=d)) == ((a, b) == (c, d))


@given(st.lists(st.tuples(TEXT, TEXT), min_size=2, max_size=8))
def test_with_a_hash_keys_sort_as_tuples_of_values_do(rows: list[tuple[str, str]]) -> None:
    template = Template("{a}#{b}")

    assert sorted(rows) == sorted(rows, key=lambda row: template(a=row[0], b=row[1]).encode())


@given(st.integers(-999_999, 999_999), st.integers(-999_999, 999_999))
@example(-5, -9)
@example(9, 10)
def test_padded_numbers_sort_as_numbers(a: int, b: int) -> None:
    template = Template("{n:06d}")

    assert (template(n=a) < template(n=b)) == (a < b)
    assert template.match(template(n=a)) == {"n": a}


@given(st.integers(-(10**40) + 1, 10**40 - 1), st.integers(-(10**40) + 1, 10**40 - 1))
def test_decimals_of_more_digits_than_the_context_keep_every_one(a: int, b: int) -> None:
    template = Template("{p:041.12f}", p=Decimal)
    left, right = (Decimal((n < 0, tuple(map(int, str(abs(n)))), -12)) for n in (a, b))

    assert (template(p=left) < template(p=right)) == (a < b)
    assert template.match(template(p=left)) == {"p": left}


INSTANTS = st.datetimes(
    datetime(1, 1, 3),
    datetime(9999, 12, 29),
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=-11))]),
)


@given(INSTANTS, INSTANTS)
def test_instants_sort_in_time_and_come_back_in_utc(a: datetime, b: datetime) -> None:
    template = Template("{at}", at=datetime)

    assert (template(at=a) < template(at=b)) == (a < b)
    assert template.match(template(at=a)) == {"at": a}
    assert len(template(at=a)) == 27


@given(st.dates(), st.sampled_from(["%Y", "%Y-%m", "%G-W%V", "%Y-%m-%d", "%Y-%j"]))
def test_a_coarser_grain_spans_the_days_that_share_its_text(day: date, spec: str) -> None:
    (part,) = Template(f"{{day:{spec}}}", day=date).parts
    first, last = part.span(day)

    assert first <= day <= last
    assert part.encode(first) == part.encode(day) == part.encode(last)
    for outside in (part.neighbour(first, -1), part.neighbour(last, 1)):
        assert outside is None or part.encode(outside) != part.encode(day)


class Mixed(str, Enum):  # noqa: UP042 - str() of its members is not their text
    A = "a#1"


class Modern(StrEnum):
    A = "a#1"


class Rank(IntEnum):
    FIRST = 1


Id = NewType("Id", str)


EQUAL: list[tuple[str, Any, Any, Any]] = [
    ("{v}", Decimal, Decimal("1.0"), Decimal("1.00")),
    ("{v}", Decimal, Decimal("1E+3"), Decimal("1000.0")),
    ("{v}", Decimal, Decimal("-0"), Decimal("0")),
    ("{v}", Decimal, Decimal("5"), 5),
    ("{v:08.2f}", Decimal, Decimal("1.5"), Decimal("1.50")),
    ("{v:08.2f}", Decimal, Decimal("-0.00"), Decimal("0")),
    ("{v}", UUID, UUID("ABCDEF00-0000-4000-8000-000000000000"), UUID("abcdef00-0000-4000-8000-000000000000")),
    ("{v}", datetime, datetime(2025, 1, 1, 12, tzinfo=UTC),
     datetime(2025, 1, 1, 17, 30, tzinfo=timezone(timedelta(hours=5, minutes=30)))),
    ("{v}", ULID, ULID.from_str("01ARZ3NDEKTSV4RRFFQ69G5FAV"), ULID.from_str("01arz3ndektsv4rrffq69g5fav")),
    ("{v}", str, "a#1", Mixed.A),
    ("{v}", str, "a#1", Modern.A),
    ("{v}", Mixed, "a#1", Mixed.A),
    ("{v}", int, 1, Rank.FIRST),
    ("{v}", bytes, b"ab", bytearray(b"ab")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "one", "other"), EQUAL)
def test_equal_values_give_equal_keys(text: str, kind: Any, one: Any, other: Any) -> None:
    template = Template(text, v=kind)

    assert template(v=one) == template(v=other)


WRITTEN: list[tuple[str, Any, Any, str]] = [
    ("{v:06d}", int, 42, "000042"),
    ("{v:06d}", int, -1, "-999998"),
    ("{v:06d}", int, -999999, "-000000"),
    ("{v}", int, -7, "-7"),
    ("{v:08.2f}", Decimal, Decimal("12.5"), "00012.50"),
    ("{v:08.2f}", Decimal, Decimal("-12.5"), "-99987.49"),
    ("{v:03.0f}", Decimal, Decimal("7"), "007"),
    ("{v}", Decimal, Decimal("0.00001"), "0.00001"),
    ("{v}", date, date(999, 1, 2), "0999-01-02"),
    ("{v:%Y}", date, date(999, 1, 2), "0999"),
    ("{v:%Y-%j}", date, date(2024, 12, 31), "2024-366"),
    ("{v:%G-W%V}", date, date(2024, 12, 30), "2025-W01"),
    ("{v:100%%-%Y}", date, date(2024, 1, 1), "100%-2024"),
    ("{v}", datetime, datetime(2025, 1, 15, 10, 30, tzinfo=UTC), "2025-01-15T10:30:00.000000Z"),
    ("{v:%Y-%m-%dT%H:%M:%SZ}", datetime, datetime(2025, 1, 15, 10, 30, tzinfo=UTC), "2025-01-15T10:30:00Z"),
    ("{v:%Y-%m}", datetime, datetime(2025, 1, 1, tzinfo=timezone(timedelta(hours=2))), "2024-12"),
    ("{v:yes/no}", bool, False, "no"),
    ("{v}", bytes, b"\x00\xff", "00ff"),
    ("{v}", Rank, Rank.FIRST, "1"),
    ("{v}", Literal["x", "y"], "y", "y"),
    ("{v}", Annotated[Id | None, "metadata"], "x", "x"),
    ("{v}", str, "José Núñez, 2nd floor", "José Núñez, 2nd floor"),
    ("{v}", str, "someone@example.org", "someone@example.org"),
    ("{v:.2}", str, "é", "é"),
    ("a}}b{{c#{v}", str, "y", "a}b{c#y"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "value", "expected"), WRITTEN)
def test_a_value_is_written_as_people_write_it(text: str, kind: Any, value: Any, expected: str) -> None:
    delimiter = "#" if text.startswith("{") else None
    assert Template(text, v=kind, delimiter=delimiter)(v=value) == expected


NOT_RENDERED: list[tuple[str, Any, str]] = [
    ("{v}", int, "01"), ("{v}", int, "-0"), ("{v}", int, "+1"), ("{v}", int, "\uff11"),
    ("{v:03d}", int, "1"), ("{v:03d}", int, "-999"), ("{v:03d}", int, "0001"),
    ("{v}", Decimal, "1.0"), ("{v}", Decimal, "-0"), ("{v}", Decimal, ".5"), ("{v}", Decimal, "1E3"),
    ("{v}", date, "2025-02-30"), ("{v}", date, "20250101"), ("{v}", date, "0000-01-01"),
    ("{v}", datetime, "2025-01-01T24:00:00.000000Z"), ("{v}", datetime, "2025-01-01T00:00:00Z"),
    ("{v:%Y-%j}", date, "2025-366"), ("{v:%Y-%j}", date, "9999-366"), ("{v:%G-W%V}", date, "2025-W53"),
    ("{v}", UUID, "ABCDEF00-0000-4000-8000-000000000000"), ("{v}", UUID, "abcdef0000004000800000000000000"),
    ("{v}", "ULID", "01arz3ndektsv4rrffq69g5fav"), ("{v}", "ULID", "81ARZ3NDEKTSV4RRFFQ69G5FAV"),
    ("{v}", "IPv4Address", "10.0.0.1"), ("{v}", "IPv4Address", "256.000.000.001"), ("{v}", "IPv6Address", "::1"),
    ("{v}", bytes, "0"), ("{v}", bytes, "FF"), ("{v}", bytes, ""),
    ("{v}", str, "a#b"), ("{v}", str, "a$2"), ("{v}", str, "a$41"), ("{v}", str, "a$2A"), ("{v}", str, "\ud800"),
    ("{v}", Literal["a"], "A"), ("{v}", str, "x" * 2049), ("{v:.2}", str, "abc"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "key"), NOT_RENDERED)
def test_a_text_that_is_never_rendered_never_matches(text: str, kind: Any, key: str) -> None:
    assert Template(text, v=kind).match(key) is None


def test_literals_of_any_kind_survive_being_compiled() -> None:
    template = Template("a\"b'c\\d{{e}}\n%s#{at}#{kind}", at=datetime, kind=Literal["x"])
    values = {"at": datetime(2025, 1, 1, tzinfo=UTC), "kind": "x"}

    assert template.render(values) == "a\"b'c\\d{e}\n%s#2025-01-01T00:00:00.000000Z#x"
    assert template.match(template.render(values)) == values


def test_a_field_may_be_in_a_key_twice_and_must_have_one_value() -> None:
    template = Template("{day:%Y}#{day}#{kind}#{kind}", day=date, kind=Literal["a b"])
    key = template(day=date(2025, 6, 1), kind="a b")

    assert key == "2025#2025-06-01#a$20b#a b"
    assert template.match(key) == {"day": date(2025, 6, 1), "kind": "a b"}
    assert template.match("2024#2025-06-01#a$20b#a b") is None


def test_two_halves_of_a_field_give_it_back_within_one_key() -> None:
    template = Template("{cell[:-3]}#{cell[-3:]}")

    assert template.lossy_fields == ()
    assert template.match("gcpjf#y6d") == {"cell": "gcpjfy6d"}
    assert template.match("gcpjf#y6") is None
    assert Template("{day:%Y}#{day:%m-%d}", day=date).match("2025#02-28") == {"day": date(2025, 2, 28)}


def test_the_delimiter_is_the_punctuation_that_begins_every_text_between_parts() -> None:
    delimiters = {
        text: Template(text).delimiter.text
        for text in (
            "ORDER#{id}#LINE#{n}",
            "{a}::{b}",
            "geozone::{id}",
            "user_{id}",
            "{id}-x",
            "{id}",
            "a {id}",
            "x",
        )
    }

    assert list(delimiters.values()) == ["#", "::", "::", "_", "-", "#", "#", "#"]


def test_a_template_survives_copying_and_pickling() -> None:
    template = Template("ORDER#{n:04d}#{name}", n=int, name=str, role="sort")

    for twin in (pickle.loads(pickle.dumps(template)), copy.deepcopy(template)):
        assert twin == template
        assert hash(twin) == hash(template)
        assert twin(n=1, name="x") == "ORDER#0001#x"
    assert template != Template("ORDER#{n:04d}#{name}", n=int, name=str)


def test_a_bound_longer_than_a_key_is_cut_and_the_rest_left_to_a_filter() -> None:
    template = Template("N#{name}", role="sort")
    longest = "x" * 1022
    for operator in (gte("x" * 3000), lt("x" * 3000), lt("é" * 3000)):
        found = template.bounds({"name": operator})
        for bound in (found.lower, found.upper):
            assert bound is None or len(bound.encode()) <= 1024
        assert not found.exact
        assert found.contains(template(name=longest)) or not operator.accepts(longest)


def test_a_bound_cut_inside_a_character_still_holds_every_row() -> None:
    template = Template("NN#{name}", role="sort")
    for row in ("é" * 510 + "a", "é" * 510):
        assert template.bounds({"name": lt("é" * 3000)}).contains(template(name=row))
        assert template.bounds({"name": lte("é" * 3000)}).contains(template(name=row))


@pytest.mark.parametrize("text", ["{a}#{b}", "{a}::{b}", "O#{a}#{b}"])
def test_before_the_smallest_value_there_is_nothing(text: str) -> None:
    template = Template("P#{n:02d}", role="sort")

    assert str(template.bounds({"n": lt(-99)})) == "no key"
    assert str(Template(text).bounds({})) in {"every key", "begins_with 'O#'"}


def test_a_beginning_that_runs_into_a_raw_delimiter_is_left_to_a_filter() -> None:
    template = Template("{a}::{b}", codec="raw")
    found = template.bounds({"a": begins("x:")})

    assert found.contains(template(a="x", b="y"))
    assert [str(each) for each in found.filters] == ["a begins('x:')"]
    assert template.bounds({"a": begins("x")}).exact
    assert str(template.bounds({"a": begins("x::y")})) == "no key"


def test_nothing_renders_the_empty_key_so_nothing_matches_it() -> None:
    for template in (
        Template("{name}", codec="raw"),
        Template("{name:.2}"),
        Template("{name:*}", codec="raw"),
    ):
        assert template.match("") is None


def test_values_may_hold_more_than_the_template_needs() -> None:
    assert Template("ORDER#{id}").render({"id": "1", "total": 5}) == "ORDER#1"


def test_the_longest_key_is_known_where_something_limits_it() -> None:
    assert Template("A#{n:06d}#{day}", n=int, day=date).max_bytes == 20
    assert Template("A#{name}").max_bytes is None


def test_number_and_binary_keys_have_pairs_of_parts() -> None:
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


def test_every_part_knows_whether_it_sorts() -> None:
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
