"""Items as entities: of the right class, without those that have expired, and typed errors for what does not fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from pksk.errors import ItemUnreadable, PkskError
from pksk.model.markers import TTL
from pksk.model.told import family, kind_of
from pksk.store.reads.aside import Aside, put_aside
from pksk.store.reads.own_key import OwnKey, misplaced
from pksk.store.reads.unreadable import foreign, unreadable

if TYPE_CHECKING:
    from pksk.model import Get
    from pksk.model.declaration import Declaration
    from pksk.values import WireItem

__all__ = ["EntityReader", "entities", "entity_reader", "is_expired"]


def entity_reader(declaration: Declaration[Any]) -> EntityReader:
    """The reader of an entity's items; made once, and again where a further entity was declared since."""
    found: EntityReader | None = declaration.remembered.get("reader")
    if found is None or found.entity_count != declaration.table.entity_count:
        found = declaration.remembered["reader"] = EntityReader(declaration)
    return found


class EntityReader:
    """Reads items of one entity, or of its subclasses where those share its key."""

    def __init__(self, declaration: Declaration[Any]) -> None:
        self.declaration = declaration
        self.entity_count = declaration.table.entity_count
        kinds = [each for each in family(declaration).values() if each.is_kind_of(declaration)]
        expiries = (each.fields[name].attribute for each in kinds for name, _ in each.marked(TTL))
        self.expiry: str | None = next(expiries, None)
        # How nearly all items say what they are: that very entity, and no subclass.
        self._discriminator, self._own = declaration.table.discriminator or "", {"S": declaration.tag}
        self._alone = len(kinds) == len(family(declaration))
        self._from_item: Callable[[WireItem], Any] = declaration.from_item
        own = OwnKey(declaration)
        self._own_key = own if own.is_told else None
        parts = declaration.primary.fields
        computed = any(declaration.fields[name].computed for name in parts)
        self._parts = itemgetter(*parts) if parts and not computed else None

    def is_plain(self, item: WireItem) -> bool:
        """Whether an item says to be of the very entity."""
        return item.get(self._discriminator) == self._own

    def kind(self, item: WireItem) -> Declaration[Any]:
        """The one of the family that an item is of; raises where it says to be something else."""
        found = kind_of(self.declaration, item)
        if found is None:
            raise foreign((self.declaration,), item)
        return found

    def read(self, item: WireItem, asked: Mapping[str, Any] | None = None) -> Any:
        """The entity that an item holds, whatever its time; raises `ItemUnreadable`.

        Where it has the very values that were `asked` for, it stands under the key that they make.
        """
        own = self._own
        from_item = (
            self._from_item if item.get(self._discriminator, own) == own else self.kind(item).from_item
        )
        try:
            made = from_item(item)
        except PkskError as error:
            raise unreadable(self.declaration, item, error) from error
        key = self._own_key
        if key is not None and not (
            asked is not None and self._parts and self._parts(made.__dict__) == self._parts(asked)
        ):
            self.check_place(key.values(made), item)
        return made

    def check_place(self, values: Mapping[str, Any], item: WireItem) -> None:
        """Refuse an item whose fields make another key than its own; as far as the values are known."""
        key = self._own_key
        if key is None or any(name not in values for name in key.names):
            return
        try:
            if key.stands(values, item):
                return
        except PkskError as error:
            raise unreadable(self.declaration, item, error) from error
        raise misplaced(self.declaration, key, values, item)

    def read_all(self, items: Iterable[WireItem]) -> list[Any]:
        """The entities of some items, as `read` gives each."""
        discriminator, own, from_item, key = self._discriminator, self._own, self._from_item, self._own_key
        if key is None:
            return [self.read(item) for item in items]
        values, stands = key.values, key.stands
        found: list[Any] = []
        for item in items:
            try:
                made = from_item(item) if item.get(discriminator, own) == own else None
                is_read = made is not None and stands(values(made), item)
            except PkskError:
                is_read = False
            found.append(made if is_read else self.read(item))
        return found

    def found(self, item: WireItem | None, now: float, asked: Mapping[str, Any] | None = None) -> Any:
        """The entity, or None where there is no item, it is of a sister class, or its time is over."""
        if item is None or (self.expiry is not None and is_expired(item, self.expiry, now)):
            return None
        if not self._alone and not self.kind(item).is_kind_of(self.declaration):
            return None
        return self.read(item, asked)


def entities(gets: Iterable[tuple[Get[Any], WireItem | None]], now: float, aside: Aside = None) -> list[Any]:
    """The entity of each Get, or None; None too where its item is put aside."""
    found: list[Any] = []
    for get, item in gets:
        try:
            found.append(entity_reader(get.entity.__pksk__).found(item, now))
        except ItemUnreadable as error:
            put_aside(aside, error)
            found.append(None)
    return found


def is_expired(item: Mapping[str, Any], attribute: str, now: float) -> bool:
    """Whether the time of an item is over: DynamoDB takes up to some days to delete it."""
    value = item.get(attribute)
    if value is None or "N" not in value:
        return False
    end = float(value["N"])
    # A part of a second counts when the second is over, as it does for conditions.
    return end <= now and (end.is_integer() or end <= int(now))
