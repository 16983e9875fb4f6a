"""What all operations of one engine share: storage, tables, clock and settings."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import get_ident
from typing import Any, Final, Protocol, TypeAlias

from pksk.engine.service_errors import service_error
from pksk.engine.storage import SpaceMissing, StorageClosed, StorageProblem
from pksk.engine.texts.tables import NO_TABLE

from .heat.meter import Meter
from .settings import Settings
from .state.catalogue import Catalogue
from .state.change_records import SequenceNumbers
from .state.conflicts import Conflicts
from .state.lag import Lag
from .state.tokens import Tokens
from .storage import Storage

__all__ = ["AfterCommit", "Answer", "Core", "ExpirySweeper", "Operation", "as_service_errors"]

# What an operation returns: DynamoDB's JSON, where a stored item may stand as an orjson.Fragment.
Answer: TypeAlias = dict[str, Any]


class ExpirySweeper(Protocol):
    """Deletes expired items, in the background and at once."""

    def start(self) -> None:
        """Delete in the background from now on."""

    def expire(self, core: Core) -> int:
        """Delete now; returns how many items were deleted since the last call."""

    def close(self) -> None:
        """Wait until the background thread has ended."""


@dataclass(slots=True, weakref_slot=True)
class Core:
    """One engine's parts, as operations get them."""

    storage: Storage
    catalogue: Catalogue
    settings: Settings
    conflicts: Conflicts
    tokens: Tokens
    # Set where reads of global indexes are told to lag.
    lag: Lag | None = None
    # Notes what calls consume.
    meter: Meter = field(default_factory=Meter)
    # What deletes expired items in the background.
    sweeper: ExpirySweeper | None = None
    closed: bool = False
    # Set while writes share a commit.
    after_commit: AfterCommit | None = None
    # The sequence numbers of streams, and when each stream's shards and changes are to be looked after next.
    sequence_numbers: SequenceNumbers = field(default_factory=SequenceNumbers)
    maintenance_due: dict[int, float] = field(default_factory=dict)

    def now(self) -> float:
        """Seconds since 1970 by the engine's clock."""
        return self.settings.clock()


Operation: TypeAlias = Callable[[Core, Mapping[str, Any]], Answer]


@contextmanager
def as_service_errors(core: Core) -> Iterator[None]:
    """A block that is no call of an operation, and in which storage that fails is told as calls tell it."""
    try:
        if core.closed:
            raise StorageClosed
        yield
    except SpaceMissing:  # the table, or the index, was deleted meanwhile
        raise service_error("ResourceNotFoundException", NO_TABLE) from None
    except StorageProblem as problem:
        raise service_error("InternalServerError", str(problem), status=500) from problem
    except Exception:
        raise
    except BaseException:  # an interrupt, which may have come while a block began or ended
        core.storage.abandon()
        raise


_LOG: Final = logging.getLogger("pksk.engine")


class AfterCommit:
    """The commit that writes of one thread share: nothing counts as stored before it."""

    __slots__ = ("_steps", "_thread")

    def __init__(self) -> None:
        self._thread = get_ident()
        self._steps: list[Callable[[], None]] = []

    def add(self, step: Callable[[], None]) -> bool:
        """Keep a step for after the commit; False for a thread that has no part in it."""
        if self._thread != get_ident():
            return False
        self._steps.append(step)
        return True

    def run(self) -> None:
        """Take all steps, since all is stored; none of them can fail an answer any more."""
        for step in self._steps:
            try:
                step()
            except Exception:
                _LOG.exception("what follows a write failed")
