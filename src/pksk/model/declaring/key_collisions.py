"""Finds entities of one table whose keys collide, and subclasses that change the keys of their base."""

from __future__ import annotations

from enum import Enum
from typing import Any, Literal, NoReturn, get_args, get_origin

from pksk.errors import DesignError, quote
from pksk.keys import Template
from pksk.keys.bounds import prefix_upper_bound
from pksk.keys.parts.part_types import field_type
from pksk.model.declaration import Declaration
from pksk.model.entity_key import EntityKey, KeyPart
from pksk.model.markers.guard_items import check_guard_keys
from pksk.model.markers.unique import unique_fields
from pksk.model.storing.attributes import Field


def check_key_collisions(new: Declaration) -> None:
    """Reject an entity whose key may equal that of another entity, unless they inherit one key."""
    for other in new.table.entities:
        if other.entity is not new.entity and (other.name == new.name or other.tag == new.tag):
            raise DesignError(
                "entity-name-twice",
                f"{new.name}: table {new.table.name!r} has {quote(other.tag)} as the discriminator of {other.name}.",
                fix="give one of them another name or discriminator, which distinguishes their items.",
            )
        if new.shares_key_with(other):
            _check_discriminator(new, other)
            _check_shared_values(new, other)
        else:
            _check_primary_keys(new, other)
            _check_range_ends(new, other)
    _check_guards(new)


def _check_guards(new: Declaration) -> None:
    """Reject guard items of unique fields that would be stored under the key of an item, or replaced by it."""
    others = [each for each in new.table.entities if each.entity is not new.entity]
    for other in (*others, new):
        for field in unique_fields(new):
            check_guard_keys(new, field, other)
    for other in others:
        for field in unique_fields(other):
            check_guard_keys(other, field, new)


def _check_discriminator(new: Declaration, other: Declaration) -> None:
    if new.table.discriminator is None and new.entity is not other.entity:
        raise DesignError(
            "entity-shared-key",
            f"{new.name} and {other.name} inherit the same key, and table {new.table.name!r} has no discriminator to "
            "distinguish their items.",
            fix=f"declare Table({new.table.name!r}, discriminator='type'), or give {new.name} another primary key.",
        )


def _check_shared_values(new: Declaration, other: Declaration) -> None:
    """Reject entities that inherit one key, and give its fields types whose different values are written alike."""
    names = new.primary.fields
    if all(_value_types(new.fields[name]) == _value_types(other.fields[name]) for name in names):
        return
    from pksk.keys.comparison import overlap

    collision = overlap(new.primary.pair, other.primary.pair, accept=_differ)
    if collision.verdict == "possible":
        raise DesignError(
            "entity-shared-key",
            f"{new.name} and {other.name} inherit the same key, and different values of its fields would be stored "
            f"under one key in table {new.table.name!r}.",
            expected=f"{collision}.",
            fix=f"declare the fields of the key with the same types, or give {new.name} a key with another literal.",
        )


def _value_types(field: Field) -> tuple[object, ...]:
    """The types of a field's values, and whether they have a time zone."""
    declared = field_type(field.annotation)
    kind = declared.type
    if isinstance(kind, type) and issubclass(kind, Enum):
        kinds = {type(member.value) for member in kind}
    else:
        kinds = {type(_plain(value)) for value in get_args(kind)} if get_origin(kind) is Literal else {kind}
    return frozenset(kinds), declared.aware


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


def _differ(left: dict[str, Any], right: dict[str, Any]) -> bool:
    return any(_plain(value) != _plain(right[name]) for name, value in left.items())


def _check_primary_keys(new: Declaration, other: Declaration) -> None:
    if any(map(_literals_differ, new.primary.parts, other.primary.parts)):
        return
    from pksk.model.primary_overlap import primary_overlap

    collision = primary_overlap(new, other)
    reason = new.primary.disjoint or other.primary.disjoint
    if collision.verdict == "never" or (collision.verdict == "may" and reason):
        return
    possible = collision.verdict == "possible"
    raise DesignError(
        "entity-collision",
        f"{new.name}.{new.primary.name} and {other.name}.{other.primary.name} "
        f"{'can' if possible else 'may'} render the same key in table {new.table.name!r}.",
        expected=f"{collision}."
        if collision.left_values
        else "pksk found no example, and cannot exclude one.",
        fix="begin one of the keys with another literal"
        + ("." if possible else ', or say why it cannot happen: disjoint="...".'),
    )


def _literals_differ(mine: KeyPart, theirs: KeyPart) -> bool:
    """Whether two keys begin with different literals, as most do; a check that loads no further modules."""
    if not isinstance(mine.writer, Template) or not isinstance(theirs.writer, Template):
        return False
    one, other = mine.writer.literals[0], theirs.writer.literals[0]
    return not (one.startswith(other) or other.startswith(one))


def _check_range_ends(new: Declaration, other: Declaration) -> None:
    """Reject a sort key that is the end of a range over another entity: BETWEEN includes its ends.

    A range over all keys with the prefix 'LINE' ends at 'LINF'. This check covers only keys with another prefix, as
    plans already exclude items with the same prefix.
    """
    for mine in new.keys.values():
        for theirs in other.keys.values():
            if mine.index == theirs.index and not any(
                map(_literals_differ, mine.partition, theirs.partition)
            ):
                _check_range_end(new, mine, other, theirs)
                _check_range_end(other, theirs, new, mine)


def _check_range_end(ranged: Declaration, key: EntityKey, single: Declaration, alone: EntityKey) -> None:
    for part, end in zip(key.sort, alone.sort, strict=True):
        if (
            not isinstance(part.writer, Template)
            or not isinstance(end.writer, Template)
            or not part.writer.parts
        ):
            continue
        top = prefix_upper_bound(part.writer.literals[0])
        if top is None or end.writer.literals[0] != top or end.writer.match(top) is None:
            continue
        raise DesignError(
            "entity-range-end",
            f"{single.name}.{alone.name} can be {quote(top)} in attribute {part.attribute!r}, which is the upper bound "
            f"of ranges over {ranged.name}.{key.name}, so that these would include its items.",
            fix=f"end the literal with a delimiter, for example {quote(part.writer.literals[0] + '#')}, "
            f"or use another word than {quote(top)}.",
        )


def check_inherited_keys(new: Declaration) -> None:
    """Reject an entity that changes the keys it inherits from a base class in the same table."""
    for base in new.table.entities:
        if base.entity is not new.entity and new.is_subclass_of(base):
            _check_keys(new, base)
            _check_key_sources(new, base)


def _check_keys(new: Declaration, base: Declaration) -> None:
    for name, key in base.keys.items():
        if name not in new.keys or new.keys[name].source is not key.source:
            _reject_subclass(
                new, base, f"declares another key {name!r} than {base.name}", "give the key another name"
            )


def _check_key_sources(new: Declaration, base: Declaration) -> None:
    sources = {field for key in base.keys.values() for field in key.fields}
    for name, theirs in base.fields.items():
        mine = new.fields[name]
        if mine.attribute != theirs.attribute:
            _reject_subclass(
                new,
                base,
                f"stores field {name!r} under another name than {base.name}",
                "store it under the same name",
            )
        if name not in sources:
            continue
        if theirs.computed and _computing_function(new.entity, name) is not _computing_function(
            base.entity, name
        ):
            _reject_subclass(
                new, base, f"computes the key field {name!r} differently", "compute it the same way"
            )
        if field_type(mine.annotation).optional and not field_type(theirs.annotation).optional:
            _reject_subclass(new, base, f"makes the key field {name!r} optional", "keep it required")


def _computing_function(entity: type, name: str) -> object:
    computed = entity.__pydantic_decorators__.computed_fields[name].info.wrapped_property  # type: ignore[attr-defined]
    return getattr(computed, "fget", computed)


def _reject_subclass(new: Declaration, base: Declaration, problem: str, fix: str) -> NoReturn:
    raise DesignError(
        "entity-inherited-key",
        f"{new.name} {problem}, in the same table: a query on {base.name} also returns its subclasses, and would miss "
        f"items of {new.name} or return wrong ones.",
        fix=f"{fix}, declare another primary key for {new.name}, or declare {base.name} without table=.",
    )
