"""Wrong templates, values and ranges: each raises as early as possible, with a code and a fix."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from ipaddress import IPv4Address, IPv4Interface, IPv6Address
from typing import Any, Literal
from uuid import UUID, uuid4

import pytest
from pydantic import Field, NaiveDatetime

from pksk import (
    KeyMismatch,
    KeyPair,
    PkskError,
    ScalarKey,
    Template,
    TemplateError,
    begins,
    between,
    compare,
    doc_id,
    gt,
    lt,
    parse_doc_id,
)
from pksk.keys import Operator, is_hashed_doc_id


class Weight(Enum):
    LIGHT = 0.5


class Twice(Enum):
    WORD = "1"
    NUMBER = 1


DECLARATIONS: list[tuple[str, Callable[[], Any]]] = [
    ("template-empty", lambda: Template("")),
    ("template-syntax", lambda: Template("ORDER#{id")),
    ("template-syntax", lambda: Template("ORDER#id}")),
    ("template-syntax", lambda: Template("ORDER#{}")),
    ("template-syntax", lambda: Template("ORDER#{0}")),
    ("template-syntax", lambda: Template("ORDER#{id!r}")),
    ("template-syntax", lambda: Template("ORDER#{address.city}")),
    ("template-syntax", lambda: Template("ORDER#{n:{width}d}")),
    ("template-syntax", lambda: Template("ORDER\ud800#{id}")),
    ("template-syntax", lambda: Template(5)),  # type: ignore[arg-type]
    ("template-slice", lambda: Template("{cell[3]}")),
    ("template-slice", lambda: Template("{cell[::2]}")),
    ("template-unknown-field", lambda: Template("ORDER#{costumer_id}", customer_id=str)),
    ("template-unknown-field", lambda: Template("ORDER#{id}", {})),
    ("template-adjacent", lambda: Template("{a}{b}")),
    ("template-delimiter", lambda: Template("{a}#{b}|{c}")),
    ("template-delimiter", lambda: Template("{a}x{b}")),
    ("template-f-string", lambda: Template(f"ORDER#{id}#{{line}}")),
    ("template-f-string", lambda: Template(f"ORDER#{date}")),
    ("template-f-string", lambda: Template(f"{Field(min_length=1)}#{{line}}")),
    ("template-delimiter", lambda: Template("{a}#{b}tail")),
    ("template-delimiter", lambda: Template("{a}#{b}", delimiter="x")),
    ("template-delimiter", lambda: Template("{a}#{b}", delimiter="")),
    ("template-delimiter", lambda: Template("{a}#{b}", delimiter="|")),
    ("template-delimiter-raw-only", lambda: Template("{a}/{b}")),
    ("template-delimiter-raw-only", lambda: Template("{a}@{b}")),
    ("template-delimiter-raw-only", lambda: Template("{a}~{b}")),
    ("template-literal-escape", lambda: Template("US$#{id}")),
    ("template-literal-escape", lambda: Template("a;b::{id}")),
    ("template-part-has-delimiter", lambda: Template("{day}-{id}", day=date, id=str)),
    ("template-part-has-delimiter", lambda: Template("{n}-{id}", n=int, id=str)),
    ("template-part-has-delimiter", lambda: Template("{n}.{id}", n=Decimal, id=str)),
    ("template-part-has-delimiter", lambda: Template("{at:%Y#%m}#{id}", at=date, id=str)),
    ("template-spec", lambda: Template("{n:6d}", n=int)),
    ("template-spec", lambda: Template("{n:x}", n=int)),
    ("template-spec", lambda: Template("{at}", at=NaiveDatetime)),
    ("template-spec", lambda: Template("{at:%Y-%m-%dT%HZ}", at=NaiveDatetime)),
    ("template-spec", lambda: Template("{n[:2]}", n=int)),
    ("template-spec", lambda: Template("{n:00d}", n=int)),
    ("template-spec", lambda: Template("{p:03.2f}", p=Decimal)),
    ("template-spec", lambda: Template("{p:06d}", p=Decimal)),
    ("template-spec", lambda: Template("{s:>10}", s=str)),
    ("template-spec", lambda: Template("{s:06d}", s=str)),
    ("template-spec", lambda: Template("{s:.0}", s=str)),
    ("template-spec", lambda: Template("{day:%Y-%B}", day=date)),
    ("template-spec", lambda: Template("{day:%Y-%Y}", day=date)),
    ("template-spec", lambda: Template("{day:year}", day=date)),
    ("template-spec", lambda: Template("{day:%H}", day=date)),
    ("template-spec", lambda: Template("{day[:4]}", day=date)),
    ("template-spec", lambda: Template("{id:x}", id=UUID)),
    ("template-spec", lambda: Template("{ip:x}", ip=IPv4Address)),
    ("template-spec", lambda: Template("{raw:x}", raw=bytes)),
    ("template-spec", lambda: Template("{kind:x}", kind=Literal["a"])),
    ("template-rest-not-last", lambda: Template("{rest:*}#{id}")),
    ("template-rest-not-last", lambda: Template("{rest:*}#END")),
    ("template-float", lambda: Template("{price}", price=float)),
    ("template-type", lambda: Template("{tags}", tags=list[str])),
    ("template-type", lambda: Template("{either}", either=int | str)),
    ("template-type", lambda: Template("{x}", x="nonsense")),
    ("template-bool", lambda: Template("{paid}", paid=bool)),
    ("template-bool", lambda: Template("{paid:yes}", paid=bool)),
    ("template-choice", lambda: Template("{weight}", weight=Weight)),
    ("template-choice", lambda: Template("{twice}", twice=Twice)),
    ("template-choice", lambda: Template("{kind}", kind=Literal[""])),
    ("template-choice", lambda: Template("{paid:same/same}", paid=bool)),
    ("template-choice", lambda: Template("{kind}#{id}", kind=Literal["a#b"], id=str, codec="raw")),
    ("template-too-long", lambda: Template("x" * 1025, role="sort")),
    ("template-too-long", lambda: Template("{n:02000d}#" + "x" * 100, n=int)),
    ("template-option", lambda: Template("{id}", id=str, codc="raw")),
    ("template-type", lambda: Template("{n}", n="integer")),
    ("template-spec", lambda: Template("{n:6d}")),
    ("template-spec", lambda: Template("{n:09999d}")),
    ("template-option", lambda: Template("{id}", codec="row")),  # type: ignore[arg-type]
    ("template-option", lambda: Template("{id}", role="range")),  # type: ignore[arg-type]
    ("template-type", lambda: ScalarKey("name", str)),
]  # fmt: skip


@pytest.mark.parametrize(("code", "declare"), DECLARATIONS)
def test_a_wrong_declaration_raises_with_its_code_and_a_fix(code: str, declare: Callable[[], Any]) -> None:
    with pytest.raises(TemplateError) as caught:
        declare()

    assert caught.value.code == code
    assert caught.value.fix
    assert f"(pksk explain {code})" in str(caught.value)


NOON = datetime(2025, 1, 1, 12, tzinfo=UTC)
WALL = datetime(2026, 1, 1)
FAR_EAST = timezone(timedelta(hours=14))
ORDER = Template("ORDER#{n:04d}#{name}", n=int, name=str, role="sort")
MONEY = Template("{price:08.2f}", price=Decimal)

REFUSALS: list[tuple[str, Callable[[], Any]]] = [
    ("key-missing-part", lambda: ORDER.render({"n": 1})),
    ("key-missing-part", lambda: ORDER.render({"n": 1, "name": None})),
    ("key-unknown-part", lambda: ORDER(n=1, name="x", nam="y")),
    ("key-wrong-type", lambda: ORDER.render({"n": "1", "name": "x"})),
    ("key-wrong-type", lambda: ORDER.render({"n": True, "name": "x"})),
    ("key-wrong-type", lambda: ORDER.render({"n": 1.0, "name": "x"})),
    ("key-wrong-type", lambda: ORDER.render({"n": 1, "name": b"x"})),
    ("key-wrong-type", lambda: ORDER.render([("n", 1)])),  # type: ignore[arg-type]
    ("key-wrong-type", lambda: ORDER.match(7)),  # type: ignore[arg-type]
    ("key-wrong-type", lambda: MONEY.render({"price": 1.5})),
    ("key-wrong-type", lambda: MONEY.render({"price": True})),
    ("key-wrong-type", lambda: Template("{day}", day=date).render({"day": NOON})),
    ("key-wrong-type", lambda: Template("{at}", at=datetime).render({"at": date(2025, 1, 1)})),
    ("key-wrong-type", lambda: Template("{id}", id=UUID).render({"id": str(uuid4())})),
    ("key-wrong-type", lambda: Template("{id}", id="ULID").render({"id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"})),
    ("key-wrong-type", lambda: Template("{ip}", ip=IPv4Address).render({"ip": "10.0.0.1"})),
    ("key-wrong-type", lambda: Template("{ip}", ip=IPv4Address).render({"ip": IPv4Interface("10.0.0.1/8")})),
    ("key-wrong-type", lambda: Template("{ip}", ip=IPv6Address).render({"ip": IPv6Address("fe80::1%eth0")})),
    ("key-wrong-type", lambda: Template("{raw}", raw=bytes).render({"raw": "x"})),
    ("key-wrong-type", lambda: Template("{k}", k=Literal[1, 2]).render({"k": True})),
    ("key-wrong-type", lambda: Template("{k}", k=Literal["a"]).render({"k": ["a"]})),
    ("key-not-a-choice", lambda: Template("{k}", k=Literal["a"]).render({"k": "b"})),
    ("key-number-too-wide", lambda: ORDER.render({"n": 10000, "name": "x"})),
    ("key-number-too-wide", lambda: ORDER.render({"n": -10000, "name": "x"})),
    ("key-number-too-wide", lambda: ORDER.render({"n": 10**100000, "name": "x"})),
    ("key-number-too-wide", lambda: Template("{n}", n=int).render({"n": 10**100000})),
    ("key-number-too-wide", lambda: Template("{p}", p=Decimal).render({"p": Decimal("1E+999999")})),
    ("key-number-too-wide", lambda: MONEY.render({"price": Decimal("100000.00")})),
    ("key-number-scale", lambda: MONEY.render({"price": Decimal("1.005")})),
    ("key-nan", lambda: MONEY.render({"price": Decimal("NaN")})),
    ("key-nan", lambda: Template("{p}", p=Decimal).render({"p": Decimal("-Infinity")})),
    ("key-empty-part", lambda: ORDER.render({"n": 1, "name": ""})),
    ("key-length", lambda: Template("{raw}", raw=bytes).render({"raw": b""})),
    ("key-empty", lambda: Template("{cell[:-3]}").render({"cell": "gcp"})),
    ("key-empty", lambda: Template("{name}", codec="raw").render({"name": ""})),
    ("key-too-long", lambda: Template("{name}", role="sort").render({"name": "é" * 513})),
    ("key-too-long", lambda: Template("{name}").render({"name": "x" * 2049})),
    ("key-too-long", lambda: Template("{a}#{b}").prefix({"a": "x" * 2048})),
    ("key-surrogate", lambda: ORDER.render({"n": 1, "name": "a\ud800"})),
    ("key-raw-delimiter", lambda: Template("{a}::{b}", codec="raw").render({"a": "x::y", "b": "z"})),
    ("key-raw-delimiter", lambda: Template("{a}::{b}", codec="raw").render({"a": "x:", "b": "z"})),
    ("key-naive-datetime", lambda: Template("{at}", at=datetime).render({"at": datetime(2025, 1, 1)})),
    ("key-aware-datetime", lambda: Template("{at:%Y%m%d%H%M%S%f}", at=datetime).render({"at": NOON})),
    ("key-time-range",
     lambda: Template("{at}", at=datetime).render({"at": datetime(1, 1, 1, tzinfo=FAR_EAST)})),
    ("key-mismatch", lambda: ORDER.parse("ORDER#1#x")),
    ("key-mismatch", lambda: ORDER.parse("ORDER#0001#$zz")),
    ("key-mismatch", lambda: ORDER.parse("")),
    ("bounds-gap", lambda: ORDER.bounds({"name": "x"})),
    ("bounds-gap", lambda: ORDER.bounds({"n": gt(1), "name": "x"})),
    ("bounds-gap", lambda: ORDER.bounds({"n": gt(1), "name": lt("x")})),
    ("bounds-unordered", lambda: Template("{n}", n=int).bounds({"n": gt(1)})),
    ("bounds-unordered", lambda: Template("{cell[-3:]}").bounds({"cell": gt("x")})),
    ("bounds-unordered", lambda: Template("{day:%d-%m-%Y}", day=date).bounds({"day": gt(date(2025, 1, 1))})),
    ("bounds-operator", lambda: ORDER.bounds({"n": begins("1")})),
    ("bounds-operator", lambda: ORDER.prefix({"n": gt(1)})),
    ("bounds-backwards", lambda: ORDER.bounds({"n": between(2, 1)})),
    ("bounds-mixed-zones", lambda: Template("{at:%Y}", at=datetime).bounds({"at": between(NOON, WALL)})),
    ("key-unknown-part", lambda: ORDER.bounds({"nnn": 1})),
    ("key-wrong-type", lambda: ORDER.bounds({"n": gt("1")})),
    ("key-wrong-type", lambda: ORDER.bounds({"n": 1, "name": begins(1)})),  # type: ignore[arg-type]
    ("doc-id-key", lambda: doc_id("")),
    ("doc-id-key", lambda: doc_id("x", 1.5)),  # type: ignore[arg-type]
    ("doc-id-key", lambda: doc_id(True)),
    ("key-surrogate", lambda: doc_id("\ud800")),
    ("doc-id-invalid", lambda: parse_doc_id("a#b#c")),
    ("doc-id-invalid", lambda: parse_doc_id("")),
    ("doc-id-invalid", lambda: parse_doc_id("a%2Fb#c")),
    ("doc-id-invalid", lambda: parse_doc_id("%n01#c")),
    ("doc-id-invalid", lambda: parse_doc_id("%b!!#c")),
    ("doc-id-invalid", lambda: parse_doc_id("x" * 513)),
    ("doc-id-hashed", lambda: parse_doc_id(doc_id("x" * 600))),
    ("key-missing-part", lambda: ScalarKey("n", int).render({})),
    ("key-wrong-type", lambda: ScalarKey("n", int).render({"n": "1"})),
    ("key-empty", lambda: ScalarKey("b", bytes).render({"b": b""})),
    ("key-too-long", lambda: ScalarKey("b", bytes, role="sort").render({"b": b"x" * 1025})),
    ("key-unknown-part", lambda: ScalarKey("n", int).bounds({"m": 1})),
    ("bounds-operator", lambda: ScalarKey("n", int).bounds({"n": begins("1")})),
    ("bounds-backwards", lambda: ScalarKey("n", int).bounds({"n": between(2, 1)})),
]  # fmt: skip


@pytest.mark.parametrize(("code", "attempt"), REFUSALS)
def test_a_wrong_value_or_condition_raises_with_its_code_and_a_fix(
    code: str, attempt: Callable[[], Any]
) -> None:
    with pytest.raises(PkskError) as caught:
        attempt()

    assert caught.value.code == code
    assert caught.value.fix


def test_a_message_has_the_place_the_problem_the_expectation_and_the_fix() -> None:
    with pytest.raises(TemplateError) as caught:
        Template("CUST#{customer}", {"customer_id": str, "total": int}, where="Order.primary")

    assert str(caught.value) == (
        "Order.primary: template 'CUST#{customer}' uses field 'customer', which Order does not declare.\n"
        "Fields are: customer_id, total.\n"
        "Fix: write {customer_id}.  (pksk explain template-unknown-field)"
    )


def test_the_error_about_a_missing_value_suggests_the_value_with_the_nearest_name() -> None:
    with pytest.raises(PkskError) as caught:
        Template("CUST#{customer}").render({"total": 5, "costumer": "7"})

    assert caught.value.fix == "give 'customer' a value; did you mean 'costumer'?"


MISMATCHES = [
    ("ORDER#{id}", "", "'' where 'ORDER#' is expected"),
    ("ORDER#{id}", "ORDER#", "'' is not str as {id} writes it"),
    ("ORDER#{id}", "ORDER#a#b", "'#b' follows where the key should end"),
    ("ORDER#{id}#END", "ORDER#a#X", "'#X' where '#END' is expected"),
    ("META", "META2", "'2' follows where the key should end"),
    ("{n:04d}#{id}", "12#x", "'12#x' is not int as {n:04d} writes it"),
    ("{day:%Y-%m-%d}", "2025-02-30", "no date is written by {day:%Y-%m-%d} as '2025-02-30'"),
    ("{day:%Y}#{day:%Y-%m-%d}", "2024#2025-01-01", "two of its parts contradict each other"),
    ("{id}", "x" * 3000, "it is longer than 2048 bytes"),
]


@pytest.mark.parametrize(("text", "key", "problem"), MISMATCHES)
def test_the_error_of_a_key_that_does_not_fit_shows_where_it_differs(
    text: str, key: str, problem: str
) -> None:
    with pytest.raises(KeyMismatch, match="key-mismatch") as caught:
        Template(text).parse(key)

    assert problem in caught.value.problem


def test_a_field_may_have_any_name() -> None:
    assert Template("{self}#{values}")(self="a", values="b") == "a#b"
    assert Template("{role}#{codec}", {"role": int, "codec": str}).render({"role": 1, "codec": "x"}) == "1#x"


IE = Enum("IE", {"A": 7}, type=int)


LONE = Enum("LONE", {"A": "\ud800"})


REJECTED: list[tuple[str, Any]] = [
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


@pytest.mark.parametrize(("code", "attempt"), REJECTED)
def test_an_unusual_wrong_value_raises_with_its_code(code: str, attempt: Any) -> None:
    with pytest.raises(PkskError) as caught:
        attempt()

    assert caught.value.code == code


def test_numbers_of_an_enum_are_numbers() -> None:
    assert doc_id(IE.A) == "%n7"  # type: ignore[arg-type]
    assert not is_hashed_doc_id(None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "value", "fix"),
    [
        (date, "2025-03-01", "date.fromisoformat('2025-03-01')"),
        (date, "1 March", "date(2025, 12, 31), for example"),
        (date, 5, "date(2025, 12, 31), for example"),
        (date, datetime(2025, 3, 1, tzinfo=UTC), "value.date()"),
        (datetime, "2025-03-01T08:00:00Z", "datetime.fromisoformat('2025-03-01T08:00:00Z')"),
        (datetime, "noon", "datetime(2025, 12, 31, 18, 30, tzinfo=UTC), for example"),
    ],
)
def test_a_wrong_value_for_a_date_or_time_gets_a_fix_that_gives_one(kind: type, value: Any, fix: str) -> None:
    with pytest.raises(PkskError) as caught:
        Template("DAY#{day}", {"day": kind}).render({"day": value})

    assert caught.value.code == "key-wrong-type"
    assert caught.value.fix == f"pass a {kind.__name__} for 'day': {fix}."


@pytest.mark.parametrize(
    ("value", "example"),
    [
        (1.5, "Decimal('1.5')."),
        ("-12.50", "Decimal('-12.50')."),
        ("x", "Decimal('12.50'), for example."),
        (True, "Decimal('12.50'), for example."),
        ("9" * 3000, "Decimal('12.50'), for example."),
    ],
)
def test_the_fix_for_a_wrong_decimal_is_one_that_can_be_made(value: object, example: str) -> None:
    with pytest.raises(PkskError) as raised:
        MONEY.render({"price": value})

    assert raised.value.fix == f"give 'price' a Decimal made from text: {example}"
