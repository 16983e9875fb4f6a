"""What all operations of one engine share: storage, tables, clock and settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from .conflicts import Conflicts
    from .reading.lag import Lag
    from .settings import Settings
    from .storage import Storage, Writer
    from .tables.catalogue import Catalogue
    from .transactions.tokens import Tokens

__all__ = ["Answer", "Core", "Operation"]

# What an operation returns: DynamoDB's JSON, where a stored item may stand as an orjson.Fragment.
Answer: TypeAlias = dict[str, Any]
_SEQUENCE_BYTES = 8


@dataclass(slots=True)
class Core:
    """One engine's parts, as operations get them."""

    storage: Storage
    catalogue: Catalogue
    settings: Settings
    conflicts: Conflicts
    tokens: Tokens
    # Set where reads of global indexes are told to lag.
    lag: Lag | None = None
    closed: bool = False
    _sequences: dict[int, int] = field(default_factory=dict)

    def now(self) -> float:
        """Seconds since 1970 by the engine's clock."""
        return self.settings.clock()

    def next_sequence(self, writer: Writer, space: int) -> bytes:
        """A key after all that a space has had; only for one who is writing."""
        last = self._sequences.get(space)
        if last is None:
            newest = next(iter(writer.rows(space, b"", None, backwards=True)), None)
            last = 0 if newest is None else int.from_bytes(newest.key)
        self._sequences[space] = last + 1
        return (last + 1).to_bytes(_SEQUENCE_BYTES)


Operation: TypeAlias = Callable[[Core, Mapping[str, Any]], Answer]
