"""Finds entities of one table that get in each other's way: the same key, or a key at the end of another's range."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pksk.errors import DesignError, quote
from pksk.keys import Template
from pksk.keys.bounds import raised

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity_key import EntityKey, KeyPart

__all__ = ["check_neighbours"]


def check_neighbours(new: Declaration[Any]) -> None:
    """Refuse an entity whose key another one of the table can render too, unless they are one family."""
    for other in new.table.entities:
        if other.entity is not new.entity and (other.name == new.name or other.tag == new.tag):
            raise DesignError(
                "entity-name-twice",
                f"{new.name}: table {new.table.name!r} has {quote(other.tag)} as the discriminator of {other.name}.",
                fix="give one of them another name, or another discriminator: items are told apart by it.",
            )
        if new.shares_key_with(other):
            _check_told_apart(new, other)
        else:
            _check_pair(new, other)
            _check_ends(new, other)


def _check_told_apart(new: Declaration[Any], other: Declaration[Any]) -> None:
    if new.table.discriminator is None and new.entity is not other.entity:
        raise DesignError(
            "entity-family",
            f"{new.name}: it has its key from the same class as {other.name}, and table {new.table.name!r} has no "
            "discriminator by which their items are told apart.",
            fix=f"declare Table({new.table.name!r}, discriminator='type'), or give {new.name} a key of its own.",
        )


def _check_pair(new: Declaration[Any], other: Declaration[Any]) -> None:
    if any(map(_begin_apart, new.primary.parts, other.primary.parts)):
        return
    from pksk.keys.comparison import meeting

    found = meeting(new.primary.pair, other.primary.pair)
    reason = new.primary.disjoint or other.primary.disjoint
    if found.verdict == "never" or (found.verdict == "may" and reason):
        return
    possible = found.verdict == "possible"
    raise DesignError(
        "entity-collision",
        f"{new.name}.{new.primary.name} and {other.name}.{other.primary.name} "
        f"{'can' if possible else 'may'} render the same key in table {new.table.name!r}.",
        expected=f"{found}." if possible else "No example was found, and none excluded.",
        fix="begin one of the keys with a literal of its own"
        + ("." if possible else ', or say why it cannot happen: disjoint="...".'),
    )


def _begin_apart(mine: KeyPart, theirs: KeyPart) -> bool:
    """Whether two keys begin with different literals: most are told apart by that alone."""
    if not isinstance(mine.writer, Template) or not isinstance(theirs.writer, Template):
        return False
    one, other = mine.writer.literals[0], theirs.writer.literals[0]
    return not (one.startswith(other) or other.startswith(one))


def _check_ends(new: Declaration[Any], other: Declaration[Any]) -> None:
    """Refuse a sort key that is the end of a range over another: BETWEEN includes its ends.

    A range over all that begins with 'LINE' ends at 'LINF'. Only a key that begins otherwise is meant: a plan
    looks at those that begin alike, and leaves them out by itself.
    """
    for mine in new.keys.values():
        for theirs in other.keys.values():
            if mine.index == theirs.index and not any(map(_begin_apart, mine.partition, theirs.partition)):
                _check_end(new, mine, other, theirs)
                _check_end(other, theirs, new, mine)


def _check_end(ranged: Declaration[Any], key: EntityKey, single: Declaration[Any], alone: EntityKey) -> None:
    for part, end in zip(key.sort, alone.sort, strict=True):
        if (
            not isinstance(part.writer, Template)
            or not isinstance(end.writer, Template)
            or not part.writer.parts
        ):
            continue
        top = raised(part.writer.literals[0])
        if top is None or end.writer.literals[0] != top or end.writer.match(top) is None:
            continue
        raise DesignError(
            "entity-range-end",
            f"{single.name}.{alone.name} can render {quote(top)}, where ranges over "
            f"{ranged.name}.{key.name} end, in attribute {part.attribute!r}.",
            fix=f"end the literal with a delimiter, for example {quote(part.writer.literals[0] + '#')}, "
            f"or use another word than {quote(top)}.",
        )
