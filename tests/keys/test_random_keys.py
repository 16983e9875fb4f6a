"""Random templates, values and ranges, each compared with brute force."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

from pksk import BoundsError, InvalidValue, Template, begins, between, compare, gt, gte, lt, lte
from pksk.keys import Operator
from pksk.keys.compiled import render_parts
from tests.keys.random_keys import Sample, sample, text

LONG = bool(os.environ.get("PKSK_LONG"))

# Each block is a test of its own, so that the blocks run side by side.
BLOCKS = range(80 if LONG else 8)
TEMPLATES = 160 if LONG else 12
ROWS = 24


@pytest.fixture(params=BLOCKS, ids=lambda block: f"block{block}")
def rng(request: pytest.FixtureRequest) -> Random:
    start = int(os.environ.get("PKSK_RANDOM", "20261116"))
    return Random(start * 1000 + request.param)


def rows_of(rng: Random, one: Sample) -> list[dict[str, Any]]:
    rows = [one.values(rng) for _ in range(ROWS // 2)]
    # Rows that share leading values, since most queries fix those.
    for _ in range(ROWS - len(rows)):
        base, other = rng.choice(rows), one.values(rng)
        kept = rng.randint(0, len(one.makers))
        mixed = {**other, **{field: base[field] for field in list(one.makers)[:kept]}}
        rows.append(mixed if renders(one, mixed) else other)
    return rows


def kept(one: Sample, values: dict[str, Any]) -> dict[str, Any]:
    """The values that a key gives back; instants in UTC, since Python compares no others in a repeated hour."""
    return {field: in_utc(values[field]) for field in values if field not in one.template.lossy_fields}


def in_utc(value: Any) -> Any:
    return value.astimezone(UTC) if isinstance(value, datetime) and value.tzinfo else value


def renders(one: Sample, values: dict[str, Any]) -> bool:
    try:
        one.template.render(values)
    except InvalidValue:
        return False
    return True


def test_a_key_gives_its_values_back_and_compiled_rendering_equals_rendering_by_parts(rng: Random) -> None:
    for _ in range(TEMPLATES):
        one = sample(rng)
        for values in rows_of(rng, one):
            key = one.template.render(values)
            found = one.template.match(key)

            assert key == render_parts(one.template, values)
            assert found == kept(one, values)


def test_different_values_never_render_the_same_key(rng: Random) -> None:
    for _ in range(TEMPLATES):
        one = sample(rng)
        seen: dict[str, dict[str, Any]] = {}
        for values in rows_of(rng, one):
            exact = kept(one, values)
            assert seen.setdefault(one.template.render(values), exact) == exact


def test_a_text_that_matches_is_exactly_what_its_values_render(rng: Random) -> None:
    for _ in range(TEMPLATES):
        one = sample(rng)
        for values in rows_of(rng, one):
            key = mutated(rng, one.template.render(values))
            found = one.template.match(key)
            if found is not None and not one.template.lossy_fields:
                assert one.template.render(found) == key


def mutated(rng: Random, key: str) -> str:
    at = rng.randrange(len(key) + 1)
    cut = rng.choice([0, 0, 1, 2])
    return key[:at] + rng.choice(["", text(rng, 2), key[at : at + 1] * 2]) + key[at + cut :]


def test_two_templates_that_never_collide_render_no_common_key(rng: Random) -> None:
    for _ in range(TEMPLATES):
        left, right = sample(rng), sample(rng)
        comparison = compare(left.template, right.template)
        left_keys = {left.template.render(values) for values in rows_of(rng, left)}
        right_keys = {right.template.render(values) for values in rows_of(rng, right)}

        if comparison.same.verdict == "never":
            assert not left_keys & right_keys
            assert not any(right.template.match(key) is not None for key in left_keys)
        if comparison.left_is_prefix.verdict == "never":
            assert not any(b != a and b.startswith(a) for a in left_keys for b in right_keys)
        if comparison.right_is_prefix.verdict == "never":
            assert not any(b != a and a.startswith(b) for a in left_keys for b in right_keys)


def test_a_template_meets_every_key_of_its_own(rng: Random) -> None:
    for _ in range(TEMPLATES):
        one = sample(rng)
        key = one.template.render(one.values(rng))
        literal = Template(key.replace("{", "{{").replace("}", "}}"), role="sort")

        assert compare(one.template, literal).same.verdict != "never"
        longer = Template((key + "x").replace("{", "{{").replace("}", "}}"))
        assert compare(one.template, longer).left_is_prefix.verdict != "never"


def test_an_example_of_two_templates_that_meet_is_true(rng: Random) -> None:
    for _ in range(TEMPLATES):
        left, right = sample(rng).template, sample(rng).template
        for meeting in (compare(left, right).same, compare(left, left).same):
            if meeting.verdict == "possible":
                assert left.render(meeting.left_values or {}) == meeting.left_keys[0]
                assert meeting.left_keys == meeting.right_keys


def test_bounds_hold_exactly_the_matching_rows(rng: Random) -> None:
    for _ in range(TEMPLATES):
        one, others = sample(rng), [sample(rng), sample(rng)]
        rows = rows_of(rng, one)
        foreign = [
            (other.template, [other.template.render(row) for row in rows_of(rng, other)]) for other in others
        ]
        for values, expected in queries(rng, one, rows):
            try:
                found = one.template.bounds(values)
            except (BoundsError, InvalidValue):
                continue
            within = [row for row in rows if found.contains(one.template.render(row))]

            assert [row for row in within if all(each.accepts(row) for each in found.filters)] == expected
            assert not found.exact or within == expected
            for other, keys in foreign:
                assert not any(map(found.contains, keys)) or found.may_contain_key_of(other)


def queries(
    rng: Random, one: Sample, rows: list[dict[str, Any]]
) -> Iterator[tuple[dict[str, Any], list[Any]]]:
    """Every operator on every part, behind leading values of some row, with the rows that it selects."""
    for index, field in enumerate(one.makers):
        base = rng.choice(rows)
        leading = {name: base[name] for name in list(one.makers)[:index]}
        yield leading, [row for row in rows if agrees(row, leading)]
        for operator in operators(rng, [row[field] for row in rows]):
            try:
                expected = [row for row in rows if agrees(row, leading) and operator.accepts(row[field])]
            except TypeError:
                continue
            yield {**leading, field: operator}, expected
    base = rng.choice(rows)
    yield base, [row for row in rows if agrees(row, base)]


def agrees(row: dict[str, Any], leading: dict[str, Any]) -> bool:
    return all(in_utc(row[name]) == in_utc(value) for name, value in leading.items())


def operators(rng: Random, values: list[Any]) -> Iterator[Operator]:
    for make in (lt, lte, gt, gte):
        yield make(rng.choice(values))
    yield between(rng.choice(values), rng.choice(values))
    yield from (make(moved(rng, rng.choice(values))) for make in (lt, lte, gt, gte))
    yield between(moved(rng, rng.choice(values)), moved(rng, rng.choice(values)))
    value = rng.choice(values)
    if isinstance(value, str):
        yield begins(value[: rng.randint(0, len(value))])
        yield begins(text(rng, 2))


def moved(rng: Random, value: Any) -> Any:
    """A time near a value, finer than the precision of the field; any other value as it is."""
    try:
        return value + timedelta(days=rng.choice([-9, 0, 1, 20]), microseconds=rng.choice([0, 1, 10**9]))
    except (OverflowError, TypeError):
        return value


def test_a_range_is_exact_wherever_it_is_promised_to_be(rng: Random) -> None:
    for _ in range(TEMPLATES):
        one = sample(rng)
        rows = rows_of(rng, one)
        for values, _ in queries(rng, one, rows):
            try:
                found = one.template.bounds(values)
            except (BoundsError, InvalidValue):
                continue
            if promised_exact(one, values):
                assert found.exact, (one.template, values, str(found))


def promised_exact(one: Sample, values: dict[str, Any]) -> bool:
    # The first part of a field is the one that an operator acts on.
    parts = {part.field: part for part in reversed(one.template.parts)}
    if any(part.lossy for part in one.template.parts if part.field in values):
        return False
    operator = next((value for value in values.values() if isinstance(value, Operator)), None)
    part = parts[list(values)[-1]] if values else None
    if operator is None or part is None:
        return True
    if operator.name == "begins":
        return one.template.codec == "escaped" or part.last
    if part.last:
        return operator.name != "lt" or (part.prefix_free and part.discrete)
    return part.prefix_free or (one.template.codec == "escaped" and one.template.delimiter.text == "#")


def test_keys_sort_as_their_values_if_the_template_sorts(rng: Random) -> None:
    for _ in range(TEMPLATES):
        one = sample(rng)
        rows = rows_of(rng, one)
        for index, field in enumerate(one.makers):
            if not one.template.sorts(field):
                continue
            base = {name: rows[0][name] for name in list(one.makers)[:index]}
            same = [row for row in ({**row, **base} for row in rows) if renders(one, row)]
            ranked = sorted(same, key=one.template.render)
            values = [in_utc(getattr(row[field], "value", row[field])) for row in ranked]
            assert values == sorted(values)
