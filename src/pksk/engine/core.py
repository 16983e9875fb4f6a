"""What all operations of one engine share: storage, tables, clock and settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from .heat.meter import Meter
from .placement.growth import Growth
from .streams.sequences import Sequences

if TYPE_CHECKING:
    from .conflicts import Conflicts
    from .expiry.sweeper import Sweeper
    from .reading.lag import Lag
    from .settings import Settings
    from .shared import Shared
    from .storage import Storage
    from .tables.catalogue import Catalogue
    from .transactions.tokens import Tokens

__all__ = ["Answer", "Core", "Operation"]

# What an operation returns: DynamoDB's JSON, where a stored item may stand as an orjson.Fragment.
Answer: TypeAlias = dict[str, Any]


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
    # Splits partitions that grow too large.
    growth: Growth = field(default_factory=Growth)
    # What deletes expired items in the background.
    sweeper: Sweeper | None = None
    closed: bool = False
    # Set while writes share a commit.
    shared: Shared | None = None
    # The sequence numbers of streams, and when each stream's shards and changes are to be looked after next.
    sequences: Sequences = field(default_factory=Sequences)
    tending: dict[int, float] = field(default_factory=dict)

    def now(self) -> float:
        """Seconds since 1970 by the engine's clock."""
        return self.settings.clock()


Operation: TypeAlias = Callable[[Core, Mapping[str, Any]], Answer]
