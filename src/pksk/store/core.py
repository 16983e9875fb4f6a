"""What every operation of a store shares: settings, the clock, who watches, and what was found out once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from datetime import UTC, datetime
from functools import cached_property
from random import random
from time import time

from pksk.dataclass import dataclass
from pksk.store.hooks import Hook
from pksk.store.meter import Meters
from pksk.store.sending.retry import Quota, Retry


@dataclass(frozen=True)
class Core:
    """The settings of a store, and what its operations have in common."""

    retry: Retry = field(default_factory=Retry)
    hooks: tuple[Hook, ...] = ()
    clock: Callable[[], float] = time
    chance: Callable[[], float] = random
    secret: bytes = b""
    max_parallel: int = 16
    meters: Meters = field(default_factory=Meters)
    # What the service was seen to do: to send the item along where a condition fails.
    service_features: set[str] = field(default_factory=set)

    @cached_property
    def quota(self) -> Quota:
        """What retries may still be made."""
        return Quota(self.retry.quota)

    def now(self) -> datetime:
        """This moment, in UTC."""
        return datetime.fromtimestamp(self.clock(), UTC)
