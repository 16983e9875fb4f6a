"""Relationships of places: made, taken away, replaced as a whole, and followed to the places at the other end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pksk import Store, TransactionFailed

from ..described import KeyText
from ..refusals import NoPlace, PlaceMissing
from ..relationships import Relationship, change_relationships, expand, kind_of

__all__ = ["other", "relate", "relate_all", "related", "relationships_of", "unrelate"]


def relate(db: Store, first: KeyText, second: KeyText) -> Relationship:
    """Relate two places that are there; doing it again, or the other way round, changes nothing."""
    pair = Relationship.between(first, second)
    _change(db, added=[pair], stale=[])
    return pair


def unrelate(db: Store, first: KeyText, second: KeyText) -> None:
    """Take the relationship of two places away, if there is one."""
    _change(db, added=[], stale=[Relationship.between(first, second)])


def relate_all(
    db: Store, place: KeyText, schema: str, wanted: Iterable[KeyText]
) -> tuple[list[Relationship], list[Relationship]]:
    """Let a place be related to just these of one schema: what is missing comes, what is stale goes, all at once.

    Gives the relationships that came and those that went. A key of another schema is refused.
    """
    kind_of(schema)
    keys = list(dict.fromkeys(wanted))
    if others := [str(key) for key in keys if key.schema_name != schema]:
        raise NoPlace(f"These are no {schema} keys: {', '.join(others)}.")
    there = [pair for pair in relationships_of(db, place) if other(pair, place).schema_name == schema]
    pairs = [Relationship.between(place, key) for key in keys]
    added, stale = _without(pairs, there), _without(there, pairs)
    if added or stale:
        _change(db, added=added, stale=stale)
    return added, stale


def relationships_of(db: Store, place: KeyText) -> list[Relationship]:
    """All relationships of a place: those below it by the table, those above it by the index."""
    text = f"{place.pk}::{place.sk}"
    pairs = (*db.iter(Relationship.below(text)), *db.iter(Relationship.above(text)))
    # A place that older data relates to itself is found both ways.
    return list({(pair.one, pair.other): pair for pair in pairs}.values())


def related(db: Store, place: KeyText) -> list[Any]:
    """The places that a place is related to, without those that are deleted."""
    keys = [other(pair, place) for pair in relationships_of(db, place)]
    found = db.run(expand(keys)) if keys else []
    return [each for each in found if each is not None and not each.is_deleted]


def other(pair: Relationship, place: KeyText) -> KeyText:
    """The other end of a relationship."""
    first, second = pair.ends
    return second if first == place else first


def _without(pairs: list[Relationship], others: list[Relationship]) -> list[Relationship]:
    return [pair for pair in pairs if pair not in others]


def _change(db: Store, *, added: list[Relationship], stale: list[Relationship]) -> None:
    try:
        db.run(change_relationships(added, stale))
    except TransactionFailed as failed:
        raise PlaceMissing.of(failed.failures.values()) from failed
