"""What an operation of the store is: a generator of steps, with the settings that operations share.

An operation yields steps to its driver and receives their results. The same code therefore serves the synchronous
store, the asynchronous store and tests.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import field
from datetime import UTC, datetime
from functools import cached_property
from random import random
from time import time
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from pksk.dataclass import dataclass
from pksk.sending.hooks import Hook
from pksk.sending.meter import Meters
from pksk.sending.retry import Quota, Retry

if TYPE_CHECKING:
    from pksk.sending.seen_cells import SeenCells

T = TypeVar("T")


class Call(NamedTuple):
    """Send a request to the service; the result is the response."""

    operation: str
    request: Mapping[str, Any]


class Pause(NamedTuple):
    """Wait for some seconds."""

    seconds: float


class Together(NamedTuple):
    """Run several generators of steps in parallel; the result is the list of results, or the first error."""

    runs: tuple[Steps[object], ...]


class Effect(NamedTuple):
    """Call a function of the user; an asynchronous driver awaits what it returns."""

    run: Callable[[], object]


Step: TypeAlias = "Call | Pause | Together | Effect"
Steps: TypeAlias = Generator[Step, Any, T]


@dataclass(frozen=True)
class Core:
    """The settings of a store, and what its operations share."""

    retry: Retry = field(default_factory=Retry)
    hooks: tuple[Hook, ...] = ()
    clock: Callable[[], float] = time
    chance: Callable[[], float] = random
    secret: bytes = b""
    max_parallel: int = 16
    meters: Meters = field(default_factory=Meters)
    # Observed behaviours of the service, such as returning the item with a failed condition.
    service_features: set[str] = field(default_factory=set)

    @cached_property
    def seen_cells(self) -> SeenCells:
        """How dense cells of a map were in earlier answers."""
        from pksk.sending.seen_cells import SeenCells

        return SeenCells()

    @cached_property
    def quota(self) -> Quota:
        """The quota of retries that is left."""
        return Quota(self.retry.quota)

    def now(self) -> datetime:
        """The current time in UTC."""
        return datetime.fromtimestamp(self.clock(), UTC)
