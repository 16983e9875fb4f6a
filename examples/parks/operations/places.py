"""Places: added with the next number and all their relationships, and taken out of sight with them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, TypeVar

from pksk import AlreadyExists, Sequence, Store, TransactionFailed

from ..described import SYSTEM, KeyText, parts_of
from ..places import Activity, Asset, Facility, Geozone
from ..products import Product
from ..refusals import FieldUnknown, PlaceMissing, Refusal
from ..relationships import Place, create_place, hide_place
from ..sequences import activity_numbers, asset_numbers, facility_numbers, geozone_numbers, product_numbers
from .relate import relationships_of

__all__ = ["NUMBERS", "add", "highest", "remove"]

P = TypeVar("P", Geozone, Facility, Activity, Product, Asset)

NUMBERS: dict[type[Place | Asset], tuple[Sequence, str]] = {
    Geozone: (geozone_numbers, "geozone_id"),
    Facility: (facility_numbers, "facility_id"),
    Activity: (activity_numbers, "activity_id"),
    Product: (product_numbers, "product_id"),
    Asset: (asset_numbers, "asset_id"),
}

# A number is taken only where somebody gave numbers by hand; the sequence is then moved past them.
_TRIES = 3
# A transaction takes 100 items, and one of them is the place itself.
_MOST_AT_ONCE = 99


def add(db: Store, kind: type[P], related: Iterable[KeyText] = (), **fields: Any) -> P:
    """A new place with the next number of its series, and its relationships, in one transaction.

    Raises `FieldUnknown` for what such a place does not have, before a number is drawn.
    """
    sequence, number = NUMBERS[kind]
    _check_fields(kind, number, fields)
    series = parts_of(kind.model_validate({**fields, number: 0}), sequence.entity)
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
    raise Refusal(f"Others keep giving numbers of {sequence.template} by hand.")


def _check_fields(kind: type[Place | Asset], number: str, fields: Iterable[str]) -> None:
    known = [name for name in kind.model_fields if name != number]
    for name in fields:
        if name == number:
            raise Refusal(
                f"{number} is drawn and cannot be given; to store a place that has a number, create it."
            )
        if name not in known:
            raise FieldUnknown(kind.__name__, name, known)


def highest(db: Store, kind: type[Place | Asset], series: dict[str, Any]) -> int:
    """The highest number in use in a series, by reading it."""
    _, number = NUMBERS[kind]
    return max((getattr(place, number) for place in db.iter(kind.primary(**series))), default=0)


def remove(db: Store, place: Place, now: datetime, by: str = SYSTEM) -> None:
    """Hide a place, and delete its relationships so that none of them leads nowhere.

    As soon as it is hidden nothing can be related to it any more; what was related just before that is looked for
    once more. Of more relationships than a transaction takes, the rest goes beforehand.
    """
    own = KeyText.of(place)
    pairs = relationships_of(db, own)
    db.batch_delete(*(pair.gone() for pair in pairs[_MOST_AT_ONCE:]))
    try:
        db.run(hide_place(place, pairs[:_MOST_AT_ONCE], now, by))
    except TransactionFailed as failed:
        raise PlaceMissing([own]) from failed
    late = [pair for pair in relationships_of(db, own) if pair not in pairs]
    db.batch_delete(*(pair.gone() for pair in late))
