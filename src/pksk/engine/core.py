"""What all operations of one engine share: storage, tables, clock and settings."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import get_ident
from typing import Any, Final, Protocol, TypeAlias

from .heat.meter import Meter
from .request import shape
from .service_errors import internal_error, resource_not_found
from .settings import Settings
from .state import Catalogue, Conflicts, Lag, SequenceNumbers, Tokens
from .storage import SpaceMissing, Storage, StorageClosed, StorageProblem

LOG: Final = logging.getLogger("pksk.engine")
Request: TypeAlias = shape.Request
# An operation's response, or a member of one, in DynamoDB's JSON. A stored item can be an orjson.Fragment.
Answer: TypeAlias = dict[str, Any]
# The response of an operation whose answers have no body at all.
NO_BODY: Final[Answer] = {}


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
    """The parts of one engine that operations share."""

    storage: Storage
    catalogue: Catalogue
    settings: Settings
    conflicts: Conflicts
    tokens: Tokens
    # Set if reads of global indexes lag.
    lag: Lag | None = None
    # Counts what calls consume.
    meter: Meter = field(default_factory=Meter)
    # Deletes expired items in the background.
    sweeper: ExpirySweeper | None = None
    closed: bool = False
    # Set while writes share a commit.
    after_commit: AfterCommit | None = None
    # The sequence numbers of streams, and when each stream needs maintenance next, by its space.
    sequence_numbers: SequenceNumbers = field(default_factory=SequenceNumbers)
    maintenance_due: dict[int, float] = field(default_factory=dict)

    def now(self) -> float:
        """The time of the engine's clock, in seconds since 1970."""
        return self.settings.clock()


Operation: TypeAlias = Callable[[Core, Request], Answer]


@contextmanager
def as_service_errors(core: Core) -> Iterator[None]:
    """Map storage errors to service errors outside `call`."""
    try:
        if core.closed:
            raise StorageClosed
        yield
    except SpaceMissing:  # the table, or the index, was deleted meanwhile
        raise resource_not_found() from None
    except StorageProblem as problem:
        raise internal_error(str(problem)) from problem
    except Exception:
        raise
    except BaseException:  # an interrupt, perhaps while a block began or ended
        core.storage.abandon()
        raise


class AfterCommit:
    """Steps that wait for a commit which several writes of one thread share."""

    __slots__ = ("_steps", "_thread")

    def __init__(self) -> None:
        self._thread = get_ident()
        self._steps: list[Callable[[], None]] = []

    def add(self, step: Callable[[], None]) -> bool:
        """Keep a step until the commit; False if another thread calls."""
        if self._thread != get_ident():
            return False
        self._steps.append(step)
        return True

    def run(self) -> None:
        """Run all steps. The writes are stored, so a failing step is only logged."""
        for step in self._steps:
            try:
                step()
            except Exception:
                LOG.exception("what follows a write failed")
