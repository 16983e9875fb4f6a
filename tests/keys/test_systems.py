"""The keys of five real systems, rendered from their templates and read back."""

from __future__ import annotations

import tomllib
from datetime import date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from pksk import KeyPair, Template, begins, between, gte

CASES = tomllib.loads(Path(__file__).with_name("systems.toml").read_text())["key"]

READ: dict[str, Any] = {"UUID": UUID, "bytes": bytes.fromhex}


def pair(case: dict[str, Any]) -> KeyPair:
    codec = case.get("codec", "escaped")
    partition, *sort = case["templates"]
    return KeyPair(
        Template(partition, case["types"], codec=codec),
        Template(sort[0], case["types"], codec=codec, role="sort") if sort else None,
    )


def values_of(case: dict[str, Any]) -> dict[str, Any]:
    return {name: READ.get(case["types"][name], lambda v: v)(value) for name, value in case["values"].items()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['system']} {' '.join(case['keys'])}")
def test_a_key_of_a_real_system_is_rendered_and_read_back(case: dict[str, Any]) -> None:
    keys, values = pair(case), values_of(case)
    exact = {name: value for name, value in values.items() if name not in case.get("lossy", [])}

    assert [key for key in keys.render(values) if key is not None] == case["keys"]
    assert keys.match(*case["keys"]) == exact


def test_every_system_is_there() -> None:
    assert {case["system"] for case in CASES} == {"parks", "pantry", "heatmap", "records", "lessons"}


PREFIXES: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("{type}::{category}::{item}", {}, {"type": "inventory"}, "inventory::"),
    ("{type}::{category}::{item}", {}, {"type": "inventory", "category": "armor"}, "inventory::armor::"),
    ("ADDRESS#{label}", {}, {}, "ADDRESS#"),
    ("refund::{day}::{id}", {"day": date, "id": str}, {}, "refund::"),
    ("{kind}::{n}", {"kind": str, "n": int}, {"kind": "campground"}, "campground::"),
    ("{day}::{booking}", {"day": date, "booking": str}, {"day": date(2026, 7, 1)}, "2026-07-01::"),
    ("{category}|{at:%Y-%m-%dT%H:%M}|{id}", {"category": str, "at": datetime, "id": str},
     {"category": "Food_Pantry"}, "Food_Pantry|"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "types", "values", "expected"), PREFIXES)
def test_a_prefix_of_a_real_system_ends_at_its_delimiter(
    text: str, types: dict[str, Any], values: dict[str, Any], expected: str
) -> None:
    template = Template(text, types or None, role="sort")

    assert template.prefix(values) == expected
    assert template.bounds(values).condition == "begins_with"


def test_the_dates_of_one_product_are_one_exact_range() -> None:
    template = Template("{product_id}::{day}", product_id=int, day=date, role="sort")
    found = template.bounds({"product_id": 1, "day": between(date(2025, 12, 1), date(2025, 12, 31))})

    assert str(found) == "BETWEEN '1::2025-12-01' AND '1::2025-12-31'"
    assert found.exact
    assert not found.contains(template(product_id=10, day=date(2025, 12, 5)))


def test_the_services_of_a_day_are_one_exact_range() -> None:
    template = Template("{category}|{at:%Y-%m-%dT%H:%M}|{id}", category=str, at=datetime, id=str, role="sort")
    whole_day = between(datetime(2022, 9, 7), datetime(2022, 9, 7, 23, 59, 59, 999999))
    found = template.bounds({"category": "Food_Pantry", "at": whole_day})

    assert str(found) == "BETWEEN 'Food_Pantry|2022-09-07T00:00|' AND 'Food_Pantry|2022-09-07T23:59}'"
    assert found.exact


def test_places_are_found_by_their_first_letters() -> None:
    bucket = Template("place#{full_name:.2}")
    names = Template("{full_name}", role="sort")

    assert bucket.render({"full_name": "alabama"}) == "place#al"
    assert bucket.render({"full_name": "x"}) == "place#x"
    assert str(names.bounds({"full_name": begins("alab")})) == "begins_with 'alab'"


def test_bookings_from_a_day_on_are_one_exact_range() -> None:
    template = Template("{start}::{booking_id}", start=date, booking_id=UUID, role="sort")

    assert str(template.bounds({"start": gte(date(2026, 7, 1))})) == ">= '2026-07-01::'"
