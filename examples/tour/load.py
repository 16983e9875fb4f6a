"""Loads generated data: in batches where these may be used, one by one where an entity needs its conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice

from pksk import AlreadyExists, DesignError, Entity, Store

__all__ = ["load"]

_AT_ONCE = 500


def load(
    db: Store, entities: Iterable[Entity], tell: Callable[[int], None] | None = None, *, empty: bool = True
) -> int:
    """Store all entities and give their number; `tell` hears how many are done.

    Batches replace what is there, so they are for tables that are `empty`. Elsewhere, as after an interruption, what is
    there stays as it is: it may have been changed since.
    """
    done = 0
    alone: set[type[Entity]] = set()
    for some in _slices(iter(entities)):
        kinds: dict[type[Entity], None] = dict.fromkeys(map(type, some))
        for kind in kinds:
            of_kind = [each for each in some if type(each) is kind]
            if not empty or not _put_together(db, kind, of_kind, alone):
                _create(db, of_kind)
        done += len(some)
        if tell is not None:
            tell(done)
    return done


def _put_together(db: Store, kind: type[Entity], entities: list[Entity], alone: set[type[Entity]]) -> bool:
    """Whether entities could be stored by batches."""
    if kind in alone:
        return False
    try:
        db.batch_put(*entities)
    except DesignError:
        # References are checked and unique values guarded, for which batches have no conditions.
        alone.add(kind)
        return False
    return True


def _create(db: Store, entities: list[Entity]) -> None:
    for each in entities:
        with suppress(AlreadyExists):
            db.create(each)


def _slices(entities: Iterator[Entity]) -> Iterator[list[Entity]]:
    while some := list(islice(entities, _AT_ONCE)):
        yield some
