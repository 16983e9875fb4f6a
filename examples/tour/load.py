"""Loads generated data: in batches where these may be used, one by one where an entity needs its conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice

from pksk import AlreadyExists, DesignError, Entity, Store

__all__ = ["load"]

_AT_ONCE = 500


def load(
    db: Store, entities: Iterable[Entity], tell: Callable[[int], None] | None = None, *, again: bool = False
) -> int:
    """Store entities, and give how many; `tell` hears after some of them how many it were.

    `again` is for a load that was interrupted: of the first of them, which were under way, some may be there already.
    """
    alone: set[type[Entity]] = set()
    done = 0
    for some in _slices(iter(entities)):
        kinds: dict[type[Entity], None] = dict.fromkeys(map(type, some))
        for kind in kinds:
            _put(db, kind, [each for each in some if type(each) is kind], alone, again=again)
        done, again = done + len(some), False
        if tell is not None:
            tell(done)
    return done


def _put(
    db: Store, kind: type[Entity], entities: list[Entity], alone: set[type[Entity]], *, again: bool
) -> None:
    if not again and kind not in alone:
        try:
            db.batch_put(*entities)
        except DesignError:
            # References are checked and unique values guarded, for which batches have no conditions.
            alone.add(kind)
        else:
            return
    for each in entities:
        with suppress(AlreadyExists):
            db.create(each)


def _slices(entities: Iterator[Entity]) -> Iterator[list[Entity]]:
    while some := list(islice(entities, _AT_ONCE)):
        yield some
