"""Random expressions come out as the reference says, on items with every type."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from hypothesis import event, given, settings

from pksk.engine.values import check_item, check_value
from pksk.errors import ExpressionError
from pksk.expressions import apply, evaluate, parse_condition, parse_update
from pksk.values import NumberRefused
from tests.engine import reference
from tests.engine.random_expressions import condition_cases, update_cases
from tests.engine.random_items import KINDS, items
from tests.engine.written_expressions import Case


def stored(case: Case) -> tuple[dict[str, Any], dict[str, Any]]:
    """Values and item as an operation gives them to expressions."""
    return {name: check_value(wire) for name, wire in case.values.items()}, check_item(case.item)[0]


def outcome(update: Any, item: Any) -> Any:
    """What an update makes of an item, or the words that refuse it."""
    try:
        return apply(update, item)
    except (ExpressionError, NumberRefused) as refused:
        return refused.service_message


@settings(max_examples=10)
@given(items())
def test_each_item_has_an_attribute_of_every_type(item: Any) -> None:
    assert {kind for wire in item.values() for kind in wire} == set(KINDS)


@given(condition_cases())
def test_a_condition_holds_where_the_reference_says_so(case: Case) -> None:
    values, item = stored(case)
    expected = reference.holds(case.tree, case.item)
    event(f"{case.tree[0]}: {expected}")

    assert evaluate(parse_condition(case.text, case.names, values), item) is expected


@given(update_cases())
def test_an_update_makes_what_the_reference_makes_or_is_refused_in_its_words(case: Case) -> None:
    values, item = stored(case)
    before = deepcopy(item)
    made = outcome(parse_update(case.text, case.names, values), item)

    assert item == before
    try:
        expected = reference.updated(case.tree, case.item)
    except reference.Refused as refused:
        event(f"refused: {sorted(refused.texts)[0]}")
        if made not in refused.texts:
            raise
        return
    event("updated")
    assert reference.plain({"M": made}) == reference.plain({"M": expected})
