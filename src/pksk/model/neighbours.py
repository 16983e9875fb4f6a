"""Finds entities of one table that can render the same primary key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pksk.errors import DesignError

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration

__all__ = ["check_neighbours"]


def check_neighbours(new: Declaration[Any]) -> None:
    """Refuse an entity whose key another one of the table can render too, unless they are one family."""
    for other in new.table.entities:
        if other.name == new.name and other.entity is not new.entity:
            raise DesignError(
                "entity-name-twice",
                f"{new.name}: table {new.table.name!r} has an entity of this name already.",
                fix="give one of them another name: the discriminator tells them apart by it.",
            )
        if not _family(new, other):
            _check_pair(new, other)


def _family(new: Declaration[Any], other: Declaration[Any]) -> bool:
    """Whether both have their key from one class."""
    return new.primary.source is other.primary.source


def _check_pair(new: Declaration[Any], other: Declaration[Any]) -> None:
    from pksk.keys.comparison import compare

    mine, theirs = new.primary.pair, other.primary.pair
    if mine is None or theirs is None:
        return
    meeting = compare(mine, theirs).same
    reason = new.primary.disjoint or other.primary.disjoint
    if meeting.verdict == "never" or (meeting.verdict == "may" and reason):
        return
    raise DesignError(
        "entity-collision",
        f"{new.name}.{new.primary.name} and {other.name}.{other.primary.name} "
        f"{'can' if meeting.verdict == 'possible' else 'may'} render the same key in table {new.table.name!r}.",
        expected=f"{meeting}."
        if meeting.verdict == "possible"
        else "No example was found, and none excluded.",
        fix="begin one of the keys with a literal of its own"
        + ("." if meeting.verdict == "possible" else ', or say why it cannot happen: disjoint="...".'),
    )
