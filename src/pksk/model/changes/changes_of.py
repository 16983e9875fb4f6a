"""Reads stream records as changes of entities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias, TypeVar, overload

from pksk.errors import InvalidValue, ItemUnreadable, PkskError, quote
from pksk.model.changes.change import Change
from pksk.model.changes.change_filter import ChangeFilter, change_filter
from pksk.model.changes.record import StreamRecord, read_record
from pksk.model.entity_of_item import (
    common_base,
    common_class,
    possible_entities,
    primary_key_values,
)
from pksk.model.markers.unique import is_guard_item
from pksk.model.unreadable_item import key_text, read_item

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity import Entity
    from pksk.schema import Table
    from pksk.values import WireItem

E = TypeVar("E", bound="Entity")

Unknown: TypeAlias = Literal["skip", "raise"]
UnreadableRecords: TypeAlias = "list[tuple[Mapping[str, Any], PkskError]]"
Declarations: TypeAlias = "list[Declaration[Any]]"


@overload
def change_of(
    record: Mapping[str, Any], entity: type[E], /, *, unknown: Unknown = "skip"
) -> Change[E] | None: ...
@overload
def change_of(
    record: Mapping[str, Any], /, *about: Table | type[Entity], unknown: Unknown = "skip"
) -> Change[Any] | None: ...
def change_of(record: Any, /, *about: Any, unknown: Unknown = "skip") -> Change[Any] | None:
    """The change in one stream record; None if the item belongs to none of the entities.

    `about` are tables, or entities to get only their changes. With `unknown="raise"`, an item that belongs to no entity
    of its table is an error.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders", stream="KEYS_ONLY")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> keys = {"pk": {"S": "ORDER#7"}, "sk": {"S": "META"}}
        >>> change = change_of({"eventName": "REMOVE", "dynamodb": {"Keys": keys}}, Order)
        >>> change.kind, change.entity.__name__, change.key_values
        ('remove', 'Order', {'id': '7'})
    """
    return _change(read_record(record), change_filter(about), strict=_is_strict(unknown))


@overload
def changes_of(
    records: Mapping[str, Any] | Iterable[Mapping[str, Any]],
    entity: type[E],
    /,
    *,
    unknown: Unknown = "skip",
    unreadable: UnreadableRecords | None = None,
) -> Iterator[Change[E]]: ...
@overload
def changes_of(
    records: Mapping[str, Any] | Iterable[Mapping[str, Any]],
    /,
    *about: Table | type[Entity],
    unknown: Unknown = "skip",
    unreadable: UnreadableRecords | None = None,
) -> Iterator[Change[Any]]: ...
def changes_of(
    records: Any, /, *about: Any, unknown: Unknown = "skip", unreadable: UnreadableRecords | None = None
) -> Iterator[Change[Any]]:
    """The changes in stream records, in their order.

    `records` is an AWS Lambda event, a GetRecords response, or an iterable of records. `about` are tables, or entities
    to get only their changes; with several tables, each record names its own. Items that belong to no entity are
    skipped, or raise with `unknown="raise"`. An item that does not fit its entity raises too; with a list as
    `unreadable`, the record and its error are appended there, and reading continues.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders", stream=True)):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> keys = {"pk": {"S": "ORDER#7"}, "sk": {"S": "META"}}
        >>> images = {"Keys": keys, "OldImage": keys | {"id": {"S": "7"}}}
        >>> event = {"Records": [{"eventName": "REMOVE", "dynamodb": images}]}
        >>> [(change.kind, change.old) for change in changes_of(event, Order)]
        [('remove', Order(id='7'))]
    """
    return _changes(
        _record_list(records), change_filter(about), strict=_is_strict(unknown), unreadable=unreadable
    )


def _changes(
    records: Iterable[Any], about: ChangeFilter, *, strict: bool, unreadable: UnreadableRecords | None
) -> Iterator[Change[Any]]:
    for raw in records:
        try:
            change = _change(read_record(raw), about, strict=strict)
        except ItemUnreadable as error:
            if unreadable is None:
                raise
            unreadable.append((raw, error))
            continue
        if change is not None:
            yield change


def _change(record: StreamRecord, about: ChangeFilter, *, strict: bool) -> Change[Any] | None:
    table = about.table_of(record)
    old = _read(record, record.old, table, about, strict=strict)
    new = _read(record, record.new, table, about, strict=strict)
    if record.old is None and record.new is None:
        entities = _requested_entities(
            possible_entities(table, record.key), record, None, about, strict=strict
        )
    else:
        entities = [type(each).__pksk__ for each in (new, old) if each is not None][:1]
    if not entities:
        return None
    return Change(
        kind=record.kind,
        entity=common_class(entities),
        old=old,
        new=new,
        key=record.key,
        key_values=primary_key_values(entities[0], record.key),
        table=table,
        sequence_number=record.sequence_number,
        at=record.at,
        expired=record.expired,
        size_bytes=record.size_bytes,
        event_id=record.event_id,
        record=record.raw,
    )


def _read(
    record: StreamRecord, image: WireItem | None, table: Table, about: ChangeFilter, *, strict: bool
) -> Entity | None:
    """The entity in an image; None without an image, or if the filter excludes it."""
    if image is None:
        return None
    entities = _requested_entities(
        possible_entities(table, {**image, **record.key}), record, image, about, strict=strict
    )
    if not entities:
        return None
    declaration = common_base(entities)
    if declaration is None:
        _reject_ambiguous_item(entities, record, image)
    read: Entity = read_item(declaration, record.key, image)
    return read


def _requested_entities(
    entities: Declarations, record: StreamRecord, image: WireItem | None, about: ChangeFilter, *, strict: bool
) -> Declarations:
    """The possible entities of an item that the filter includes."""
    if not entities and strict and not is_guard_item(about.table_of(record), record.key, image):
        _reject_foreign_item(about.table_of(record), record, image)
    wanted = [each for each in entities if about.wants(each)]
    if wanted and len(wanted) < len(entities):
        _reject_ambiguous_item(entities, record, image)
    return wanted


def _reject_ambiguous_item(entities: Declarations, record: StreamRecord, image: WireItem | None) -> NoReturn:
    table, names = entities[0].table, ", ".join(each.name for each in entities)
    error = ItemUnreadable(
        "change-ambiguous-entity",
        f"{table}: the item with {key_text(record.key)} may belong to any of {names}.",
        expected=f"Only {table.discriminator!r} distinguishes entities that share a key, and the record lacks it.",
        fix="use a stream view with images, write the discriminator to every item, or request the whole table.",
    )
    error.key, error.item = record.key, image
    raise error


def _reject_foreign_item(table: Table, record: StreamRecord, image: WireItem | None) -> NoReturn:
    error = ItemUnreadable(
        "change-unknown",
        f"{table}: the item with {key_text(record.key)} belongs to no entity of the table.",
        expected=f"Entities are: {', '.join(each.name for each in table.entities) or 'none'}.",
        fix='declare an entity for it, or omit unknown="raise".',
    )
    error.key, error.item = record.key, image
    raise error


def _record_list(records: Any) -> Iterable[Any]:
    """The records of an event, a response, or an iterable."""
    found = records.get("Records") if isinstance(records, Mapping) else records
    if isinstance(found, Iterable) and not isinstance(found, str | bytes | Mapping):
        return found
    one = isinstance(records, Mapping) and "dynamodb" in records
    raise InvalidValue(
        "change-record",
        f"{quote(records)} contains no stream records.",
        expected="Records come in an AWS Lambda event, a GetRecords response, or a list.",
        fix="this is one record: use change_of." if one else "pass the event or the response unchanged.",
    )


def _is_strict(unknown: Any) -> bool:
    if unknown not in ("skip", "raise"):
        raise InvalidValue(
            "change-option",
            f"unknown={quote(unknown)} must be 'skip' or 'raise'.",
            expected="It decides what happens with items that belong to no entity.",
            fix="write unknown='raise', or omit it.",
        )
    return bool(unknown == "raise")
