"""Finds entities whose primary keys can be equal: of one table, or of several tables that share a search index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from pksk.dataclass import dataclass, replace
from pksk.errors import DesignError, PkskError, quote
from pksk.keys.comparison import Overlap, overlap
from pksk.model.declaration import Declaration
from pksk.model.entity_key import SHARD_FIELD
from pksk.model.fields.facts import field_facts
from pksk.model.forward_references import complete_entity
from pksk.schema import Table

if TYPE_CHECKING:
    from pksk.model.entity import Entity


@dataclass(frozen=True)
class KeyCollision:
    """Two entities of different tables whose primary keys can be equal.

    `overlap` has an example: the values of both, and the key. If its verdict is `possible`, entities with these values
    exist; if it is `may`, pksk could neither find such an example nor exclude one.

    Example:
        >>> from pksk import Entity, Key, Table, key_collisions
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("{id}", "META", codec="raw")
        >>> class Refund(Entity, table=Table("refunds")):
        ...     number: int
        ...     primary = Key("REFUND#{number}", "META")
        >>> (found,) = key_collisions(Order, Refund)
        >>> found.left.__name__, found.right.__name__, found.overlap.verdict, found.overlap.right_values
        ('Order', 'Refund', 'possible', {'number': 0})
    """

    left: type[Entity]
    right: type[Entity]
    overlap: Overlap

    def __str__(self) -> str:
        verb = "can" if self.overlap.verdict == "possible" else "may"
        example = str(self.overlap).partition(": ")[2] or "no example was found"
        names = (
            f"{_key_name(each)} in table {each.__pksk__.table.name!r}" for each in (self.left, self.right)
        )
        return f"{' and '.join(names)} {verb} have the same key: {example}."


def _key_name(entity: type[Entity]) -> str:
    return f"{entity.__name__}.{entity.__pksk__.primary.name}"


def key_collisions(*designs: Table | type[Entity]) -> tuple[KeyCollision, ...]:
    """The entities of different tables that can have the same partition and sort key, with an example of each pair.

    Keys are unique within a table, and not across tables. Check those whose items go into one search index, where
    `doc_id(pk, sk)` identifies a document. Pass tables, for all of their entities, or single entities.

    Example:
        >>> from pksk import Entity, Key, Table
        >>> class Order(Entity, table=Table("orders")):
        ...     id: str
        ...     primary = Key("ORDER#{id}", "META")
        >>> class Archived(Entity, table=Table("archive")):
        ...     number: int
        ...     primary = Key("ORDER#{number}", "META")
        >>> for each in key_collisions(Order, Archived):
        ...     print(each)
        Order.primary in table 'orders' and Archived.primary in table 'archive' can have the same key: id='0' gives \
'ORDER#0' / 'META', number=0 gives 'ORDER#0' / 'META'.
    """
    declarations = list(dict.fromkeys(each for design in designs for each in _declarations(design)))
    collisions = (
        KeyCollision(one.entity, other.entity, primary_overlap(one, other))
        for one, other in combinations(declarations, 2)
        if one.table is not other.table
    )
    return tuple(each for each in collisions if each.overlap.verdict != "never")


def _declarations(design: Table | type[Entity]) -> Iterator[Declaration]:
    if isinstance(design, Table):
        yield from design.entities
    elif hasattr(design, "__pksk__"):
        yield complete_entity(design).__pksk__
    else:
        raise DesignError(
            "collisions-argument",
            f"key_collisions: {quote(design)} is neither a table nor an entity of one.",
            fix="pass tables or classes, for example key_collisions(orders, archive).",
        )


def primary_overlap(one: Declaration, other: Declaration) -> Overlap:
    """Whether items of two entities can have the same primary key, with values that both entities accept."""
    collision = overlap(
        one.primary.pair,
        other.primary.pair,
        accept=lambda left, right: _is_accepted(one, left) and _is_accepted(other, right),
    )
    computed = any(each.fields[name].computed for each in (one, other) for name in each.primary.fields)
    return replace(collision, verdict="may") if collision.verdict == "possible" and computed else collision


def _is_accepted(declaration: Declaration, values: Mapping[str, Any]) -> bool:
    """Whether an entity can have these values in its key; a computed field may have any."""
    fields, shard = field_facts(declaration).values, declaration.primary.shard
    try:
        for name in declaration.primary.fields:
            if not declaration.fields[name].computed:
                fields.validator(name).validate_python(values[name])
        if shard is None:
            return True
        numbers = (shard.number(dict(values)),) if shard.of in values else range(shard.count)
    except (ValidationError, PkskError):
        return False
    return values[SHARD_FIELD] in numbers
