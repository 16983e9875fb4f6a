"""Places: added with the next number and their relationships, related to each other, and hidden."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, TypeVar

from pksk import AlreadyExists, Sequence, Store, TransactionFailed

from ..errors import FieldUnknown, InvalidPlaceKey, ParksError, PlaceMissing
from ..places import Activity, Asset, Collection, Facility, Geozone
from ..products import Product
from ..relationships import (
    Place,
    Relationship,
    change_relationships,
    create_place,
    entity_of_schema,
    expand,
    hide_place,
)
from ..sequences import activity_numbers, asset_numbers, facility_numbers, geozone_numbers, product_numbers
from ..tables import SYSTEM, ItemKey, key_fields
from .policies import pass_over

P = TypeVar("P", Geozone, Facility, Activity, Product, Asset)

SEQUENCES: dict[type[Place | Asset], tuple[Sequence, str]] = {
    Geozone: (geozone_numbers, "geozone_id"),
    Facility: (facility_numbers, "facility_id"),
    Activity: (activity_numbers, "activity_id"),
    Product: (product_numbers, "product_id"),
    Asset: (asset_numbers, "asset_id"),
}

# A number is in use only if it was assigned by hand; then the sequence is moved past such numbers.
_TRIES = 3
# A transaction takes 100 items, and one of them is the place.
_MOST_AT_ONCE = 99


def add(db: Store, kind: type[P], related: Iterable[ItemKey] = (), **fields: Any) -> P:
    """Create a place with the next number of its sequence, and its relationships, in one transaction.

    Raises `FieldUnknown` for a field that such a place does not have, before a number is drawn.
    """
    sequence, number = SEQUENCES[kind]
    _check_fields(kind, number, fields)
    series = key_fields(kind.model_validate({**fields, number: 0}), sequence.entity)
    for _ in range(_TRIES):
        place = kind.model_validate({**fields, number: db.next(sequence, **series)})
        try:
            stored: list[Any] = db.run(create_place(place, list(related)))
        except TransactionFailed as failed:
            if not isinstance(failed.failures.get(0), AlreadyExists):
                raise PlaceMissing.of(failed.failures.values()) from failed
            db.reconcile(sequence, highest(db, kind, series), **series)
        else:
            added: P = stored[0]
            return added
    raise ParksError(f"Others keep assigning numbers of {sequence.template} by hand.")


def _check_fields(kind: type[Place | Asset], number: str, fields: Iterable[str]) -> None:
    known = [name for name in kind.model_fields if name != number]
    for name in fields:
        if name == number:
            raise ParksError(
                f"{number} is drawn from a sequence and cannot be given. Fix: create a place that has a number."
            )
        if name not in known:
            raise FieldUnknown(kind.__name__, name, known)


def highest(db: Store, kind: type[Place | Asset], series: dict[str, Any]) -> int:
    """The highest number in use in a sequence, found by reading its items."""
    _, number = SEQUENCES[kind]
    return max((getattr(place, number) for place in db.iter(kind.primary(**series))), default=0)


def remove(db: Store, place: Place, now: datetime, by: str = SYSTEM) -> None:
    """Hide a place, and delete its relationships so that none leads to a hidden place.

    Once it is hidden, nothing can be related to it. Relationships made just before are looked for once more. If
    there are more relationships than a transaction takes, the rest is deleted first.
    """
    own = ItemKey.of(place)
    pairs = relationships_of(db, own)
    db.batch_delete(*(pair.removal() for pair in pairs[_MOST_AT_ONCE:]))
    try:
        db.run(hide_place(place, pairs[:_MOST_AT_ONCE], now, by))
    except TransactionFailed as failed:
        raise PlaceMissing([own]) from failed
    late = [pair for pair in relationships_of(db, own) if pair not in pairs]
    db.batch_delete(*(pair.removal() for pair in late))


def relate(db: Store, first: ItemKey, second: ItemKey) -> Relationship:
    """Relate two existing places; doing it again, or the other way round, changes nothing."""
    pair = Relationship.between(first, second)
    _change_relationships(db, added=[pair], stale=[])
    return pair


def unrelate(db: Store, first: ItemKey, second: ItemKey) -> None:
    """Delete the relationship of two places, if there is one."""
    _change_relationships(db, added=[], stale=[Relationship.between(first, second)])


def set_related(
    db: Store, place: ItemKey, schema: str, related: Iterable[ItemKey]
) -> tuple[list[Relationship], list[Relationship]]:
    """Relate a place to exactly these places of one schema, adding and deleting relationships in one transaction.

    Returns the relationships added and those deleted. Raises `InvalidPlaceKey` for a key of another schema.
    """
    entity_of_schema(schema)
    keys = list(dict.fromkeys(related))
    if others := [str(key) for key in keys if key.schema_name != schema]:
        raise InvalidPlaceKey(f"These are not {schema} keys: {', '.join(others)}.")
    there = [pair for pair in relationships_of(db, place) if other_end(pair, place).schema_name == schema]
    pairs = [Relationship.between(place, key) for key in keys]
    added, stale = _difference(pairs, there), _difference(there, pairs)
    if added or stale:
        _change_relationships(db, added=added, stale=stale)
    return added, stale


def relationships_of(db: Store, place: ItemKey) -> list[Relationship]:
    """All relationships of a place: with lower places from the table, with higher ones from the index."""
    text = f"{place.pk}::{place.sk}"
    pairs = (*db.iter(Relationship.below(text)), *db.iter(Relationship.above(text)))
    # In old data a place may be related to itself, and is then found both ways.
    return list({(pair.one, pair.other): pair for pair in pairs}.values())


def related_places(db: Store, place: ItemKey) -> list[Any]:
    """The places that a place is related to, without deleted ones."""
    keys = [other_end(pair, place) for pair in relationships_of(db, place)]
    places = db.run(expand(keys)) if keys else []
    return [each for each in places if each is not None and not each.is_deleted]


def other_end(pair: Relationship, place: ItemKey) -> ItemKey:
    """The other end of a relationship."""
    first, second = pair.ends
    return second if first == place else first


def _difference(pairs: list[Relationship], others: list[Relationship]) -> list[Relationship]:
    return [pair for pair in pairs if pair not in others]


def _change_relationships(db: Store, *, added: list[Relationship], stale: list[Relationship]) -> None:
    try:
        db.run(change_relationships(added, stale))
    except TransactionFailed as failed:
        raise PlaceMissing.of(failed.failures.values()) from failed


POLICY_TYPES = ("booking", "party", "change", "fee")


def move_sequences(db: Store) -> int:
    """Move all sequences past the numbers in use; they never move back. Returns how many sequences there are.

    Numbers that others draw at the same time are never drawn twice.
    """
    series = len(POLICY_TYPES)
    for collection in db.iter(Collection.every()):
        for kind, parts, number in _highest_numbers(db, collection.collection_id):
            db.reconcile(SEQUENCES[kind][0], number, **parts)
            series += 1
    for policy_type in POLICY_TYPES:
        pass_over(db, policy_type)
    return series


def _highest_numbers(
    db: Store, collection_id: str
) -> Iterator[tuple[type[Place | Asset], dict[str, Any], int]]:
    highest: dict[tuple[type[Place | Asset], tuple[tuple[str, Any], ...]], int] = {}
    for place in _numbered_places(db, collection_id):
        sequence, number = SEQUENCES[type(place)]
        series = (type(place), tuple(key_fields(place, sequence.entity).items()))
        highest[series] = max(highest.get(series, 0), getattr(place, number))
    return ((kind, dict(parts), number) for (kind, parts), number in highest.items())


def _numbered_places(db: Store, collection_id: str) -> Iterator[Place | Asset]:
    yield from db.iter(Geozone.of_collection(collection_id))
    for facility in db.iter(Facility.of_collection(collection_id)):
        yield facility
        yield from db.iter(Asset.of_facility(collection_id, facility.facility_type, facility.facility_id))
    for activity in db.iter(Activity.of_collection(collection_id)):
        yield activity
        yield from db.iter(Product.of_activity(collection_id, activity.activity_type, activity.activity_id))
