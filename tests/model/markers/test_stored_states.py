"""Which states of the stored item a write rejects, cell by cell, without a store."""

from __future__ import annotations

from typing import Any

import pytest

from pksk import F
from pksk.model.write_rules.prepared_write import first_failed
from pksk.model.write_rules.rules import ItemChange, marker_rules
from pksk.model.write_rules.stored_states import (
    REJECTED_STATES,
    ItemConditions,
    StoredState,
    WriteKind,
    state_expectations,
    user_expectations,
)
from pksk.model.writes.write_conditions import user_condition
from pksk.values import WireItem
from tests.model.markers.stored_states import DESIGNS, OUTCOMES, VERSION_OUTCOMES, Design, stored_item

NOW = 1_700_000_000.5
CELLS = [
    pytest.param(design, kind, state, id=f"{design}-{kind}-{state.value}")
    for design in DESIGNS
    for kind in OUTCOMES
    for state in design.states
]


def conditions_of(design: Design) -> ItemConditions:
    return ItemConditions(marker_rules(design.declaration), NOW)


def reason_of(failed: Any) -> str | None:
    return None if failed is None else failed.reason


@pytest.mark.parametrize(("design", "kind", "state"), CELLS)
def test_a_write_rejects_the_states_that_the_table_names(
    design: Design, kind: WriteKind, state: StoredState
) -> None:
    expectations = tuple(state_expectations(kind, conditions_of(design)))

    failed = first_failed(expectations, stored_item(design, state, NOW))

    assert reason_of(failed) == OUTCOMES[kind][state]


def test_every_kind_of_write_is_in_the_table() -> None:
    assert OUTCOMES.keys() == REJECTED_STATES.keys()


@pytest.mark.parametrize("value", [{"NULL": True}, {"S": "1"}, {"S": ""}], ids=str)
@pytest.mark.parametrize("kind", ["create", "update", "delete existing"])
def test_a_time_of_expiry_that_is_not_a_number_never_passes(kind: WriteKind, value: Any) -> None:
    (design,) = (each for each in DESIGNS if repr(each) == "Expiring")
    item = {**(stored_item(design, StoredState.OWN, NOW) or {}), "expires": value}

    failed = first_failed(tuple(state_expectations(kind, conditions_of(design))), item)

    assert reason_of(failed) == OUTCOMES[kind][StoredState.OWN]


@pytest.mark.parametrize(("seconds", "reason"), [(int(NOW), None), (int(NOW) + 1, "present")])
def test_an_item_expires_with_the_second_itself(seconds: int, reason: str | None) -> None:
    (design,) = (each for each in DESIGNS if repr(each) == "Expiring")
    item = {**(stored_item(design, StoredState.OWN, NOW) or {}), "expires": {"N": str(seconds)}}

    failed = first_failed(tuple(state_expectations("create", conditions_of(design))), item)

    assert reason_of(failed) == reason


def test_an_item_of_an_entity_without_a_ttl_never_expires() -> None:
    (design,) = (each for each in DESIGNS if repr(each) == "OtherSibling")
    item = {**(stored_item(design, StoredState.OWN, NOW) or {}), "expires": {"N": "5"}}

    failed = first_failed(tuple(state_expectations("create", conditions_of(design))), item)

    assert reason_of(failed) == "present"


@pytest.mark.parametrize("design", [each for each in DESIGNS if each.expiring], ids=repr)
@pytest.mark.parametrize("kind", ["put", "delete"])
def test_an_expired_item_meets_the_user_conditions_that_no_item_meets(
    kind: WriteKind, design: Design
) -> None:
    expired = stored_item(design, StoredState.EXPIRED, NOW, count=1)

    def failed(condition: Any) -> str | None:
        attributes = user_condition(design.declaration, condition)
        expectations = tuple(user_expectations(kind, attributes, conditions_of(design)))
        return reason_of(first_failed(expectations, expired))

    assert failed(F.count == 1) == "expired_for_condition"
    assert failed(F.count.missing()) is None
    assert failed(F.count != 1) is None


def version_items(design: Design) -> tuple[WireItem | None, ...]:
    own = stored_item(design, StoredState.OWN, NOW) or {}
    without = {name: wire for name, wire in own.items() if name != "version"}
    expired = {**own, "version": {"N": "3"}, "expires": {"N": str(int(NOW))}}
    return None, expired, without


@pytest.mark.parametrize(("kind", "version"), VERSION_OUTCOMES)
def test_a_write_expects_the_version_that_was_read(kind: WriteKind, version: int) -> None:
    (design,) = (each for each in DESIGNS if repr(each) == "AloneExpiring")
    nothing, expired, without = version_items(design)
    same, other = ({**(without or {}), "version": {"N": str(number)}} for number in (version, 7))
    change = ItemChange(kind, marker_rules(design.declaration), NOW, expected={"version": version})
    expectations = tuple(change.rules.expectations(change))

    failures = [first_failed(expectations, item) for item in (nothing, expired, without, same, other)]

    assert tuple(map(reason_of, failures)) == VERSION_OUTCOMES[kind, version]


@pytest.mark.parametrize(("version", "outcomes"), [(0, (True, True, False)), (3, (False, True, False))])
def test_a_condition_on_the_version_takes_an_item_without_one_for_the_first(
    version: int, outcomes: tuple[bool, ...]
) -> None:
    design = DESIGNS[0]
    _, _, without = version_items(design)
    attributes = user_condition(design.declaration, F.version == version)
    expectations = tuple(user_expectations("update", attributes, conditions_of(design)))
    same, other = ({**(without or {}), "version": {"N": str(number)}} for number in (version, 7))

    assert tuple(first_failed(expectations, item) is None for item in (without, same, other)) == outcomes
