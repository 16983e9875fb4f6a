"""Expiry for a whole engine: begun when it is opened, and done at once when it is asked for."""

from __future__ import annotations

from pksk.engine.core import Core
from pksk.engine.dispatch import as_calls_fail
from pksk.engine.tables.expiry import expiry_attribute, with_expiry_space

from .sweeper import Sweeper

__all__ = ["begin_expiry", "expire"]


def begin_expiry(core: Core) -> None:
    """Give an engine its sweeper, which sets out where a table has items that expire."""
    core.sweeper = Sweeper(core)
    expiring = [table for table in core.catalogue.all() if expiry_attribute(table.settings) is not None]
    # Files that were made before items expired have nothing that says when they do.
    unfilled = [table for table in expiring if table.alive and table.expiry is None]
    if unfilled:
        with core.catalogue.changing() as change:
            for table in unfilled:
                change.save(table, with_expiry_space(table.settings, change.writer))
    if expiring:
        core.sweeper.start()


def expire(core: Core) -> int:
    """Delete what has expired by now; raises `ServiceError` as a call does."""
    with as_calls_fail(core):
        return 0 if core.sweeper is None else core.sweeper.expire(core)
