"""Checks that what an entity refers to is there, as members of the transaction that writes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pksk.model.item_key import render_item_key
from pksk.model.markers.marker_rules import MarkerRules, marker_rules
from pksk.model.writes.prepared_write import Expectation, ItemAction, expectation_request
from pksk.model.writes.write_conditions import existence_condition, shared_key_condition
from pksk.values.boto3_form import from_boto3

if TYPE_CHECKING:
    from pksk.values import WireItem

__all__ = ["reference_checks"]


def reference_checks(
    marks: MarkerRules,
    own_key: WireItem,
    values: Mapping[str, Any],
    now: float,
    *,
    changed: frozenset[str] | None = None,
) -> Iterator[ItemAction]:
    """A check for each item that is referred to; of references that do not change there is none."""
    for field in marks.references:
        referral = marks.declaration.reference(field)
        if changed is not None and not changed & set(referral.parts.values()):
            continue
        parts = {part: values.get(name) for part, name in referral.parts.items()}
        if any(value is None for value in parts.values()):
            continue
        other = referral.declaration
        found = render_item_key(other, other.primary.name, parts, "check")
        key = {name: from_boto3(wire) for name, wire in found.items()}
        if other.table.name == marks.declaration.table.name and key == own_key:
            continue  # an item that refers to itself is there once it is written
        asked = [
            existence_condition(other.table),
            shared_key_condition(other),
            marker_rules(other).alive(now),
        ]
        all_asked = tuple(Expectation("reference", each) for each in asked if each is not None)
        request = {"TableName": other.table.name, "Key": key, **expectation_request(all_asked)}
        about = {"field": field, "entity": other.name, "parts": parts, "declaration": other}
        yield ItemAction("ConditionCheck", request, all_asked, about)
