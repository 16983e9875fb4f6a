"""Items as entities: of the right class, without those that have expired, and typed errors for what does not fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pksk.errors import ItemUnreadable, PkskError, quote
from pksk.model.markers import TTL

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.values import WireItem

__all__ = ["EntityReader", "entity_reader", "is_expired", "told_fields", "unreadable"]


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
        table = declaration.table
        self.entity_count = table.entity_count
        kin = [each for each in table.entities if each.shares_key_with(declaration)]
        self._kinds: dict[str | None, Declaration[Any]] = {
            each.tag: each for each in kin if each.is_kind_of(declaration)
        }
        self._sisters = {each.tag for each in kin if not each.is_kind_of(declaration)}
        self._discriminator = table.discriminator if len(kin) > 1 else None
        expiries = (
            each.fields[name].attribute for each in self._kinds.values() for name, _ in each.marked(TTL)
        )
        self.expiry: str | None = next(expiries, None)
        self._quick: Callable[[WireItem], Any] = declaration.from_item

    def read(self, item: WireItem) -> Any:
        """The entity that an item holds, whatever its time; raises `ItemUnreadable`."""
        try:
            return self._quick(item) if self._discriminator is None else self._kind(item).from_item(item)
        except ItemUnreadable:
            raise
        except PkskError as error:
            raise unreadable(self.declaration, item, error) from error

    def found(self, item: WireItem | None, now: float) -> Any:
        """The entity, or None where there is no item, it is of a sister class, or its time is over."""
        if item is None or (self._discriminator is not None and self._tag(item) in self._sisters):
            return None
        if self.expiry is not None and is_expired(item, self.expiry, now):
            return None
        return self.read(item)

    def _kind(self, item: WireItem) -> Declaration[Any]:
        tag = self._tag(item)
        if tag is None:
            return self.declaration
        if tag not in self._kinds:
            # Read as its base, it would lose what that does not know when it is written again.
            known = ", ".join(map(repr, sorted(map(str, self._kinds))))
            what = f"{quote(tag)} is no class of this family, which has {known}"
            raise unreadable(self.declaration, item, None, {self._discriminator or "": what})
        return self._kinds[tag]

    def _tag(self, item: WireItem) -> str | None:
        found = item.get(self._discriminator or "")
        return None if found is None else str(next(iter(found.values())))


def is_expired(item: Mapping[str, Any], attribute: str, now: float) -> bool:
    """Whether the time of an item is over: DynamoDB takes up to some days to delete it."""
    value = item.get(attribute)
    if value is None or "N" not in value:
        return False
    return float(value["N"]) <= now


def unreadable(
    declaration: Declaration[Any],
    item: WireItem,
    error: PkskError | None,
    found: Mapping[str, str] | None = None,
) -> ItemUnreadable:
    """The error for an item that does not fit: with its key, and what is wrong with each field."""
    key = {name: item[name] for name in declaration.table.key_attributes if name in item}
    fields = told_fields(error) if found is None else dict(found)
    shown = ", ".join(f"{name} = {quote(next(iter(wire.values())))}" for name, wire in key.items())
    lines = "".join(f"\n  {name}: {what}" for name, what in fields.items())
    made = ItemUnreadable(
        "store-item-unreadable",
        f"The item {shown} of table {declaration.table.name!r} does not fit {declaration.name}:"
        + (lines or f"\n  {error.problem if error else ''}"),
        fix="mend the item, let the model accept it, or collect such items aside: aside=[].",
    )
    made.key, made.fields, made.item = key, fields, item
    return made


def told_fields(error: PkskError | None) -> dict[str, str]:
    """What an error says of each field."""
    from pydantic import ValidationError

    cause = error and error.__cause__
    if not isinstance(cause, ValidationError):
        return {}
    return {
        ".".join(map(str, each["loc"])) or "item": each["msg"]
        + ("" if each["type"] == "missing" else f"; the item holds {quote(each['input'])}")
        for each in cause.errors()
    }
