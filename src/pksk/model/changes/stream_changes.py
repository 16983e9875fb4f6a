"""Reads stream records as changes of entities, for the requested tables and entities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NoReturn, TypeAlias, TypeVar, overload

from pksk.dataclass import dataclass, field
from pksk.errors import InvalidValue, ItemUnreadable, PkskError, did_you_mean, quote
from pksk.model import entity_of_item
from pksk.model.changes.change import Change, StreamRecord, read_record
from pksk.model.declaration import Declaration
from pksk.model.entity import Entity
from pksk.model.forward_references import complete_entity
from pksk.model.markers.guard_items import is_guard_item
from pksk.model.markers.marker import key_in_words
from pksk.schema import Table
from pksk.values import WireItem

E = TypeVar("E", bound=Entity)

Unknown: TypeAlias = Literal["skip", "raise"]
UnreadableRecords: TypeAlias = "list[tuple[Mapping[str, Any], PkskError]]"


@overload
def change_of(
    record: Mapping[str, Any], entity: type[E], /, *, unknown: Unknown = "skip"
) -> Change[E] | None: ...
@overload
def change_of(
    record: Mapping[str, Any], /, *sources: Table | type[Entity], unknown: Unknown = "skip"
) -> Change[Any] | None: ...
def change_of(record: Any, /, *sources: Any, unknown: Unknown = "skip") -> Change[Any] | None:
    """The change in one stream record; None if the item belongs to none of the entities.

    `sources` are tables, or entities to get only their changes. With `unknown="raise"`, an item that belongs to no
    entity of its table is an error.

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
    return _change(read_record(record), change_filter(sources), strict=_is_strict(unknown))


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
    *sources: Table | type[Entity],
    unknown: Unknown = "skip",
    unreadable: UnreadableRecords | None = None,
) -> Iterator[Change[Any]]: ...
def changes_of(
    records: Any, /, *sources: Any, unknown: Unknown = "skip", unreadable: UnreadableRecords | None = None
) -> Iterator[Change[Any]]:
    """The changes in stream records, in their order.

    `records` is an AWS Lambda event, a GetRecords response, or an iterable of records. `sources` are tables, or
    entities to get only their changes; with several tables, each record names its own. Items that belong to no entity
    are skipped, or raise with `unknown="raise"`. An item that does not fit its entity raises too; with a list as
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
        record_list(records), change_filter(sources), strict=_is_strict(unknown), unreadable=unreadable
    )


def _changes(
    records: Iterable[Any], changes: ChangeFilter, *, strict: bool, unreadable: UnreadableRecords | None
) -> Iterator[Change[Any]]:
    for raw in records:
        try:
            change = _change(read_record(raw), changes, strict=strict)
        except ItemUnreadable as error:
            if unreadable is None:
                raise
            unreadable.append((raw, error))
            continue
        if change is not None:
            yield change


def read_change(raw: object, changes: ChangeFilter, version: int = 0) -> Change[Any] | None:
    """The change in a record; None if the filter excludes its item."""
    return _change(read_record(raw), changes, strict=False, version=version)


def _change(
    record: StreamRecord, changes: ChangeFilter, *, strict: bool, version: int = 0
) -> Change[Any] | None:
    table = changes.table_of(record)
    old = _read(record, record.old, table, changes, strict=strict)
    new = _read(record, record.new, table, changes, strict=strict)
    if record.old is None and record.new is None:
        entities = _requested_entities(
            entity_of_item.possible_entities(table, record.key), record, None, changes, strict=strict
        )
    else:
        entities = [type(each).__pksk__ for each in (new, old) if each is not None][:1]
    if not entities:
        return None
    image = new if new is not None else old
    return Change(
        kind=record.kind,
        entity=entity_of_item.common_class(entities),
        old=old,
        new=new,
        key=record.key,
        key_values=entity_of_item.primary_key_values(entities[0], record.key, image),
        table=table,
        sequence_number=record.sequence_number,
        at=record.at,
        expired=record.expired,
        size_bytes=record.size_bytes,
        event_id=record.event_id,
        record=record.raw,
        version=version,
    )


def _read(
    record: StreamRecord, image: WireItem | None, table: Table, changes: ChangeFilter, *, strict: bool
) -> Entity | None:
    """The entity in an image; None without an image, or if the filter excludes it."""
    if image is None:
        return None
    tagged = changes.entity_with(table, entity_of_item.discriminator_value(table, image))
    if tagged is not None:
        return entity_of_item.read_item(tagged, record.key, image)
    entities = _requested_entities(
        entity_of_item.possible_entities(table, {**image, **record.key}),
        record,
        image,
        changes,
        strict=strict,
    )
    if not entities:
        return None
    declaration = entity_of_item.common_base(entities)
    if declaration is None:
        _reject_ambiguous_item(entities, record, image)
    return entity_of_item.read_item(declaration, record.key, image)


def _requested_entities(
    entities: list[Declaration],
    record: StreamRecord,
    image: WireItem | None,
    changes: ChangeFilter,
    *,
    strict: bool,
) -> list[Declaration]:
    """The possible entities of an item that the filter includes."""
    if not entities and strict and not is_guard_item(changes.table_of(record), record.key, image):
        _reject_foreign_item(changes.table_of(record), record, image)
    requested = [each for each in entities if changes.wants(each)]
    if requested and len(requested) < len(entities):
        _reject_ambiguous_item(entities, record, image)
    return requested


def _reject_ambiguous_item(
    entities: list[Declaration], record: StreamRecord, image: WireItem | None
) -> NoReturn:
    table, names = entities[0].table, ", ".join(each.name for each in entities)
    error = ItemUnreadable(
        "change-ambiguous-entity",
        f"{table}: the item with {key_in_words(record.key)} may belong to any of {names}.",
        expected=f"Only {table.discriminator!r} distinguishes entities that share a key, and the record lacks it.",
        fix="use a stream view with images, write the discriminator to every item, or request the whole table.",
    )
    error.key, error.item = record.key, image
    raise error


def _reject_foreign_item(table: Table, record: StreamRecord, image: WireItem | None) -> NoReturn:
    error = ItemUnreadable(
        "change-unknown",
        f"{table}: the item with {key_in_words(record.key)} belongs to no entity of the table.",
        expected=f"Entities are: {', '.join(each.name for each in table.entities) or 'none'}.",
        fix='declare an entity for it, or omit unknown="raise".',
    )
    error.key, error.item = record.key, image
    raise error


def record_list(records: object) -> Iterable[Any]:
    """The records of an event, a response, or an iterable."""
    listed = records.get("Records") if isinstance(records, Mapping) else records
    if isinstance(listed, Iterable) and not isinstance(listed, str | bytes | Mapping):
        return listed
    one = isinstance(records, Mapping) and "dynamodb" in records
    raise InvalidValue(
        "change-record",
        f"{quote(records)} contains no stream records.",
        expected="Records come in an AWS Lambda event, a GetRecords response, or a list.",
        fix="this is one record: use change_of." if one else "pass the event or the response unchanged.",
    )


def _is_strict(unknown: object) -> bool:
    if unknown not in ("skip", "raise"):
        raise InvalidValue(
            "change-option",
            f"unknown={quote(unknown)} must be 'skip' or 'raise'.",
            expected="It decides what happens with items that belong to no entity.",
            fix="write unknown='raise', or omit it.",
        )
    return unknown == "raise"


@dataclass(frozen=True, slots=True)
class ChangeFilter:
    """The tables by name, the tables whose changes are all included, and the entities of the others."""

    tables: dict[str, Table]
    whole_tables: frozenset[str]
    entities: tuple[Declaration, ...]
    _tagged: dict[tuple[str, str, int], Declaration] = field(default_factory=dict, compare=False)

    def entity_with(self, table: Table, tag: str | None) -> Declaration | None:
        """The only entity with a discriminator value, if its changes are included."""
        if tag is None:
            return None
        known = (table.name, tag, table.entity_count)
        if known not in self._tagged:
            entities = [each for each in table.entities if each.tag == tag]
            if len(entities) != 1 or not self.wants(entities[0]):
                return None
            self._tagged[known] = entities[0]
        return self._tagged[known]

    def wants(self, declaration: Declaration) -> bool:
        """Whether changes of this entity are included."""
        return declaration.table.name in self.whole_tables or any(
            map(declaration.is_subclass_of, self.entities)
        )

    def table_of(self, record: StreamRecord) -> Table:
        """The table of a record: the one that it names, or else the only one."""
        if record.table is not None:
            table = self.tables.get(record.table)
        else:
            table = next(iter(self.tables.values())) if len(self.tables) == 1 else None
        if table is None:
            self._reject_table(record)
        if record.key.keys() != set(table.key_attributes):
            raise InvalidValue(
                "change-table",
                f"{table}: its key is {_names(table.key_attributes)}, but the record has {key_in_words(record.key)}.",
                expected="A record has exactly the key attributes of its table.",
                fix="pass the table of the stream, declared with its real key.",
            )
        return table

    def _reject_table(self, record: StreamRecord) -> NoReturn:
        names = _names(self.tables)
        if record.table is None:
            raise InvalidValue(
                "change-table",
                f"The record does not name its table, and there are several: {names}.",
                expected="Records of GetRecords have no eventSourceARN; those of AWS Lambda do.",
                fix="pass only the table of the stream.",
            )
        near = did_you_mean(record.table, self.tables)
        raise InvalidValue(
            "change-table",
            f"The record belongs to table {quote(record.table)}, which was not passed.",
            expected=f"Tables are: {names}.",
            fix=f"did you mean {near!r}?" if near else "pass that table too, or read another stream.",
        )


def change_filter(sources: Sequence[Table | type[Entity]]) -> ChangeFilter:
    """The filter for tables and entities; completes entities with forward references."""
    if not sources:
        _reject_sources("No table or entity is named.")
    tables: dict[str, Table] = {}
    whole_tables: set[str] = set()
    entities: list[Declaration] = []
    for each in sources:
        if isinstance(each, Table):
            table = each
            whole_tables.add(table.name)
        elif isinstance(each, type) and issubclass(each, Entity):
            entities.append(complete_entity(each).__pksk__)
            table = entities[-1].table
        else:
            _reject_sources(f"{quote(each)} of type {type(each).__name__} is not a table or an entity.")
        if tables.setdefault(table.name, table) is not table:
            _reject_sources(f"Two different tables have the name {table.name!r}.")
    _complete_entities(tables.values())
    return ChangeFilter(tables, frozenset(whole_tables), tuple(entities))


def _complete_entities(tables: Iterable[Table]) -> None:
    """Complete entities with forward references; otherwise their items would count as foreign items."""
    table_ids = {id(table) for table in tables}
    for entity in _subclasses(Entity):
        table = (vars(entity).get("__pksk_options__") or {}).get("table")
        if id(table) in table_ids and not entity.__pydantic_complete__:
            complete_entity(entity)


def _subclasses(kind: type[Entity]) -> Iterator[type[Entity]]:
    for child in kind.__subclasses__():
        yield child
        yield from _subclasses(child)


def _names(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))


def _reject_sources(problem: str) -> NoReturn:
    raise InvalidValue(
        "change-table",
        problem,
        expected="Pass tables or entities: changes_of(event, shop) or changes_of(event, Order).",
        fix="pass each table whose stream you read once.",
    )
