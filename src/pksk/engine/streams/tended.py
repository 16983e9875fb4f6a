"""A stream as operations find it: its shards closed as they are due, and what nobody can read any more gone."""

from __future__ import annotations

from contextlib import suppress
from math import inf

from pksk.engine.core import Core
from pksk.engine.storage import StorageProblem

from .find import Found, find_stream
from .left import drop_left
from .upkeep import tend

__all__ = ["tended_stream"]


def tended_stream(core: Core, arn: str) -> Found:
    """The stream with an ARN, after what was due for it was done."""
    found = find_stream(core, arn)
    table = core.catalogue.find(found.record["TableName"])
    drop_left(core)
    if table is not None and core.now() >= core.tending.get(found.stream["space"], -inf):
        with suppress(StorageProblem):  # a file that cannot be written to can be read all the same
            tend(core, table)
    return find_stream(core, arn)
