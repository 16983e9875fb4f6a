"""How calls spread over the values of each field in a key: declared, implied by its type, or unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import partial
from typing import Any, get_args

from ulid import ULID

from pksk.dataclass import dataclass, replace
from pksk.keys.parts.part_types import field_type
from pksk.model.declaration import Declaration
from pksk.model.entity_key import SHARD_FIELD, EntityKey, KeyPart, whole_fields
from pksk.model.storing.attributes import Field, value_count
from pksk.partitions import Share, Spread
from pksk.partitions.spread import ONE_VALUE, UNKNOWN, check_values

# Functions that return the present moment, or an identifier that begins with it.
_CLOCKS = frozenset({"now", "today", "utcnow"})
# Texts and numbers with such a name hold a time.
_TIME_NAMES = frozenset({"date", "day", "hour", "month", "today", "week", "year", "year_month"})
_RISING_IDS = frozenset({"uuid1", "uuid6", "uuid7", "ulid"})


@dataclass(frozen=True)
class FieldShare:
    """The share of calls that the busiest value of a field receives, and where that is known from.

    `assumed` is a share that neither the type of the field nor its author states. `is_current_time` means that new
    items have the present moment in the field; `is_by_name` that only the name of the field says so.
    `is_of_field` means that the spread is declared beside the type, so that all calls have the same busiest value.
    """

    field: str
    share: Share
    reason: str
    assumed: bool = False
    is_current_time: bool = False
    is_by_name: bool = False
    is_of_field: bool = False

    @property
    def is_known(self) -> bool:
        """Whether anything is known about it."""
        return self.share.is_known


def declared_spread(field: Field) -> Spread | None:
    """The spread that is written beside the type of a field."""
    metadata = get_args(field.annotation)[1:] if hasattr(field.annotation, "__metadata__") else ()
    return next((each for each in metadata if isinstance(each, Spread)), None)


def check_spreads(declaration: Declaration) -> None:
    """Reject a spread over more values than the type of its field has."""
    for name, field in declaration.fields.items():
        spread, most = declared_spread(field), value_count(field)
        if spread is not None and most is not None:
            check_values(spread, most, f"{declaration.name}.{name}", "its type has")


def is_time(field: Field) -> bool:
    """Whether a field is a date or a time."""
    kind = field_type(field.annotation).type
    return isinstance(kind, type) and issubclass(kind, date)


def is_period_name(name: str) -> bool:
    """Whether a field is named after a day or another period, as texts and numbers that hold one are."""
    return name in _TIME_NAMES


def is_current_time(declaration: Declaration, name: str) -> bool:
    """Whether a new item has the present moment in this field."""
    field = declaration.fields[name]
    if any(marker.is_store_managed and marker.holds_instants for marker in field.markers):
        return True
    return _factory_name(declaration, name) in _CLOCKS


def rises(declaration: Declaration, name: str) -> bool:
    """Whether each new item has a larger value in this field than those before."""
    if is_current_time(declaration, name) or _factory_name(declaration, name).lower() in _RISING_IDS:
        return True
    kind = field_type(declaration.fields[name].annotation).type
    return isinstance(kind, type) and issubclass(kind, ULID)


def _factory_name(declaration: Declaration, name: str) -> str:
    info = declaration.entity.__pydantic_fields__.get(name)
    factory: Any = info.default_factory if info is not None else None
    plain: Callable[..., Any] | None = factory.func if isinstance(factory, partial) else factory
    return getattr(plain, "__name__", "")


def partition_shares(
    declaration: Declaration, key: EntityKey, spread: Mapping[str, Spread] | None, *, of_new_items: bool
) -> Iterator[FieldShare]:
    """The share of each field of a partition key, without its shard."""
    whole = whole_fields(key.partition)
    for name in key.partition_fields:
        field_share = _share(declaration, name, (spread or {}).get(name), of_new_items=of_new_items)
        if name in whole or field_share.is_current_time or not field_share.is_known:
            yield field_share
        else:
            # Several values of the field make one key, so its busiest key may receive more.
            share = Share(field_share.share.lowest, 1.0, field_share.share.values)
            yield replace(
                field_share, share=share, reason=f"{field_share.reason}, and the key holds a part of it"
            )


def _share(declaration: Declaration, name: str, spread: Spread | None, *, of_new_items: bool) -> FieldShare:
    field = declaration.fields[name]
    declared = declared_spread(field)
    if spread is not None:
        return FieldShare(name, spread.share, f"declared: {spread}")
    if declared is not None:
        return FieldShare(name, declared.share, f"declared: {declared}", is_of_field=True)
    count = value_count(field)
    if count is not None:
        return FieldShare(name, Share(1 / count, 1.0, count), f"its type has {count} values")
    if of_new_items and is_current_time(declaration, name):
        return FieldShare(name, ONE_VALUE, "new items have the current time", is_current_time=True)
    kind = field_type(field.annotation).type
    if of_new_items and is_time(field):
        reason = "new items are assumed to have the current time"
        return FieldShare(name, ONE_VALUE, reason, assumed=True, is_current_time=True)
    if of_new_items and kind in (str, int) and is_period_name(name):
        reason = "by its name, new items are assumed to have the current time"
        return FieldShare(name, ONE_VALUE, reason, assumed=True, is_current_time=True, is_by_name=True)
    return FieldShare(name, UNKNOWN, "unknown")


def shard_choice(
    declaration: Declaration,
    key: EntityKey,
    spread: Mapping[str, Spread] | None = None,
    *,
    of_new_items: bool,
) -> FieldShare | None:
    """The share of the busiest value that chooses a write shard, among the items of one partition key.

    None if that is unknown: shards are random, or of an id or a moment, which differ from item to item.
    """
    name = key.shard.of if key.shard else None
    if name is None:
        return None
    if name in whole_fields(key.partition):
        return FieldShare(name, ONE_VALUE, f"all items of a key have the same {name}")
    choice = _share(declaration, name, (spread or {}).get(name), of_new_items=of_new_items)
    is_day = choice.is_by_name or field_type(declaration.fields[name].annotation).type is date
    is_moment = choice.is_current_time and not is_day
    return choice if choice.is_known and not is_moment else None


def sort_key_rises(declaration: Declaration, key: EntityKey) -> FieldShare | None:
    """The field that makes every new sort key larger than those before, if there is one."""
    first = next((name for part in key.sort for name in _leading_field(part)), None)
    if first is None or first == SHARD_FIELD or first in whole_fields(key.partition):
        return None
    if rises(declaration, first):
        return FieldShare(first, ONE_VALUE, "ever-increasing")
    if is_time(declaration.fields[first]):
        return FieldShare(first, ONE_VALUE, "probably ever-increasing", assumed=True)
    return None


def _leading_field(part: KeyPart) -> tuple[str, ...]:
    return part.fields[:1]
