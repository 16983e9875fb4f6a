"""Where one item stands: the parts of a primary key as the model holds them, and the key that they make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pksk.keys import Operator
from pksk.model.given import Given
from pksk.model.reads.compiled_place import Placed, compiled_place
from pksk.model.reads.whole_key import whole_key

if TYPE_CHECKING:
    from pksk.model.declaration import Declaration
    from pksk.model.entity import Entity

__all__ = ["placed", "placed_carefully"]


def placed(entity: type[Entity], key: str, given: Mapping[str, Any], verb: str) -> Placed:
    """The parts of a primary key, and the key in DynamoDB's JSON; refused unless all are given, as plain values."""
    declaration = entity.__pksk__
    place = declaration.places.get(key)
    if place is None:
        place = declaration.places[key] = compiled_place(declaration, declaration.key(key))
    try:
        found: Placed = place(given)
    except Exception:  # whatever it stumbles over, the careful way does it or says what it is
        return placed_carefully(declaration, key, given, verb)
    return found


def placed_carefully(declaration: Declaration[Any], key: str, given: Mapping[str, Any], verb: str) -> Placed:
    """The same part by part, with the words for what is wrong."""
    from pksk.model.writes.facts import write_facts

    facts = write_facts(declaration)
    parts = {
        name: facts.values.validated(name, value)
        if name in facts.primary and name in facts.stored and not isinstance(value, Operator)
        else value
        for name, value in given.items()
    }
    return Given(parts), whole_key(declaration, key, parts, verb)
