"""Rewrites stored items after a change of the design: index keys, discriminators, and missing guard items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from pksk.dataclass import dataclass, field
from pksk.errors import DesignError, InvalidValue, ItemUnreadable, PkskError, UniqueViolation, quote
from pksk.model.cost.tally import items_in_words
from pksk.model.declaration import Declaration
from pksk.model.entity_of_item import (
    common_base,
    discriminator_value,
    entities_sharing_key,
    has_primary_key_of,
    requested_entity,
    unreadable_item,
)
from pksk.model.markers.ttl import is_expired
from pksk.model.requests.keyed_request import Refresh
from pksk.model.write_rules.rules import marker_rules
from pksk.model.writes.refreshed_item import RefreshOptions
from pksk.model.writes.size_limits import check_item_size
from pksk.sending import Core, Steps, Together
from pksk.store.arguments import (
    UnreadableItems,
    check_flag,
    check_progress,
    check_request_kind,
    check_unreadable_list,
    collect_unreadable,
)
from pksk.store.reads.cursor import RowPosition, decode_cursor, encode_cursor
from pksk.store.reads.entity_reader import entity_reader
from pksk.store.reads.results import passes_filters, read_whole_items
from pksk.store.reads.rows import Paginator, Read, paginators_of
from pksk.store.requests.batch_get import batch_get_items
from pksk.store.writes.perform import perform, retry_while_stale
from pksk.store.writes.read_current import CurrentItem, read_current
from pksk.store.writes.stored_item import Duplicate, StoredGuard, StoredItem
from pksk.values import WireItem, item_size

# Cursors of a refresh are for the operator who resumes it, in any process: they need no secret.
_SECRET: Final = b"pksk refresh"
# So many duplicates are listed; all are counted.
_LISTED: Final = 1000
# The stored guard items of an item, by field.
_Guards: TypeAlias = "Mapping[str, StoredGuard]"


@dataclass(frozen=True)
class Refreshed:
    """What a refresh has done: how many items it read and updated, which attributes it changed, and what it found.

    `attributes` counts the changes of each attribute, `guards` the guard items that were written. `duplicates` lists
    the first 1,000 items whose unique value another item has, and `duplicate_count` counts all. `cursor` is where a
    refresh that was stopped can resume; None at the end.

    Example:
        >>> print(Refreshed(items=1200, updated=40, attributes={"g1": 40}, guards=3))
        1,200 items: 40 updated (g1: 40); guard items written: 3; duplicates: 0; unreadable: 0
    """

    items: int = 0
    updated: int = 0
    attributes: Mapping[str, int] = field(default_factory=dict)
    guards: int = 0
    duplicates: tuple[Duplicate, ...] = ()
    duplicate_count: int = 0
    unreadable: int = 0
    cursor: str | None = None

    def __str__(self) -> str:
        changed = ", ".join(f"{name}: {count:,}" for name, count in sorted(self.attributes.items()))
        return (
            f"{items_in_words(self.items)}: {self.updated:,} updated{f' ({changed})' if changed else ''}; "
            f"guard items written: {self.guards:,}; duplicates: {self.duplicate_count:,}; "
            f"unreadable: {self.unreadable:,}"
        )


RefreshProgress: TypeAlias = Callable[[Refreshed], None]


def refresh(
    core: Core,
    read: Read,
    *,
    formats: bool = False,
    drop: Iterable[str] | str = (),
    renamed_from: Iterable[str] | str = (),
    after: str | None = None,
    progress: RefreshProgress | None = None,
    unreadable: UnreadableItems = None,
) -> Steps[Refreshed]:
    """Rewrite what differs in the stored items that a scan or a query finds, page by page."""
    read = _checked_read(read)
    check_unreadable_list("refresh", unreadable)
    check_flag("refresh", formats=formats)
    options = RefreshOptions(
        formats,
        _checked_drop(read, _names("drop", drop)),
        _checked_former(read, _names("renamed_from", renamed_from)),
    )
    check_progress(
        "refresh", progress, "after each page with the counts so far", "done: print(done, done.cursor)"
    )
    if core.meters:
        core.meters.used(read)
    paginators = [each for group in paginators_of(read.plan, keyed=True) for each in group]
    if after is not None:
        paginators = _resumed(paginators, decode_cursor(_SECRET, read, after))
    run = _Run(core, read, options, unreadable)
    for number, paginator in enumerate(paginators):
        while not paginator.is_finished:
            yield from paginator.fill(core, read, until_found=False)
            rows = list(paginator.rows)
            paginator.rows.clear()
            yield from run.page(paginator, rows)
            if progress is not None:
                progress(run.result(_cursor(read, paginator, paginators[number + 1 :])))
    return run.result(None)


def _checked_read(read: Read) -> Read:
    """The read of whole items; rejects one that does not read all of its items as entities."""
    check_request_kind("refresh", read, "Scan", "Query")
    limit, model = getattr(read, "max_results", None), read.model
    if limit is not None or model is not None:
        what = f"a limit of {limit}" if limit is not None else f"results of {model.__name__}" if model else ""
        raise DesignError(
            "store-refresh-read",
            f"refresh: the {type(read).__name__} has {what}.",
            expected="A refresh rewrites all items that a read finds; .pages(n) sets how many are read at once.",
            fix="leave out .limit(...) and .into(...).",
        )
    return read.hydrate()


def _names(option: str, names: Iterable[str] | str) -> frozenset[str]:
    listed = (names,) if isinstance(names, str) else tuple(names) if isinstance(names, Iterable) else (names,)
    for each in listed:
        if not isinstance(each, str) or not each:
            raise InvalidValue(
                "store-refresh-option",
                f"refresh: {option}={quote(each)} is not a name.",
                fix=f'pass one name or several: {option}=["old"].',
            )
    return frozenset(listed)


def _checked_drop(read: Read, names: frozenset[str]) -> frozenset[str]:
    """The attributes to remove; rejects one that the table or an entity of the read uses."""
    for each in _declarations(read):
        used = names & {*each.known_attributes, each.table.ttl}
        for name in sorted(used):
            raise DesignError(
                "store-refresh-option",
                f"refresh: drop={quote(name)} names an attribute that {each.name} uses: a field, a key, the "
                "discriminator or the TTL.",
                fix="drop attributes that no declared field or key uses.",
            )
    return names


def _checked_former(read: Read, values: frozenset[str]) -> frozenset[str]:
    """The former discriminator values; rejects one that an entity of the table has."""
    table = read.entities[0].__pksk__.table
    current = {each.tag: each.name for each in table.entities}
    for value in sorted(values & current.keys()):
        raise DesignError(
            "store-refresh-option",
            f"refresh: renamed_from={quote(value)} is still the discriminator value of {current[value]}.",
            fix=f"leave it out: these items belong to {current[value]}.",
        )
    if values and (read.kind != "scan" or table.discriminator is None):
        raise DesignError(
            "store-refresh-option",
            f"refresh: renamed_from={quote(min(values))} needs a scan of a table with a discriminator.",
            fix=f"write refresh({read.entities[0].__name__}.scan(), ...)."
            if table.discriminator
            else f"leave it out: {table.name} has no discriminator, so the keys of its items name their entity.",
        )
    return values


def _declarations(read: Read) -> Iterator[Declaration]:
    """The entities whose items a read can find: its own, and subclasses that share their key."""
    for entity in read.entities:
        own = entity.__pksk__
        yield from (each for each in entities_sharing_key(own).values() if each.is_subclass_of(own))


def _cursor(read: Read, paginator: Paginator, following: Sequence[Paginator]) -> str | None:
    """Where to continue after a page: further in the same request, or with the next one."""
    if not paginator.is_finished:
        return encode_cursor(_SECRET, read, RowPosition(paginator.number, paginator.start or {}))
    return encode_cursor(_SECRET, read, RowPosition(following[0].number, {})) if following else None


def _resumed(paginators: Sequence[Paginator], position: RowPosition) -> list[Paginator]:
    """The paginators from a position on."""
    return [
        replace(each, start=position.key or None) if each.number == position.paginator else each
        for each in paginators
        if each.number >= position.paginator
    ]


class _Outcome(NamedTuple):
    """What was written of one item, and what was found."""

    changed: frozenset[str] = frozenset()
    guards: int = 0
    duplicates: Sequence[Duplicate] = ()
    unreadable: ItemUnreadable | None = None


class _Run:
    """One refresh: reads the entities of items, and writes what differs."""

    def __init__(self, core: Core, read: Read, options: RefreshOptions, unreadable: UnreadableItems) -> None:
        self.core, self.read, self.options, self.unreadable = core, read, options, unreadable
        self.table = read.entities[0].__pksk__.table
        self.counts: Counter[str] = Counter()
        self.attributes: Counter[str] = Counter()
        self.duplicates: list[Duplicate] = []

    def result(self, cursor: str | None) -> Refreshed:
        """The counts so far."""
        return Refreshed(
            attributes=dict(self.attributes), duplicates=tuple(self.duplicates), cursor=cursor, **self.counts
        )

    def page(self, paginator: Paginator, rows: Sequence[WireItem]) -> Steps[None]:
        """Refresh the items of one page, some of them in parallel."""
        items: Sequence[WireItem | None] = rows
        if paginator.plan.reads_table:
            names = self.table.key_attributes
            checks = [({name: row[name] for name in names}, paginator.current_item) for row in rows]
            items = yield from read_whole_items(self.core, self.table.name, checks, self.read)
        requested = [entity.__pksk__ for entity in paginator.plan.entities]
        stored = list(self._entities(requested, paginator, items))
        guards = yield from self._read_guards(stored)
        pairs = zip(stored, guards, strict=True)
        runs = [self._refresh(requested, *pair) for pair in pairs if _differs(*pair)]
        width = self.core.max_parallel
        for start in range(0, len(runs), width):
            for outcome in (yield Together(tuple(runs[start : start + width]))):
                self._count(outcome)

    def _entities(
        self, requested: Sequence[Declaration], paginator: Paginator, items: Iterable[WireItem | None]
    ) -> Iterator[StoredItem]:
        """The items of the requested entities; counts them, and collects unreadable ones."""
        filters = paginator.plan.filters_after_reading
        for item in items:
            stored = None if item is None else self._stored(requested, item)
            if isinstance(stored, ItemUnreadable):
                self._count(_Outcome(unreadable=stored))
            elif stored is not None and passes_filters(filters, stored.entity):
                self.counts["items"] += 1
                yield stored

    def _count(self, outcome: _Outcome) -> None:
        self.counts["updated"] += bool(outcome.changed)
        self.counts["guards"] += outcome.guards
        self.counts["duplicate_count"] += len(outcome.duplicates)
        self.attributes.update(outcome.changed)
        self.duplicates += outcome.duplicates[: _LISTED - len(self.duplicates)]
        if outcome.unreadable is not None:
            self.counts["unreadable"] += 1
            collect_unreadable(self.unreadable, outcome.unreadable)

    def _stored(self, requested: Sequence[Declaration], item: WireItem) -> StoredItem | ItemUnreadable | None:
        """An item with its entity, or why it is unreadable; None if it is of another entity, or has expired."""
        try:
            declaration = _entity_of(requested, item, self.options)
            return None if declaration is None else self._live(declaration, item)
        except ItemUnreadable as error:
            return error
        except PkskError as error:
            # A key cannot be made of its fields.
            return unreadable_item(requested[0], item, error)

    def _live(self, declaration: Declaration, item: WireItem) -> StoredItem | None:
        reader, now = entity_reader(declaration), self.core.clock()
        if reader.expiry is not None and is_expired(item, reader.expiry, now):
            return None
        own = {name: wire for name, wire in item.items() if name not in self.options.drop}
        if discriminator_value(self.table, item) in self.options.formerly:
            del own[self.table.discriminator or ""]
        stored = StoredItem(reader.read(own), item, self.options, now)
        check_item_size("the item with its index keys", item_size(stored.after))
        return stored

    def _read_guards(self, stored: Sequence[StoredItem]) -> Steps[list[_Guards]]:
        """The stored guard items of each item, and other items that they name."""
        guards = yield from self._read_by_field([each.guard_keys for each in stored])
        owners = [each.other_owners(guard_items) for each, guard_items in zip(stored, guards, strict=True)]
        items = yield from self._read_by_field(owners)
        return [
            {
                name: StoredGuard(item, _owner(each, keys.get(name), guard_items.get(name)))
                for name, item in own.items()
            }
            for each, own, keys, guard_items in zip(stored, guards, owners, items, strict=True)
        ]

    def _read_by_field(
        self, keys: Sequence[Mapping[str, WireItem]]
    ) -> Steps[list[dict[str, WireItem | None]]]:
        """The items under some keys."""
        flat = [key for each in keys for key in each.values()]
        if not flat:
            return [{} for _ in keys]
        read = yield from batch_get_items(self.core, self.table.name, flat, self.read, consistent=True)
        read_items = iter(read)
        return [{name: next(read_items) for name in each} for each in keys]

    def _refresh(
        self, requested: Sequence[Declaration], stored: StoredItem, guards: _Guards
    ) -> Steps[_Outcome]:
        """Write what differs in one item, again if other clients change what that depends on."""
        request = Refresh(stored.declaration.entity, frozenset())
        known: tuple[StoredItem, _Guards] | None = (stored, guards)

        def attempt() -> Steps[_Outcome]:
            nonlocal known
            if known is not None:
                current, guard_items = known
                known = None
                return (yield from self._write(current, guard_items))
            item = yield from read_current(self.core, requested[0], stored.key, None, request)
            again = None if item is None else self._stored(requested, item)
            if not isinstance(again, StoredItem):
                return _Outcome(unreadable=again)
            (guard_items,) = yield from self._read_guards([again])
            return (yield from self._write(again, guard_items))

        return (yield from retry_while_stale(self.core, request, attempt))

    def _write(self, stored: StoredItem, guards: _Guards) -> Steps[_Outcome]:
        """Send what differs and the guards that are lacking, without those that another item has."""
        missing, duplicates = stored.missing_guards(guards)
        while stored.differing.changes or missing:
            changed, prepared = stored.prepared(missing)
            if self.core.meters:
                self.core.meters.used(prepared.write)
            try:
                yield from perform(self.core, prepared)
            except UniqueViolation as error:
                name = error.field or ""
                del missing[name]
                duplicates.append(stored.duplicate(name, error.owner))
            else:
                return _Outcome(changed, len(missing), duplicates)
        return _Outcome(duplicates=duplicates)


def _owner(stored: StoredItem, key: WireItem | None, item: WireItem | None) -> CurrentItem | None:
    return None if key is None else CurrentItem(marker_rules(stored.declaration), key, item)


def _differs(stored: StoredItem, guards: _Guards) -> bool:
    return bool(stored.differing.changes or any(stored.missing_guards(guards)))


def _entity_of(
    requested: Sequence[Declaration], item: WireItem, options: RefreshOptions
) -> Declaration | None:
    """The entity of an item, which may be a subclass of a requested one; None for an item of another entity."""
    table = requested[0].table
    tag = discriminator_value(table, item)
    if tag in options.formerly:
        return next((each for each in requested if has_primary_key_of(each, item)), None)
    entity = requested_entity(requested, item, has_foreign_items=True)
    if entity is None or tag is not None or table.discriminator is None:
        return entity
    sharing = list(entities_sharing_key(entity).values())
    if common_base(sharing) is not entity:
        names = ", ".join(each.name for each in sharing)
        problem = f"the item has no discriminator, and {names} share its key"
        raise unreadable_item(entity, item, None, {table.discriminator: problem})
    return entity
